//go:build linux

package install

import (
	"os"
	"strings"
	"testing"

	"plinth/internal/hint"
	"plinth/internal/host/launch"
)

func TestMain(m *testing.M) {
	launch.GuardMain()
	os.Exit(m.Run())
}

var launcher = launch.NewLocal()

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// mustRefuse expects an error that contains words, and a hint that contains advice.
func mustRefuse(t *testing.T, err error, words, advice string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), words) || !strings.Contains(hint.Of(err), advice) {
		t.Fatalf("got  %v, hint %q\nwant %q, hint %q", err, hint.Of(err), words, advice)
	}
}

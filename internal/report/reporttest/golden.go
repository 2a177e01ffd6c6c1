// Package reporttest provides golden files and fictitious records for the tests of reports.
package reporttest

import (
	"flag"
	"os"
	"strings"
	"testing"
	"unicode"
)

// Update is the flag -update.
var Update = flag.Bool("update", false, "rewrite the golden files")

// Golden compares text with a file, which -update rewrites.
func Golden(t *testing.T, path, got string) {
	t.Helper()
	if *Update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("differs from %s (go test -update writes it anew):\n%s", path, got)
	}
}

// Harmless fails if text has control characters other than newlines.
func Harmless(t *testing.T, name, text string) {
	t.Helper()
	if i := strings.IndexFunc(text, func(r rune) bool {
		return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r))
	}); i >= 0 {
		t.Errorf("%s holds a control character: %q", name, text[max(0, i-20):i+20])
	}
}

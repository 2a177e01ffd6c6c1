package libvirt

import (
	"os"
	"path/filepath"
	"testing"
)

// fixture is one of the definitions in testdata.
func fixture(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".xml"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

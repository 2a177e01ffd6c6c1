package host

import (
	"os"
	"path/filepath"
	"testing"
)

// TestIdentity checks that all paths of a file have one identity, also of a file that does not exist.
func TestIdentity(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{dir, link, true},
		{dir + "/file", link + "/./file", true},
		{dir + "/new", link + "/new", true},
		{dir + "/new/er", link + "/new/er", true},
		{dir + "/new", dir + "/er", false},
		{dir + "/new", dir, false},
		{dir + "/file", dir, false},
	} {
		a, errA := Identity(c.a)
		b, errB := Identity(c.b)
		if errA != nil || errB != nil || (a == b) != c.same {
			t.Errorf("%s is %s and %s is %s (%v, %v)", c.a, a, c.b, b, errA, errB)
		}
	}
}

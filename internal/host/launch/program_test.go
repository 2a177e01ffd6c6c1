package launch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestFindProgram(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	for path, mode := range map[string]fs.FileMode{
		first + "/tool": 0o755, second + "/tool": 0o755, second + "/other": 0o755, first + "/plain": 0o644,
	} {
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", "relative:"+second)
	for _, try := range []struct{ name, dir, want string }{
		{"tool", first, first + "/tool"},
		{"tool", "", second + "/tool"},
		{"other", first, second + "/other"},
		{"plain", first, ""},
		{first + "/tool", "", first + "/tool"},
		{first + "/none", "", ""},
		{"none", first, ""},
	} {
		got, err := FindProgram(try.name, try.dir)
		if got != try.want || (err != nil) != (try.want == "") {
			t.Errorf("%s in %q: %s, %v; want %s", try.name, try.dir, got, err, try.want)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", try.name, err)
		}
	}
	if _, err := os.Stat(filepath.Join("relative", "tool")); err == nil {
		t.Error("the test must not find anything in a relative directory")
	}
}

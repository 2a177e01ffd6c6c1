package hosttest

import (
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

func TestParse(t *testing.T) {
	first, later, err := parse([]byte(`how it was made
-- proc/self --
-> 12
-- proc/12/stat --
12 (one)
-- proc/version --
Linux
-- sys/block/vda/holders/ --
-- later/proc/12/stat --
12 (two)
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		machine    fstest.MapFS
		name, want string
	}{
		{first, "proc/self/stat", "12 (one)\n"},
		{later, "proc/self/stat", "12 (two)\n"},
		{first, "proc/version", "Linux\n"},
		{later, "proc/version", "Linux\n"},
	} {
		if got, err := fs.ReadFile(c.machine, c.name); err != nil || string(got) != c.want {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
		}
	}
	if entries, err := fs.ReadDir(first, "sys/block/vda/holders"); err != nil || len(entries) != 0 {
		t.Errorf("an empty directory has %v, %v", entries, err)
	}
	if len(first) != 4 || len(later) != 4 {
		t.Errorf("%d and %d entries, want 4", len(first), len(later))
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"-- ../etc/passwd --\nx\n":                    "not a path below the root",
		"-- /etc/passwd --\nx\n":                      "not a path below the root",
		"-- later/../../x --\nx\n":                    "not a path below the root",
		"-- a/./b --\nx\n":                            "not a path below the root",
		"-- --":                                       "without a name",
		"-- a --\n-- --\n":                            "without a name",
		"-- . --\nx\n":                                "not a path below the root",
		"-- a --\n-> ../b\n":                          "link out of the root",
		"-- a/b --\n-> ../../etc\n":                   "link out of the root",
		"-- a --\n-> /etc/passwd\n":                   "link out of the root",
		"-- a --\nx\n-- a --\ny\n":                    "twice in the archive",
		"-- later/a --\nx\n":                          "not in the first snapshot",
		"-- a --\nx\n-- later/a --\n-> ../../../b\n":  "link out of the root",
		"-- a --\nx\n-- later/a --\n-> b\n-- b/ --\n": "",
	} {
		_, _, err := parse([]byte(text))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// A file below a link would be written where the link leads.
func TestUnpackStaysInside(t *testing.T) {
	outside := t.TempDir()
	err := unpack(t.TempDir(), fstest.MapFS{
		"out":        {Data: []byte(outside), Mode: fs.ModeSymlink},
		"out/secret": {Data: []byte("x")},
	})
	if err == nil {
		t.Error("wrote through a link that leads out")
	}
	if leaked, _ := os.ReadDir(outside); len(leaked) != 0 {
		t.Error(leaked)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("-- proc/self --\n-> 12\n-- proc/12/stat --\nx\n-- later/proc/12/stat --\ny\n-- d/ --\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		first, later, err := parse(text)
		if err != nil {
			return
		}
		for _, machine := range []fstest.MapFS{first, later} {
			for name := range machine {
				if !fs.ValidPath(name) {
					t.Errorf("%q leaves the root", name)
				}
			}
		}
	})
}

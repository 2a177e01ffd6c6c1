package decode

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plinth/internal/experiment/experimenttest"
	"plinth/internal/hint"
	"plinth/internal/strictyaml"
)

// Every file under testdata/mistakes is refused with exactly the messages in its .txt file. Comments
// in the file can give values for --set.
func TestMistakes(t *testing.T) {
	files, err := filepath.Glob("testdata/mistakes/*.yaml")
	if err != nil || len(files) < 40 {
		t.Fatalf("found %d files, %v", len(files), err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		t.Run(strings.TrimSuffix(name, ".yaml"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			_, _, err = Parse(name, data, filepath.Dir(file), setsIn(string(data)))
			got := experimenttest.Mistakes(t, err)
			if strings.Contains(got, "hunter2") || strings.Contains(got, "ter2") {
				t.Errorf("a password is shown:\n%s", got)
			}
			experimenttest.CompareGolden(t, strings.TrimSuffix(file, ".yaml")+".txt", got)
		})
	}
}

func setsIn(text string) []string {
	var sets []string
	for line := range strings.Lines(text) {
		if set, found := strings.CutPrefix(strings.TrimSpace(line), "# --set "); found {
			sets = append(sets, set)
		}
	}
	return sets
}

func TestErrorListsEveryMistakeAndKeepsHints(t *testing.T) {
	_, _, err := Parse("lab.yaml", []byte("clinets: 1\nworkloads: [select-only]\nenvironments: {a: {}}\nduratoin: 1s\n"), "", nil)
	const want = "lab.yaml:1:1: unknown key \"clinets\" in experiment\nlab.yaml:4:1: unknown key \"duratoin\" in experiment"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if got := hint.Of(err); got != "did you mean clients?" {
		t.Errorf("hint %q", got)
	}
}

func TestLoadOfWhatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large.yaml")
	if err := os.WriteFile(large, []byte(strings.Repeat("# \n", 400_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(dir, "missing.yaml")
	for path, want := range map[string]string{
		missing:                      "cannot read " + missing + ": no such file or directory",
		dir:                          "cannot read " + dir + ": it is a directory",
		"postgresql://u:hunter2@h/d": "cannot read …: no such file or directory",
		large:                        "cannot read " + large + ": larger than 1 MiB",
	} {
		_, _, err := Load(path, nil)
		var e *strictyaml.Error
		if !errors.As(err, &e) || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

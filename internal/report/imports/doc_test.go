package imports_test

import (
	"strings"
	"testing"

	"plinth/internal/imported"
	"plinth/internal/prose"
	"plinth/internal/report/imports"
)

func outcome(t *testing.T, paths ...string) *imported.Outcome {
	t.Helper()
	out, err := imported.Read(t.Context(), imported.Options{Paths: paths})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestOutcomeFits: what a terminal of 80 columns shows is not split, and says what matters.
func TestOutcomeFits(t *testing.T) {
	const captures = "../../../docs/captures/"
	for name, test := range map[string]struct {
		paths []string
		wants []string
	}{
		"runs": {[]string{captures + "pairs"}, []string{
			"delay-20/r1/iostat.txt            iostat           20  3 readings, 27 facts",
			"delay-40     read.sql        2  49.2    40.62   43.35  2026-11-26 22:03:08",
			"57 statements cannot be assigned to a second of a run",
			"(also: delay-40/r1/vmstat.txt, line 1)",
		}},
		"a contradiction": {[]string{captures + "edited.txt"}, []string{"Contradictions", "8 clients / 3,771.1 TPS = 2.12 ms"}},
		"a disk":          {[]string{captures + "disk.json"}, []string{"commit   sync     -      1       -      -    0.155   0.148   0.301", "one client commits at most 5,594 times a second", "random_page_cost = 1 "}},
		"readings alone":  {[]string{captures + "pairs/delay-20/r1/vmstat.txt"}, []string{".../pairs/delay-20/r1/vmstat.txt, 2026-11-26 22:03:06 UTC to", "stat.ctxt"}},
	} {
		t.Run(name, func(t *testing.T) {
			text := imports.Outcome(outcome(t, test.paths...)).Text(80)
			for line := range strings.Lines(text) {
				if line = strings.TrimRight(line, "\n"); prose.Length(line) > 80 {
					t.Errorf("too wide: %s", line)
				}
			}
			for _, want := range test.wants {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in\n%s", want, text)
				}
			}
		})
	}
}

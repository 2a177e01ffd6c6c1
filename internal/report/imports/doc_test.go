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
			"delay-20/r1/iostat.txt            iostat           24  3 readings, 49 facts",
			"delay-40     read.sql        2  49.3    40.52   41.84  2026-11-26 19:27:41",
			"98 statements belong to no second of a run",
			"(also: delay-40/r1/vmstat.txt, line 1)",
		}},
		"a contradiction": {[]string{captures + "edited.txt"}, []string{"What contradicts itself", "8 clients / 4,266.9 TPS = 1.87 ms"}},
		"a disk":          {[]string{captures + "disk.json"}, []string{"commit  sync     -      1       -     -    0.111   0.111   0.189"}},
		"readings alone":  {[]string{captures + "pairs/delay-20/r1/vmstat.txt"}, []string{".../pairs/delay-20/r1/vmstat.txt, 2026-11-26 19:27:38 UTC to", "stat.ctxt"}},
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

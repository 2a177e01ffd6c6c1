package running

import (
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

func TestFinishedBlocks(t *testing.T) {
	run := func(environment string, repeat, attempt int) record.Run {
		return record.Run{RunID: record.RunID{Environment: environment, Cell: experiment.Cell{Workload: "w"}, Repeat: repeat, Attempt: attempt}}
	}
	for name, c := range map[string]struct {
		runs []record.Run
		want int
	}{
		"none":                       {nil, 0},
		"an interrupted one":         {[]record.Run{run("a", 1, 1)}, 0},
		"one":                        {[]record.Run{run("a", 1, 1), run("b", 1, 1)}, 1},
		"interrupted again":          {[]record.Run{run("a", 1, 1), run("a", 1, 2), run("a", 1, 3)}, 0},
		"at the second attempt":      {[]record.Run{run("a", 1, 1), run("b", 1, 2), run("a", 1, 2)}, 1},
		"two, and a part of a third": {[]record.Run{run("a", 1, 1), run("b", 1, 1), run("b", 2, 1), run("a", 2, 1), run("a", 3, 1)}, 2},
	} {
		if got := finishedBlocks(c.runs, 2); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

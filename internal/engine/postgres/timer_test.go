package postgres

import "testing"

func TestTimer(t *testing.T) {
	var timer timer
	for _, step := range []struct {
		what                            string
		timed, requested, written, want int64
	}{
		{"the first reading", 7, 3, 100, 7},
		{"nothing", 7, 3, 100, 7},
		{"skipped", 8, 3, 100, 7},
		{"asked for", 8, 4, 150, 7},
		{"made", 9, 4, 180, 8},
		{"still writing", 9, 4, 190, 8},
		{"skipped for an hour", 21, 4, 190, 8},
		{"skipped or not, beside another", 22, 5, 190, 9},
		{"reset", 1, 0, 0, 1},
		{"skipped after that", 2, 0, 0, 1},
	} {
		if got := timer.made(step.timed, step.requested, step.written); got != step.want {
			t.Errorf("%s: %d were made, want %d", step.what, got, step.want)
		}
	}
}

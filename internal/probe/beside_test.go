package probe

import (
	"strings"
	"testing"

	"plinth/internal/host/watch"
)

// TestSpare checks the idle share of the CPU time that fio did not use.
func TestSpare(t *testing.T) {
	for name, try := range map[string]struct {
		spare spare
		want  float64
		known bool
	}{
		"nothing known":           {spare{}, 0, false},
		"idle":                    {spare{idle: 18, fio: 1, all: 20}, 18. / 19, true},
		"others use a half":       {spare{idle: 9, fio: 2, all: 20}, 0.5, true},
		"others use most":         {spare{idle: 4, fio: 4, all: 20}, 0.25, true},
		"fio polls on one of two": {spare{idle: 9, fio: 10, all: 20}, 0.9, true},
		"fio polls on the only":   {spare{idle: 0.5, fio: 19, all: 20}, 0, false},
		"counted in ticks":        {spare{idle: 11, fio: 10, all: 20}, 1, true},
	} {
		got, known := try.spare.share()
		if known != try.known || !near(got, try.want, 1e-9) && got != try.want {
			t.Errorf("%s: got %g, %v; want %g, %v", name, got, known, try.want, try.known)
		}
	}
}

// TestIdleNote checks the figures of the note, and its limit.
func TestIdleNote(t *testing.T) {
	half := watch.Usage{Idle: 50, IOWait: 10, User: 30, System: 10}
	for idle, want := range map[float64]string{
		4: "22 % of the CPU time that fio did not use was idle, less than 40 %", 7.1: "39 %", 7.2: "", 18: "",
	} {
		notes := seen{usage: half, alone: spare{idle: idle, fio: 2, all: 20}}.notes()
		text := ""
		for _, n := range notes {
			text += n.Rule + ": " + n.Text + n.Hint
		}
		if !strings.Contains(text, want) || (text == "") != (want == "") {
			t.Errorf("%g s idle: got %q, want %q", idle, text, want)
		}
	}
}

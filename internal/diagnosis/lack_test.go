package diagnosis

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
)

// why returns the reason why a cause was skipped.
func (d Diagnosis) why(cause string) string {
	if i := slices.IndexFunc(d.Skipped, func(r Reason) bool { return r.Cause == cause }); i >= 0 {
		return d.Skipped[i].Why
	}
	return ""
}

// TestElsewhere: the machine that plinth reads says nothing of a server on another one.
func TestElsewhere(t *testing.T) {
	busy := columns{"stat.cpu.user": steadily(1.5), "stat.cpu.system": steadily(0.45), "stat.cpu.idle": steadily(0.05)}
	in := inputOf(quiet().with(busy).without("process.server.backends.run_delay"))
	in.Environment.Elsewhere = true
	d := Of(in)
	for _, cause := range []string{"cpu", "cpu-steal", "connections", "outside"} {
		if why := d.why(cause); !strings.Contains(why, "the server runs on another one") && !strings.HasPrefix(why, "nothing is recorded") {
			t.Errorf("%s: skipped because %q", cause, why)
		}
	}
	if slices.ContainsFunc(d.Findings, func(f Finding) bool { return f.Cause == "cpu" }) {
		t.Errorf("%+v", d.Findings)
	}
}

// TestNotKnown: what was not read is skipped, and no number that is none reaches the output.
func TestNotKnown(t *testing.T) {
	d := Of(inputOf(quiet().with(columns{"stat.cpu.steal": steadily(0), "stat.cpu.user": steadily(math.NaN()), "stat.processes": steadily(5)})))
	if why := d.why("temp-files"); !strings.HasPrefix(why, "nothing is recorded") {
		t.Errorf("temporary files: %q", why)
	}
	if _, err := json.Marshal(d); err != nil {
		t.Error(err)
	}
	in := inputOf(quiet().with(columns{"tps": steadily(3), "stat.processes": steadily(5)}))
	if why := Of(in).why("connections"); !strings.Contains(why, "cannot be distinguished") {
		t.Errorf("connections of a quiet server: %q", why)
	}
}

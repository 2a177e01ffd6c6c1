package tuning

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"plinth/internal/knob"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/reporttest"
	"plinth/internal/tune"
)

func tunePlan() *tune.Plan {
	key := knob.ParseKey
	theirs := knob.Source{Author: "A. Author", Title: "On Flushing", Section: "2"}
	return &tune.Plan{
		Profiles: []string{"mine", "other"},
		Changes: []tune.Change{
			{Layer: knob.Kernel, Key: key("vm.dirty_background_bytes"), Now: "0", Then: "268435456", State: tune.ToChange, Reason: "the kernel begins to write before a checkpoint asks for all at once (memory 23.5GiB)", Risk: "more and smaller writes", Source: theirs},
			{Layer: knob.Kernel, Key: key("vm.swappiness"), Now: "60", Then: "1", State: tune.ToChange, Source: theirs},
			{Layer: knob.Kernel, Key: key("kernel.numa_balancing"), Then: "0", State: tune.NotApplicable, Problem: "one NUMA node"},
			{Layer: knob.Kernel, Key: key("vm.zone_reclaim_mode"), Then: "0", State: tune.NotApplicable, Problem: "one NUMA node"},
			{Layer: knob.Block, Key: key("read_ahead_kb@data"), Target: "nvme0n1", Now: "128", Then: "64", State: tune.ToChange, Reason: "reads are random"},
			{Layer: knob.Mount, Key: key("options@data"), Target: "/mnt/data", Now: "rw,relatime", Then: "allocsize=64m", State: tune.Cannot, Problem: "a remount of xfs succeeds, but does not change allocsize=64m", Hint: "mount it anew", Needs: knob.FreshMount},
			{Layer: knob.Server, Key: key("shared_buffers"), Now: "128MB", Then: "6026MB", State: tune.Later, Needs: knob.Restart, Reason: "a quarter of memory", Source: knob.Source{Title: "plinth"}},
			{Layer: knob.Server, Key: key("bgwriter_delay"), Now: "200ms", Then: "200ms", State: tune.InForce},
			{Layer: knob.Server, Key: key("fsync"), Now: "on", Then: "off", State: tune.Cannot, Refused: true, Problem: "it weakens durability", Hint: "leave it out"},
		},
		Conflicts: []record.Note{{Rule: "durability", Text: "fsync off is weaker than the default: a power cut destroys the database", Hint: "leave it out"}},
		Missing:   []record.Note{{Rule: "missing", Text: "mine: a cpuset needs static huge pages on that node", Hint: "use huge-pages, too"}},
	}
}

// TestTunePlan compares a plan in every format with golden files.
func TestTunePlan(t *testing.T) {
	for format, name := range map[string]string{"text": "tune-plan.txt", "markdown": "tune-plan.md", "json": "tune-plan.json"} {
		var b strings.Builder
		err := WritePlan(&b, tunePlan(), Options{Format: format, Next: []string{"plinth tune apply mine --host -- pgbench mydb", "plinth tune render mine --to sysctl.d"}})
		if err != nil {
			t.Fatal(err)
		}
		reporttest.Golden(t, filepath.Join("testdata", name), b.String())
		if format == "json" && !json.Valid([]byte(b.String())) {
			t.Error("it is no JSON")
		}
		for line := range strings.Lines(b.String()) {
			if format == "text" && prose.Length(strings.TrimSuffix(line, "\n")) > 80 {
				t.Errorf("longer than 80 columns: %s", line)
			}
		}
	}
	if err := WritePlan(&strings.Builder{}, tunePlan(), Options{Format: "csv"}); err == nil {
		t.Error("there is a format csv")
	}
}

// TestTunePlanOfNothing checks that a plan without changes says so.
func TestTunePlanOfNothing(t *testing.T) {
	var b strings.Builder
	if err := WritePlan(&b, &tune.Plan{}, Options{}); err != nil || !strings.Contains(b.String(), "Nothing would change.") {
		t.Errorf("%v: %s", err, b.String())
	}
}

// TestUnnamedServer checks that advice for an unnamed server is not a failure.
func TestUnnamedServer(t *testing.T) {
	p := &tune.Plan{Changes: []tune.Change{{Layer: knob.Server, Key: knob.ParseKey("work_mem"), Then: "8MB", State: tune.Cannot, Problem: "no server is given"}}}
	var b strings.Builder
	if err := WritePlan(&b, p, Options{}); err != nil || !strings.Contains(b.String(), "\nwork_mem  8MB\n") || strings.Contains(b.String(), "Cannot") {
		t.Errorf("%v: %s", err, b.String())
	}
}

package fleet

import (
	"slices"
	"strings"
	"testing"

	"plinth/internal/engine"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host/watch"
	"plinth/internal/runner/preview"
	"plinth/internal/runner/site"
	"plinth/internal/unit"
	"plinth/internal/volume"
)

func on(boot, state, namespace string, pid int) *machine {
	return &machine{holds: 200, is: site.Machine{Boot: boot, State: state, Agent: site.Agent{PID: pid, Namespace: namespace}}}
}

// TestNeighbours checks that agents on one kernel know each other, with their threads if they see each
// other's processes, and are noted if they do not.
func TestNeighbours(t *testing.T) {
	for name, c := range map[string]struct {
		here, db1 *machine
		near      bool
		note      bool
	}{
		"two machines":     {on("a", "1", "a pid", 7), on("b", "1", "b pid", 8), false, false},
		"unknown":          {on("", "", "", 7), on("", "", "", 8), false, false},
		"two containers":   {on("a", "1", "a pid", 7), on("a", "2", "a other", 8), true, true},
		"no namespace":     {on("a", "1", "", 7), on("a", "2", "", 8), false, true},
		"another user":     {on("a", "1", "a pid", 7), on("a", "2", "a pid", 8), true, false},
		"an unknown state": {on("a", "", "a pid", 7), on("a", "", "a pid", 8), true, false},
	} {
		c.here.idle = []watch.IdleThread{{CPU: 0, Process: 70, Thread: 71}}
		e := load(t)
		f := of(t, e, c.here, c.db1)
		opened, err := f.Open(t.Context(), site.Opening{})
		if err != nil {
			t.Fatal(name, err)
		}
		var rules []string
		for _, note := range opened.Notes {
			rules = append(rules, note.Rule)
		}
		if slices.Contains(rules, "one-kernel") != c.note || len(rules) != 2 && !c.note {
			t.Errorf("%s: notes %v", name, rules)
		}
		for _, environment := range []string{"here", "a"} {
			if _, err := f.Ready(t.Context(), site.Order{Environment: environment}); err != nil {
				t.Fatal(name, err)
			}
		}
		seen := func(all []site.Agent, pid int, idle []watch.IdleThread) bool {
			return len(all) == 1 && all[0].PID == pid && slices.Equal(all[0].Idle, idle)
		}
		if !c.near {
			if n := slices.Concat(c.here.opening.Neighbours, c.db1.opening.Neighbours, c.here.order.Neighbours, c.db1.order.Neighbours); len(n) > 0 {
				t.Errorf("%s: neighbours %+v", name, n)
			}
			continue
		}
		idle := c.here.idle
		if c.note {
			idle = nil
		}
		if !seen(c.db1.opening.Neighbours, 7, idle) || !seen(c.here.order.Neighbours, 8, nil) || !seen(c.db1.order.Neighbours, 7, idle) {
			t.Errorf("%s: neighbours %+v, %+v, %+v", name, c.db1.opening, c.here.order, c.db1.order)
		}
	}
}

// TestOneMachine refuses two names of one machine before anything is changed.
func TestOneMachine(t *testing.T) {
	e := load(t)
	f := of(t, e, on("a", "1", "a pid", 7), on("a", "1", "a pid", 8))
	_, err := f.Foresee(t.Context(), site.Plan{Experiment: e})
	_, again := f.Open(t.Context(), site.Opening{})
	for _, err := range []error{err, again} {
		if err == nil || err.Error() != "this machine and ssh://db1 are one machine, with one state directory" || !strings.Contains(hint.Of(err), "the same at") {
			t.Errorf("error %v", err)
		}
	}
}

// needs is the preview of servers that need 2 GiB each, on a machine with a given amount.
func needs(servers int, available unit.Size) func(apart bool) preview.Preview {
	return func(apart bool) preview.Preview {
		up := unit.Size(servers)
		if apart {
			up = 1
		}
		return preview.Preview{SideBySide: !apart, Memory: int64(up * 2 * unit.GiB), SharedMemory: int64(up * unit.GiB),
			Available: int64(available), Unlimited: int64(available), Needs: make([]preview.EnvironmentNeeds, servers)}
	}
}

// TestMemory checks the memory of one machine against what all agents on it need.
func TestMemory(t *testing.T) {
	for name, c := range map[string]struct {
		here, db1  func(bool) preview.Preview
		boots      [2]string
		sideBySide bool
		memory     unit.Size
		warnings   int
		err        string
	}{
		"two machines":        {needs(1, 4*unit.GiB), needs(2, 8*unit.GiB), [2]string{"a", "b"}, true, 2 * unit.GiB, 0, ""},
		"enough for all":      {needs(1, 12*unit.GiB), needs(2, 12*unit.GiB), [2]string{"a", "a"}, true, 6 * unit.GiB, 0, ""},
		"enough for one each": {needs(1, 8*unit.GiB), needs(2, 8*unit.GiB), [2]string{"a", "a"}, false, 4 * unit.GiB, 0, ""},
		"crowded":             {needs(1, 6*unit.GiB), needs(2, 6*unit.GiB), [2]string{"a", "a"}, false, 4 * unit.GiB, 1, ""},
		"too little":          {needs(1, unit.GiB), needs(2, unit.GiB), [2]string{"a", "a"}, false, 4 * unit.GiB, 0, "2GiB of shared memory needed, 1GiB available"},
	} {
		here, db1 := on(c.boots[0], "1", "", 7), on(c.boots[1], "2", "", 8)
		here.needs, db1.needs = c.here, c.db1
		e := load(t)
		e.Dataset.Fit = false
		foreseen, err := of(t, e, here, db1).Foresee(t.Context(), site.Plan{Experiment: e})
		p := foreseen.Preview
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: error %v", name, err)
		}
		if p.SideBySide != c.sideBySide || p.Memory != int64(c.memory) || len(p.Warnings) != c.warnings || len(here.asked) != 1 {
			t.Errorf("%s: %v, %s, %v", name, p.SideBySide, unit.Size(p.Memory), p.Warnings)
		}
	}
	yes := true
	here, db1 := on("a", "1", "", 7), on("a", "2", "", 8)
	here.needs, db1.needs = needs(1, 8*unit.GiB), needs(2, 8*unit.GiB)
	e := load(t)
	if _, err := of(t, e, here, db1).Foresee(t.Context(), site.Plan{Experiment: e, SideBySide: &yes}); err == nil {
		t.Error("a resumed experiment goes on with one server at a time")
	}
}

// TestDisks checks that two members cannot use one device, and that they share the space of a filesystem.
func TestDisks(t *testing.T) {
	disk := func(who, device, filesystem string) func(bool) preview.Preview {
		return func(bool) preview.Preview {
			return preview.Preview{SideBySide: true, Unlimited: 1,
				Needs:  []preview.EnvironmentNeeds{{Name: who, Needs: engine.Needs{}}},
				Claims: []volume.Claim{{Who: "the data of " + who, What: "/dev/" + who, ID: device, Whole: device}},
				Disks:  []preview.DiskNeed{{Path: "/srv", Mount: "/", Needed: 3, Free: 5, Filesystem: filesystem}}}
		}
	}
	for name, c := range map[string]struct {
		boots     [2]string
		here, db1 func(bool) preview.Preview
		disks     int
		err       string
	}{
		"apart":          {[2]string{"a", "a"}, disk("here", "8:0", "x"), disk("a", "8:16", "y"), 2, ""},
		"two machines":   {[2]string{"a", "b"}, disk("here", "8:0", "x"), disk("a", "8:0", "x"), 2, ""},
		"one filesystem": {[2]string{"a", "a"}, disk("here", "8:0", "x"), disk("a", "8:16", "x"), 1, "/srv is too small: 6B needed, 5B free on /"},
		"one device":     {[2]string{"a", "a"}, disk("here", "8:0", "x"), disk("a", "8:0", "y"), 2, "the data of here and the data of a use the same disk: /dev/here and /dev/a"},
	} {
		here, db1 := on(c.boots[0], "1", "", 7), on(c.boots[1], "2", "", 8)
		here.needs, db1.needs = c.here, c.db1
		e := load(t)
		e.Dataset.Fit = false
		foreseen, err := of(t, e, here, db1).Foresee(t.Context(), site.Plan{Experiment: e})
		if (err == nil) != (c.err == "") || err != nil && err.Error() != c.err || len(foreseen.Preview.Disks) != c.disks {
			t.Errorf("%s: %v, disks %+v", name, err, foreseen.Preview.Disks)
		}
	}
}

// TestSharedScale checks that the scale fits into a filesystem that two members share.
func TestSharedScale(t *testing.T) {
	e := load(t)
	here, db1 := on("a", "1", "", 7), on("a", "2", "", 8)
	grows := func(bool) preview.Preview {
		return preview.Preview{SideBySide: true, Unlimited: 1, Needs: make([]preview.EnvironmentNeeds, 1),
			Disks: []preview.DiskNeed{{Path: "/srv", Needed: int64(e.Dataset.Scale), Free: 120, Filesystem: "x"}}}
	}
	here.needs, db1.needs = grows, grows
	foreseen, err := of(t, e, here, db1).Foresee(t.Context(), site.Plan{Experiment: e})
	if err != nil || e.Dataset.Scale != 50 || !slices.ContainsFunc(foreseen.Preview.Warnings, func(w experiment.Warning) bool { return w.Rule == "smaller-dataset" }) {
		t.Errorf("scale %d, %+v, %v", e.Dataset.Scale, foreseen.Preview.Warnings, err)
	}
}

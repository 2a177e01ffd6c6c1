package tune

import (
	"slices"
	"strings"
	"testing"

	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/knob"
	"plinth/internal/profile"
)

// TestStates checks the plan of single values, on a machine with a server and a domain.
func TestStates(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		values string
		change func(*fakeMachine, *fakeServer, *Request)
		now    string
		state  State
		needs  knob.Needs
		words  string // of the problem and the hint
	}{
		{values: "vm.swappiness=10", now: "60", state: ToChange},
		{values: "vm.swappiness=60", now: "60", state: InForce},
		{values: "transparent_hugepage=never", now: "madvise", state: ToChange, needs: knob.NewAllocated},
		{values: "vm.swappiness=10", change: func(m *fakeMachine, _ *fakeServer, _ *Request) { m.readOnly = true }, now: "60", state: Cannot, words: "mounted read-only"},
		{values: "vm.swappiness=10", change: func(m *fakeMachine, _ *fakeServer, _ *Request) { m.refuse[swappiness] = true }, now: "60", state: Cannot, words: "as root"},
		{values: "vm.swappiness=60", change: func(m *fakeMachine, _ *fakeServer, _ *Request) { m.readOnly = true }, now: "60", state: InForce},
		{values: "vm.zone_reclaim_mode=0", state: NotApplicable, words: "this kernel has no"},
		{values: "boost=0", state: NotApplicable},
		{values: "scaling_governor=performance", now: "powersave", state: ToChange},
		{values: "scaling_governor=performance", change: func(m *fakeMachine, _ *fakeServer, _ *Request) {
			m.files["/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor"] = "performance"
		}, now: "powersave (1 of 2), performance (1 of 2)", state: ToChange},
		{values: "scaling_governor=ondemand", change: func(m *fakeMachine, _ *fakeServer, _ *Request) {
			for _, cpu := range []string{"0", "1"} {
				m.files["/sys/devices/system/cpu/cpu"+cpu+"/cpufreq/scaling_available_governors"] = "performance powersave"
			}
		}, now: "powersave", state: Cannot, words: "performance, powersave"},
		{values: "scaling_governor@7=performance", state: NotApplicable, words: "frequency"},
		{values: "smt=off", change: func(m *fakeMachine, _ *fakeServer, _ *Request) {
			m.files["/sys/devices/system/cpu/smt/control"] = "notsupported"
		}, state: NotApplicable, words: "notsupported"},
		{values: "read_ahead_kb@data=64", now: "128", state: ToChange},
		{values: "read_ahead_kb@wal=64", state: NotApplicable, words: "wal"},
		{values: "read_ahead_kb@loop7=64", now: "128", state: ToChange},
		{values: "scheduler@data=bfq", now: "none", state: Cannot, words: "none, mq-deadline, kyber"},
		{values: "nr_hugepages@node5=4", state: NotApplicable, words: "node 5"},
		{values: "nr_hugepages@1=4", now: "0", state: ToChange},
		{values: "options@data=noatime", now: "rw,relatime", state: ToChange, needs: knob.Remount},
		{values: "options@data=relatime", now: "rw,relatime", state: InForce},
		{values: "options@data=data=journal", now: "rw,relatime", state: Cannot, needs: knob.FreshMount, words: "fstab"},
		{values: "options@wal=noatime", state: NotApplicable, words: "nothing is mounted at wal"},
		{values: "cpus=0", state: Cannot, needs: knob.OpenHeld, words: "only while a command runs"},
		{values: "cpus=0", change: func(m *fakeMachine, _ *fakeServer, r *Request) {
			r.Held, m.files["/sys/devices/system/cpu/online"] = true, "0-1"
		}, now: "inherited from plinth", state: ToChange, needs: knob.OpenHeld},
		{values: "cpus=0-3", change: func(m *fakeMachine, _ *fakeServer, r *Request) {
			r.Held, m.files["/sys/devices/system/cpu/online"] = true, "0-1"
		}, now: "inherited from plinth", state: Cannot, needs: knob.OpenHeld, words: "has cpus 0-1"},
		{values: "bgwriter_delay=10ms", now: "200ms", state: ToChange},
		{values: "bgwriter_delay=0.2s", now: "200ms", state: InForce},
		{values: "shared_buffers=1GB", now: "128MB", state: Later, needs: knob.Restart},
		{values: "shared_buffers=0.125GB", now: "128MB", state: InForce, needs: knob.Restart},
		{values: "work_mem=8MB", change: func(_ *fakeMachine, s *fakeServer, _ *Request) { s.refused["work_mem"] = "a managed server keeps it" }, now: "4MB", state: Cannot, words: "managed"},
		{values: "max_wal_size=8GB", state: NotApplicable, words: "no such setting"},
		{values: "work_mem=8MB", change: func(_ *fakeMachine, _ *fakeServer, r *Request) { r.Server = nil }, state: Cannot, words: "--server"},
		{values: "primary_conninfo=password=geheim", state: Cannot, words: "secret"},
		{values: "vcpupin=0=8,1=9", now: "", state: Later, needs: knob.Reboot},
		{values: "numatune=strict 0", now: "strict 0", state: InForce, needs: knob.Reboot},
		{values: "vcpupin@vm2=0=8", state: NotApplicable, words: "vm1"},
		{values: "vcpupin=0=8", change: func(_ *fakeMachine, _ *fakeServer, r *Request) { r.Domain = nil }, state: NotApplicable, words: "--domain"},
	} {
		w := newWorld(t)
		w.server, w.domain = newServer(), &fakeDomain{xml: "numatune strict 0\n"}
		w.machine.mounts = []host.Filesystem{{MountPoint: "/mnt/data", Type: "ext4", Options: "rw,relatime", ID: "7:7"}}
		r := w.request(valuesOf(tc.values)...)
		if tc.change != nil {
			tc.change(w.machine, w.server, &r)
		}
		p, err := Make(t.Context(), r)
		if err != nil {
			t.Errorf("%s: %v", tc.values, err)
			continue
		}
		c := p.Changes[0]
		if c.Now != tc.now || c.State != tc.state || c.State != NotApplicable && tc.needs != "" && c.Needs != tc.needs || !strings.Contains(c.Problem+"; "+c.Hint, tc.words) {
			t.Errorf("%s: now %q, %s, needs %q, %s; %s", tc.values, c.Now, c.State, c.Needs, c.Problem, c.Hint)
		}
		if (c.State == Cannot || c.State == NotApplicable) != (c.Problem != "") {
			t.Errorf("%s: %s: %q", tc.values, c.State, c.Problem)
		}
		if strings.Contains(c.Now+c.Problem, "geheim") {
			t.Errorf("%s: %+v", tc.values, c)
		}
	}
}

// A request that is invalid on any machine is an error, before the machine is read.
func TestRequestsThatMakeNoSense(t *testing.T) {
	t.Parallel()
	for values, words := range map[string]string{
		"vm.swapiness=10":                                "vm.swappiness",
		"vm.swappiness=much":                             "vm.swappiness",
		"vm.dirty_ratio=200":                             "vm.dirty_ratio",
		"read_ahead_kb=64":                               "read_ahead_kb",
		"vm.swappiness@data=10":                          "vm.swappiness",
		"read_ahead_kb@data=64, read_ahead_kb@wal=128":   "both are",
		"read_ahead_kb@data=64, read_ahead_kb@loop7=128": "both are",
	} {
		r := newWorld(t).request(valuesOf(values)...)
		r.Targets.Devices["wal"] = "loop7"
		_, err := Make(t.Context(), r)
		if err == nil || !strings.Contains(err.Error()+"; "+hint.Of(err), words) {
			t.Errorf("%s: %v; %s", values, err, hint.Of(err))
		}
	}
}

// Conflicting values are noted, and those that cannot be intended are refused.
func TestConflicts(t *testing.T) {
	t.Parallel()
	few := func(m *fakeMachine, _ *Request) {
		m.files[meminfoFile] = "MemTotal: 4000000 kB\nMemAvailable: 300000 kB\nHugepagesize: 2048 kB\nHugePages_Free: 20\nHugePages_Total: 20\n"
		m.files["/sys/devices/system/node/node1/meminfo"] = "Node 1 MemTotal: 2000000 kB\nNode 1 MemFree: 100000 kB\n"
	}
	committed := func(m *fakeMachine, _ *Request) {
		m.files["/proc/sys/vm/overcommit_memory"], m.files["/proc/sys/vm/overcommit_ratio"] = "0\n", "50\n"
		m.files[meminfoFile] = "MemTotal: 1048576 kB\nCommitted_AS: 838860 kB\nHugepagesize: 2048 kB\nHugePages_Total: 0\nMemAvailable: 500000 kB\n"
	}
	standby := func(_ *fakeMachine, r *Request) { r.Standby = true }
	allowed := func(_ *fakeMachine, r *Request) { r.Unsafe = true }
	redis := func(_ *fakeMachine, r *Request) { r.Engine = "redis" }
	for _, tc := range []struct {
		values string
		change func(*fakeMachine, *Request)
		rules  string // of the notes
		cannot int
		words  string
	}{
		{values: "vm.swappiness=10"},
		{values: "vm.dirty_bytes=1048576, vm.dirty_ratio=5", rules: "exclusive exclusive", cannot: 2, words: "cannot be set together"},
		{values: "vm.dirty_bytes=1048576, vm.dirty_ratio=0"},
		{values: "vm.nr_hugepages=100", change: few},
		{values: "vm.nr_hugepages=200", change: few, rules: "huge-pages-memory", cannot: 1, words: "293MiB are available"},
		{values: "nr_hugepages@node1=60", change: few, rules: "huge-pages-memory", cannot: 1, words: "free on this node"},
		{values: "shared_buffers=8GB", change: few, rules: "server-memory", cannot: 1, words: "this machine"},
		{values: "huge_pages=on", change: few, rules: "huge-pages-few", words: "needs 70 huge pages (shared_memory_size_in_huge_pages), but 20 are free"},
		{values: "huge_pages=on, vm.nr_hugepages=80", change: few},
		{values: "huge_pages=on, shared_buffers=256MB, vm.nr_hugepages=80", change: few, rules: "huge-pages-few", words: "needs 148 huge pages"},
		{values: "huge_pages=try", change: few},
		{values: "vm.overcommit_memory=2, vm.overcommit_ratio=90", change: committed},
		{values: "vm.overcommit_memory=2, vm.overcommit_ratio=90, vm.nr_hugepages=100", change: committed, rules: "overcommit-committed", cannot: 1, words: "processes have allocated 819.2MiB"},
		{values: "max_connections=50", change: standby, rules: "standby-limits", cannot: 1, words: "does not start"},
		{values: "max_connections=200", change: standby},
		{values: "max_connections=50"},
		{values: "fsync=off", rules: "durability", cannot: 1, words: "unsafe: true"},
		{values: "fsync=off", change: allowed, rules: "durability", words: "as allowed"},
		{values: "fsync=on"},
		{values: "appendonly=no", change: redis, rules: "persistence", words: "keeps less than the current yes"},
		{values: "appendfsync=no", change: redis, rules: "persistence"},
		{values: "appendfsync=always", change: redis},
	} {
		w := newWorld(t)
		w.server = newServer()
		r := w.request(valuesOf(tc.values)...)
		if tc.change != nil {
			tc.change(w.machine, &r)
		}
		if r.Engine == "redis" {
			w.server.values = map[string]string{"appendonly": "yes", "appendfsync": "everysec"}
		}
		p, err := Make(t.Context(), r)
		if err != nil {
			t.Errorf("%s: %v", tc.values, err)
			continue
		}
		var rules, text []string
		for _, n := range p.Conflicts {
			rules, text = append(rules, n.Rule), append(text, n.Text, n.Hint)
		}
		cannot := 0
		for _, c := range p.Changes {
			if c.State == Cannot {
				cannot++
				text = append(text, c.Problem, c.Hint)
			}
		}
		if strings.Join(slices.Compact(rules), " ") != strings.Join(slices.Compact(strings.Fields(tc.rules)), " ") || cannot != tc.cannot || !strings.Contains(strings.Join(text, "; "), tc.words) {
			t.Errorf("%s: %v, %d cannot be set: %s", tc.values, rules, cannot, strings.Join(text, "; "))
		}
		if cannot > 0 {
			if err := p.applicable(); err == nil {
				t.Errorf("%s: it could be applied", tc.values)
			}
		}
	}
}

// The lowest layer comes first, and a knob that changes others before those.
func TestOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server = newServer()
	p, err := Make(t.Context(), w.request(valuesOf("work_mem=8MB, nr_requests@data=8, scheduler@data=kyber, scaling_governor=performance, vm.swappiness=1, vcpupin=0=1")...))
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, c := range p.Changes {
		order = append(order, c.Key.String())
	}
	if got := strings.Join(order, " "); got != "vcpupin vm.swappiness scaling_governor scheduler@data nr_requests@data work_mem" {
		t.Error(got)
	}
	if strings.Join(p.Profiles, " ") != "test" {
		t.Errorf("made from %v", p.Profiles)
	}
}

// A value keeps the facts of its profile; one without a source gets the knob's own.
func TestWhatAPlanCarries(t *testing.T) {
	t.Parallel()
	v := profile.Value{Key: knob.ParseKey("vm.swappiness"), Value: "1", Group: "swap", Reason: "because", Profile: "p",
		Source: knob.Source{Author: "A", Title: "T"}}
	bare := profile.Value{Key: knob.ParseKey("vm.dirty_ratio"), Value: "10", NotApplicable: "no disk"}
	p, err := Make(t.Context(), newWorld(t).request(v, bare))
	if err != nil {
		t.Fatal(err)
	}
	c, n := p.Changes[0], p.Changes[1]
	if c.Group != "swap" || c.Reason != "because" || c.From != "p" || c.Source.Author != "A" || c.Risk == "" || !c.HostWide() {
		t.Errorf("%+v", c)
	}
	if n.State != NotApplicable || n.Problem != "no disk" || n.Source.URL == "" {
		t.Errorf("%+v", n)
	}
}

func TestFactsOf(t *testing.T) {
	t.Parallel()
	i := host.Inventory{CPU: host.CPUInventory{Online: 16, Governors: []host.Shared{{Value: "powersave", CPUs: 16}}},
		Memory: host.MemoryOf{Total: 64 << 30, HugePageSize: 2 << 20},
		Nodes:  []host.NUMANode{{Node: 1, CPUs: "8-15", Memory: 32 << 30, Free: 1 << 30}}}
	f := FactsOf(i)
	if f.Memory != 64<<30 || f.CPUs != 16 || f.Governor != "powersave" || len(f.Nodes) != 1 || f.Nodes[0].ID != 1 || f.HugePage != 2<<20 {
		t.Errorf("%+v", f)
	}
	i.Cgroup = host.CgroupLimits{Memory: 8 << 30, CPUSet: "0-3", CPUs: 2}
	if f = FactsOf(i); f.Memory != 8<<30 || f.CPUs != 2 {
		t.Errorf("within a group: %+v", f)
	}
}

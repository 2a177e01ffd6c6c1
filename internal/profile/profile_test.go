package profile

import (
	"flag"
	"maps"
	"slices"
	"strings"
	"testing"

	"plinth/internal/hint"
	"plinth/internal/knob"
	"plinth/internal/unit"
)

var update = flag.Bool("update", false, "write docs/profiles.md")

// machine returns the facts of a machine of 16 GiB with two nodes, a server and probed disks.
func machine() Facts {
	return Facts{
		Memory: int64(16 * unit.GiB), CPUs: 8, HugePage: int64(2 * unit.MiB), Governor: "powersave",
		Nodes: []Node{
			{ID: 0, CPUs: "0-3", Memory: int64(8 * unit.GiB), Free: int64(6 * unit.GiB)},
			{ID: 1, CPUs: "4-7", Memory: int64(8 * unit.GiB), Free: int64(2 * unit.GiB)},
		},
		Engine: "postgres", Version: 17, Connections: 100, HugePagesNeeded: 2150,
		Disk: Disk{Probed: true, RandomRead: 0.6e-3, SequentialRead: 16e-6, Sync: 1.85e-3, BestDepth: 32, RandomReadsMost: 19000},
	}
}

func TestBuiltinsAreSound(t *testing.T) {
	if _, err := builtin(); err != nil {
		t.Fatal(err)
	}
	want := "aws-matched cnpg content-platform ebs-baseline ebs-final ebs-kernel ebs-server huge-pages numa-pinned oltp pgtune pod-guaranteed pod-hugepages pod-pinned read-ceiling redis"
	if got := strings.Join(Names(), " "); got != want {
		t.Errorf("got %s", got)
	}
	for _, p := range All() {
		if p.About == "" || p.Source.Title == "" || p.Unsafe || len(p.Settings) == 0 {
			t.Errorf("%s: not whole, or unsafe", p.Name)
		}
		for _, s := range p.Settings {
			k, err := knob.Resolve("", s.Key)
			if err != nil || k.Doc == "" || s.Reason == "" || s.Group == "" || s.When != "" && s.Unless == "" {
				t.Errorf("%s: %s: %v, %+v", p.Name, s.Key, err, s)
			}
			// A name in without: must be unambiguous.
			_, isKnob := knob.Find(s.Group)
			_, isParameter := knob.Parameter("postgres", s.Group)
			if isKnob || isParameter || slices.Contains(knob.Layers(), knob.Layer(s.Group)) {
				t.Errorf("%s: the group %s is also a knob or a layer", p.Name, s.Group)
			}
		}
	}
}

// published holds the values of the published profiles, as in their sources.
var published = map[string]string{
	"aws-matched": "shared_buffers 1900MB, effective_cache_size 3800MB, work_mem 4MB, maintenance_work_mem 128MB, max_connections 839, wal_buffers 60MB",
	"numa-pinned": "vcpupin 0=8;1=9;2=10;3=11;4=12;5=13;6=28;7=29, numatune strict 1, hugepages on, locked on, cpu_mode host-passthrough, memballoon none, " +
		"scaling_governor performance, cpus 4-7, mems 1",
	"huge-pages": "vm.nr_hugepages 8192, huge_pages on, shared_buffers 6GB, work_mem 4MB, maintenance_work_mem 512MB, max_connections 200, " +
		"wal_buffers 64MB, checkpoint_completion_target 0.9, random_page_cost 1.1, effective_io_concurrency 200",
	"pod-guaranteed": "pod.qos Guaranteed",
	"pod-hugepages":  "pod.hugepages on, huge_pages on",
	"pod-pinned":     "pod.qos Guaranteed, pod.cpus exclusive",
	"read-ceiling":   "shared_buffers 6GB, maintenance_work_mem 512MB, random_page_cost 1.1, effective_io_concurrency 200",
	"ebs-baseline": "vm.swappiness 60, vm.dirty_background_ratio 10, vm.dirty_ratio 20, vm.dirty_expire_centisecs 3000, vm.dirty_writeback_centisecs 500, " +
		"shared_buffers 4GB, bgwriter_delay 200ms, bgwriter_lru_maxpages 100, bgwriter_lru_multiplier 2.0, wal_writer_delay 200ms, checkpoint_timeout 5min, max_wal_size 1GB",
	"ebs-kernel": "vm.swappiness 1, vm.dirty_background_ratio 1, vm.dirty_ratio 4, vm.dirty_expire_centisecs 200, vm.dirty_writeback_centisecs 100, " +
		"shared_buffers 4GB, bgwriter_delay 200ms, bgwriter_lru_maxpages 100, bgwriter_lru_multiplier 2.0, wal_writer_delay 200ms, checkpoint_timeout 5min, max_wal_size 1GB",
	"ebs-server": "vm.swappiness 1, vm.dirty_background_ratio 1, vm.dirty_ratio 4, vm.dirty_expire_centisecs 200, vm.dirty_writeback_centisecs 100, " +
		"shared_buffers 4GB, bgwriter_delay 10ms, bgwriter_lru_maxpages 1000, bgwriter_lru_multiplier 10.0, wal_writer_delay 10ms, checkpoint_timeout 30min, max_wal_size 48GB, " +
		"commit_delay 50, commit_siblings 10, min_wal_size 4GB, autovacuum_vacuum_cost_limit 10000",
	"ebs-final": "vm.swappiness 1, vm.dirty_background_ratio 1, vm.dirty_ratio 4, vm.dirty_expire_centisecs 200, vm.dirty_writeback_centisecs 100, " +
		"shared_buffers 4GB, bgwriter_delay 10ms, bgwriter_lru_maxpages 1000, bgwriter_lru_multiplier 10.0, wal_writer_delay 10ms, checkpoint_timeout 30min, max_wal_size 48GB, " +
		"commit_delay 50, commit_siblings 10, min_wal_size 4GB, autovacuum_vacuum_cost_limit 10000, " +
		"vm.overcommit_memory 2, vm.overcommit_ratio 80, vm.min_free_kbytes 102400, net.core.somaxconn 4096, net.core.rmem_max 16777216, net.core.wmem_max 16777216, " +
		"net.ipv4.tcp_tw_reuse 1, net.ipv4.tcp_fin_timeout 15, kernel.sched_autogroup_enabled 0, kernel.numa_balancing 0, " +
		"read_ahead_kb@data 64, read_ahead_kb@wal 4096, options@data noatime;nodiratime;allocsize=64m, options@wal noatime;nodiratime, " +
		"effective_cache_size 11GB, work_mem 32MB, maintenance_work_mem 1GB, wal_compression lz4, wal_buffers 64MB, checkpoint_completion_target 0.9, " +
		"random_page_cost 1.1, effective_io_concurrency 200",
	"content-platform": "options@data noatime;discard, options@wal noatime;discard, options@temp noatime;discard, effective_io_concurrency 200, random_page_cost 1.1, temp_file_limit 10GB",
}

// TestPublishedValues: each published value reaches a plan as its source has it.
func TestPublishedValues(t *testing.T) {
	for name, want := range published {
		p, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		w, err := Work("", []*Profile{p}, nil, machine())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		expected := map[string]string{}
		for _, part := range strings.Split(want, ", ") {
			key, value, _ := strings.Cut(part, " ")
			expected[key] = strings.ReplaceAll(value, ";", ",")
		}
		for _, v := range w.Values {
			k, err := knob.Resolve("", v.Key)
			if err != nil || v.NotApplicable != "" || !k.Same(v.Value, expected[v.Key.String()]) || v.Layer == knob.Server && v.Value != expected[v.Key.String()] {
				t.Errorf("%s: %s is %q (%s), want %q, %v", name, v.Key, v.Value, v.NotApplicable, expected[v.Key.String()], err)
			}
			delete(expected, v.Key.String())
		}
		if len(expected) > 0 {
			t.Errorf("%s: not set: %v", name, slices.Collect(maps.Keys(expected)))
		}
	}
}

// TestComputed checks plinth's own profiles and pgtune's formulas for one machine, computed by hand.
func TestComputed(t *testing.T) {
	for name, want := range map[string]string{
		"oltp": "vm.nr_hugepages=2150 shared_buffers=6553MB effective_cache_size=12GB " +
			"work_mem=13MB maintenance_work_mem=1GB max_wal_size=16GB min_wal_size=2GB random_page_cost=3.75 " +
			"effective_io_concurrency=32 bgwriter_lru_maxpages=500 wal_compression=lz4 scaling_governor=performance",
		"pgtune": "max_connections=100 shared_buffers=4GB effective_cache_size=12GB maintenance_work_mem=1GB work_mem=37MB huge_pages=try wal_buffers=16MB " +
			"max_parallel_workers_per_gather=4 max_worker_processes=8 random_page_cost=1.1 effective_io_concurrency=200",
		"redis": "vm.dirty_background_bytes=268435456 io-threads=6",
	} {
		got := worked(t, "", name, machine())
		for _, pair := range strings.Fields(want) {
			key, value, _ := strings.Cut(pair, "=")
			if got[key].Value != value {
				t.Errorf("%s: %s is %q (%s), want %s", name, key, got[key].Value, got[key].NotApplicable, value)
			}
		}
	}
}

// TestSharedBuffers checks the sizes that oltp gives to shared_buffers: they grow with memory, from its floor to its limit, and
// leave room for connections.
func TestSharedBuffers(t *testing.T) {
	for _, c := range []struct {
		mib         int64
		connections int
		want        string
	}{
		{256, 100, "128MB"}, {512, 100, "128MB"}, {768, 100, "192MB"}, {1024, 100, "396MB"}, {1152, 100, "460MB"}, {2048, 100, "819MB"},
		{65536, 100, "26214MB"}, {524288, 100, "64GB"}, {1024, 0, "396MB"},
		{512, 18, "204MB"}, {768, 26, "307MB"}, {16384, 2000, "6256MB"}, {16384, 5000, "4GB"},
	} {
		facts := machine()
		facts.Memory, facts.Connections = c.mib<<20, c.connections
		if got := worked(t, "", "oltp", facts)["shared_buffers"].Value; got != c.want {
			t.Errorf("%d MiB of memory, %d connections: %s, want %s", c.mib, c.connections, got, c.want)
		}
	}
}

// TestSafe checks what oltp does not do to a machine: settings of the whole machine for a server that has a part of it, more
// WAL than its filesystem holds, and lz4 for a server that may not have it.
func TestSafe(t *testing.T) {
	facts := machine()
	if got := worked(t, "", "oltp", facts)["vm.overcommit_memory"]; got.Value != "2" || got.NotApplicable != "" {
		t.Errorf("a whole machine: vm.overcommit_memory is %+v", got)
	}
	facts.Limited, facts.WAL.Size, facts.Version = true, int64(20*unit.GiB), 0
	got := worked(t, "", "oltp", facts)
	for _, key := range []string{"vm.overcommit_memory", "vm.overcommit_ratio", "wal_compression"} {
		if got[key].NotApplicable == "" {
			t.Errorf("%s is %s", key, got[key].Value)
		}
	}
	for key, want := range map[string]string{"max_wal_size": "5GB", "min_wal_size": "1280MB"} {
		if got[key].Value != want {
			t.Errorf("%s is %s, want %s: the filesystem has 20 GiB", key, got[key].Value, want)
		}
	}
}

// TestLargeSegments: a server does not start with less WAL than two segments.
func TestLargeSegments(t *testing.T) {
	facts := machine()
	facts.Memory, facts.WALSegment = int64(4*unit.GiB), int64(unit.GiB)
	got := worked(t, "", "oltp", facts)
	if got["min_wal_size"].Value != "2GB" || got["max_wal_size"].Value != "4GB" {
		t.Errorf("min_wal_size %s, max_wal_size %s", got["min_wal_size"].Value, got["max_wal_size"].Value)
	}
}

// TestReadAhead checks that oltp lowers a large read-ahead, and leaves others and unknown ones.
func TestReadAhead(t *testing.T) {
	for ahead, changes := range map[int64]bool{0: false, int64(128 * unit.KiB): false, int64(unit.MiB): false, int64(8 * unit.MiB): true} {
		facts := machine()
		facts.Disk.ReadAhead = ahead
		got := worked(t, "", "oltp", facts)["read_ahead_kb@data"]
		if changes && got.Value != "128" || changes != (got.NotApplicable == "") {
			t.Errorf("of %d bytes: %+v", ahead, got)
		}
	}
}

// TestReasonsNameTheNumbers checks that reasons contain the numbers that a value was computed from.
func TestReasonsNameTheNumbers(t *testing.T) {
	got := worked(t, "postgres", "oltp", machine())
	for key, want := range map[string]string{
		"shared_buffers": "(memory 16GiB, connections 100)", "effective_io_concurrency": "(disk.best_depth 32)", "vm.nr_hugepages": "(huge_pages_needed 2150)",
		"random_page_cost": "(disk.random_read 600 µs, disk.sequential_read 16 µs)", "work_mem": "(memory 16GiB, connections 100)",
	} {
		if !strings.HasSuffix(got[key].Reason, want) {
			t.Errorf("%s: %s, want %s", key, got[key].Reason, want)
		}
	}
}

// TestUnknownFacts checks that a value that needs an unknown fact says how to obtain it, and that all others are computed.
func TestUnknownFacts(t *testing.T) {
	f := Facts{Memory: int64(8 * unit.GiB), CPUs: 2, Nodes: []Node{{ID: 0, CPUs: "0-1"}}}
	got := worked(t, "", "oltp", f)
	for key, want := range map[string]string{
		"random_page_cost": notProbed, "effective_io_concurrency": "",
		"vm.nr_hugepages": missingFacts["huge_pages_needed"], "kernel.numa_balancing": "one NUMA node",
		"scaling_governor": "this machine has no frequency governor, as is usual for a virtual machine",
		"vm.swappiness":    "", "shared_buffers": "", "max_wal_size": "", "work_mem": "",
	} {
		if got[key].NotApplicable != want {
			t.Errorf("%s: %q, want %q", key, got[key].NotApplicable, want)
		}
		if want != "" && got[key].Value != "" && strings.Contains(want, "probe") {
			t.Errorf("%s has the value %q", key, got[key].Value)
		}
	}
	if got := got["effective_io_concurrency"].Value; got != "16" {
		t.Errorf("effective_io_concurrency is %s, want 16", got)
	}
	if got := worked(t, "", "oltp", Facts{})["shared_buffers"]; got.NotApplicable != missingFacts["memory"] {
		t.Errorf("without facts: %+v", got)
	}
}

// TestComputedFitsEveryMachine checks that plinth's own profiles fail on no machine.
func TestComputedFitsEveryMachine(t *testing.T) {
	for _, memory := range []unit.Size{64 * unit.MiB, 512 * unit.MiB, unit.GiB, 7*unit.GiB + 12345, 512 * unit.GiB, 24 * unit.TiB} {
		for _, cpus := range []int{1, 2, 4, 512} {
			for _, fast := range []float64{1e-6, 1, 1000} {
				f := machine()
				f.Memory, f.CPUs = int64(memory), cpus
				f.Disk.Sync, f.Disk.RandomRead, f.Disk.SequentialRead = f.Disk.Sync*fast, f.Disk.RandomRead*fast, f.Disk.SequentialRead*fast
				for _, name := range []string{"oltp", "pgtune", "redis"} {
					worked(t, "", name, f)
				}
			}
		}
	}
}

// TestOtherEngine checks that parameters of another server are not applicable, and that the machine's knobs are.
func TestOtherEngine(t *testing.T) {
	got := worked(t, "redis", "oltp", machine())
	if v := got["shared_buffers"]; v.NotApplicable != "a parameter of another server; this one is Redis" {
		t.Errorf("%+v", v)
	}
	if v := got["vm.swappiness"]; v.NotApplicable != "" || v.Value != "1" {
		t.Errorf("%+v", v)
	}
}

func TestFindNamesTheNearest(t *testing.T) {
	if _, err := Find("ebs-kernal"); err == nil || err.Error() != `unknown profile "ebs-kernal"` || hint.Of(err) != "did you mean ebs-kernel?" {
		t.Errorf("%v (%s)", err, hint.Of(err))
	}
}

// worked returns the values of a built-in profile by key.
func worked(t *testing.T, engine, name string, f Facts) map[string]Value {
	t.Helper()
	p, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	w, err := Work(engine, []*Profile{p}, nil, f)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]Value{}
	for _, v := range w.Values {
		values[v.Key.String()] = v
	}
	return values
}

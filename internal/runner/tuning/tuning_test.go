package tuning

import (
	"strings"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/experiment/builtin"
	"plinth/internal/experiment/decode"
	"plinth/internal/experiment/encode"
	"plinth/internal/host"
	"plinth/internal/record"
)

// tunedIn loads an experiment and resolves the tuning of its environments for a machine with
// one memory node and no frequency scaling.
func tunedIn(t *testing.T, text string) (*experiment.Experiment, map[string]*tuned, map[string]experiment.Environment) {
	t.Helper()
	e, _, err := decode.Parse("tuning.yaml", []byte(text), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	machine := host.Inventory{
		Facts:  host.Facts{CPUs: 4, Memory: 16 << 30},
		Memory: host.MemoryOf{Total: 16 << 30, Available: 15 << 30, HugePageSize: 2 << 20},
		Nodes:  []host.NUMANode{{CPUs: "0-3", Memory: 16 << 30, Free: 15 << 30}},
	}
	all, worked := map[string]*tuned{}, map[string]experiment.Environment{}
	for _, environment := range e.Environments {
		if all[environment.Name], err = tuningOf(t.Context(), e, &environment, machine); err != nil {
			t.Fatal(err)
		}
		worked[environment.Name] = environment
	}
	return e, all, worked
}

// TestTuningGoesWhereItBelongs checks that values reach the server's settings, a volume that
// plinth creates, the server's placement, or the host.
func TestTuningGoesWhereItBelongs(t *testing.T) {
	t.Parallel()
	_, all, worked := tunedIn(t, `
workloads: [tpcb-like]
allow_host: true
settings: {work_mem: 8MB}
environments:
  one:
    storage: {data: {file: /var/tmp/disk, size: 8GiB, filesystem: xfs}, wal: /mnt/wal}
    settings: {commit_delay: 10}
    tuning:
      - {vm.swappiness: 1, work_mem: = memory / 512, commit_delay: 50, cpus: 0-1}
      - {read_ahead_kb@data: 64, scheduler@data: none, nr_requests@data: 64, options@data: "noatime,allocsize=64m"}
      - {read_ahead_kb@wal: 4096, scaling_governor: performance, vcpupin: 0=1}
      - huge-pages
    without: [huge pages]
  none:
    storage: {data: {file: /var/tmp/other, size: 8GiB}}
    tuning: [{read_ahead_kb@data: 0}]
  own:
    storage: {data: {file: /var/tmp/third, size: 8GiB, read_ahead: 16KiB}}
    tuning: [{read_ahead_kb@data: 0}]
`)
	if of := all["none"].disks; len(of) != 1 || of[0].Key.Knob != "read_ahead_kb" || of[0].Value != "0" || worked["none"].Storage.Data.ReadAhead != 0 {
		t.Errorf("without read-ahead: %v, %+v", of, worked["none"].Storage.Data)
	}
	if of := all["own"].disks; len(of) != 0 || worked["own"].Storage.Data.ReadAhead != 16<<10 {
		t.Errorf("the storage's own read-ahead goes before: %v, %+v", of, worked["own"].Storage.Data)
	}
	tuned, e := all["one"], worked["one"]
	if got := e.Settings["work_mem"]; got != "4MB" {
		t.Errorf("work_mem is %q: huge-pages comes last", got)
	}
	if got := e.Settings["commit_delay"]; got != "10" {
		t.Errorf("commit_delay is %q: the environment's own settings go before", got)
	}
	if v := e.Storage.Data; v.ReadAhead != 64<<10 || v.Scheduler != "none" || strings.Join(v.Mount, ",") != "noatime,allocsize=64m" {
		t.Errorf("the data's volume is %+v", v)
	}
	if len(tuned.disks) != 1 || tuned.disks[0].Key.Knob != "nr_requests" {
		t.Errorf("of its disk once it is there: %v", tuned.disks)
	}
	if len(tuned.where.CPUs) != 2 {
		t.Errorf("its place is %+v", tuned.where)
	}
	var host []string
	for _, v := range tuned.host {
		host = append(host, v.Key.String()+"="+v.Value)
	}
	want := "vm.swappiness=1 read_ahead_kb@wal=4096 scaling_governor=performance"
	if strings.Join(host, " ") != want {
		t.Errorf("of the machine: %v, want %s", host, want)
	}
	left := map[string]string{}
	for _, k := range tuned.knobs {
		if k.NotApplicable != "" {
			left[k.Key] = k.NotApplicable
		}
	}
	for key, why := range map[string]string{"commit_delay": "own settings", "vcpupin": "next start"} {
		if !strings.Contains(left[key], why) {
			t.Errorf("%s is left out because %q, want %q", key, left[key], why)
		}
	}
}

// TestSameEnvironmentsAreLeftOut checks that environments without a difference on this machine
// are not measured twice.
func TestSameEnvironmentsAreLeftOut(t *testing.T) {
	t.Parallel()
	e, all, worked := tunedIn(t, `
workloads: [tpcb-like]
compare: [tpcb-like/pinned, tpcb-like/swap]
allow_host: true
environments:
  default: {settings: {work_mem: 8MB}}
steps:
  - {name: pinned, tuning: [numa-pinned]}
  - {name: swap, tuning: [{vm.swappiness: 1}]}
`)
	r := &Tuning{environments: all}
	copied := *e
	copied.Environments = nil
	for _, environment := range e.Environments {
		copied.Environments = append(copied.Environments, worked[environment.Name])
	}
	r.leaveOut(&copied, e)
	if len(r.LeftOut) != 1 || r.LeftOut[0].Environment != "pinned" || !strings.Contains(r.LeftOut[0].Reason, "one NUMA node") {
		t.Errorf("left out: %+v", r.LeftOut)
	}
	for _, x := range []*experiment.Experiment{e, &copied} {
		if len(x.Environments) != 2 || x.Environments[1].Name != "swap" {
			t.Errorf("what is left: %v", x.Environments)
		}
	}
	// The recorded experiment reads back as the one carried out.
	again, _, err := decode.Parse("experiment.yaml", encode.YAML(e), "", nil)
	if err != nil || len(again.Environments) != 2 || len(again.Compare) != 1 {
		t.Errorf("read again: %v, %v", again, err)
	}
	if r.LeftOut[0].Step == 0 {
		t.Errorf("its place among the steps is not known: %+v", r.LeftOut[0])
	}
}

// TestReasonOfALayerIsItsOwn checks that an environment of an ablation that is left out does not have
// the reasons of other layers.
func TestReasonOfALayerIsItsOwn(t *testing.T) {
	t.Parallel()
	e, all, worked := tunedIn(t, `
workloads: [tpcb-like]
allow_host: true
ablate: group
environments:
  tuned: {tuning: [numa-pinned]}
`)
	r := &Tuning{environments: all}
	copied := *e
	copied.Environments = nil
	for _, environment := range e.Environments {
		copied.Environments = append(copied.Environments, worked[environment.Name])
	}
	r.leaveOut(&copied, e)
	reasons := map[string]string{}
	for _, l := range r.LeftOut {
		reasons[l.Environment] = l.Reason
	}
	if len(reasons) < 3 {
		t.Fatalf("left out: %v", reasons)
	}
	for name, reason := range reasons {
		governor, pinning := strings.Contains(reason, "governor"), strings.Contains(reason, "one NUMA node")
		if strings.HasSuffix(name, "governor") && pinning || strings.HasSuffix(name, "pinning") && governor {
			t.Errorf("%s: %s", name, reason)
		}
	}
}

// TestGovernorOfTheSteps checks that numa-hugepages begins with the governor of its source, and changes
// it in the step that is about the governor alone.
func TestGovernorOfTheSteps(t *testing.T) {
	t.Parallel()
	e, _, err := builtin.Load("numa-hugepages", nil)
	if err != nil {
		t.Fatal(err)
	}
	machine := host.Inventory{
		Facts:  host.Facts{CPUs: 4, Memory: 16 << 30},
		CPU:    host.CPUInventory{Governors: []host.Shared{{Value: "schedutil", CPUs: 4}}},
		Memory: host.MemoryOf{Total: 16 << 30, Available: 15 << 30, HugePageSize: 2 << 20},
		Nodes:  []host.NUMANode{{CPUs: "0-1", Memory: 8 << 30, Free: 7 << 30}, {Node: 1, CPUs: "2-3", Memory: 8 << 30, Free: 7 << 30}},
	}
	for _, environment := range e.Environments {
		tuned, err := tuningOf(t.Context(), e, &environment, machine)
		if err != nil {
			t.Fatal(err)
		}
		want := "performance"
		if environment.Name == "matched" || environment.Name == "pinning" {
			want = "powersave"
		}
		var got []string
		for _, v := range tuned.host {
			if v.Key.Knob == "scaling_governor" {
				got = append(got, v.Value)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: governor %v, want %s", environment.Name, got, want)
		}
	}
}

// sysctls is a machine of which only settings can be read.
type sysctls map[string]string

// Read never fails.
func (s sysctls) Read(path string) (string, error) { return s[path], nil }

// TestDirtyByLimit checks that shares of the machine's memory become shares of a server's
// limit.
func TestDirtyByLimit(t *testing.T) {
	t.Parallel()
	m := sysctls{"/proc/sys/vm/dirty_ratio": "20", "/proc/sys/vm/dirty_bytes": "0",
		"/proc/sys/vm/dirty_background_ratio": "10", "/proc/sys/vm/dirty_background_bytes": "0"}
	tu := &tuned{}
	for _, pair := range dirtyPairs {
		if err := tu.dirtyPair(512<<20, pair[0], pair[1], m); err != nil {
			t.Fatal(err)
		}
	}
	got := map[string]string{}
	for _, v := range tu.host {
		got[v.Key.Knob] = v.Value
	}
	if got["vm.dirty_bytes"] != "107374182" || got["vm.dirty_background_bytes"] != "53687091" || len(got) != 2 {
		t.Errorf("of a limit of 512 MiB: %v", got)
	}
	if k := knobOf(tu.host[0], true); !k.Host || k.Reason == "" || k == (record.Knob{}) {
		t.Errorf("it is recorded as %+v", k)
	}
}

// TestScreeningStaysComplete checks that a screening design keeps environments that are the same on this machine: it
// measures the effect of a group by all of them.
func TestScreeningStaysComplete(t *testing.T) {
	t.Parallel()
	e, all, _ := tunedIn(t, `
workloads: [tpcb-like]
allow_host: true
ablate: screen
environments:
  tuned: {tuning: [numa-pinned]}
`)
	many := len(e.Environments)
	worked := *e
	r := &Tuning{environments: all}
	r.leaveOut(&worked, e)
	if many < 4 || len(e.Environments) != many || len(r.LeftOut) > 0 {
		t.Errorf("%d of %d environments, left out: %+v", len(e.Environments), many, r.LeftOut)
	}
}

// TestSharedData checks which environments share their data: those that differ in the settings of their servers and in
// the tuning of the host alone.
func TestSharedData(t *testing.T) {
	t.Parallel()
	e, all, worked := tunedIn(t, `
workloads: [tpcb-like]
dataset: {shared: true}
allow_host: true
environments:
  plain: {}
  server: {label: other, settings: {work_mem: 8MB}}
  host: {tuning: [{vm.swappiness: 1}]}
  placed: {tuning: [{cpus: 0-1}]}
  small: {limits: {memory: 1GiB}}
  small-too: {limits: {memory: 1GiB}, settings: {work_mem: 8MB}}
  disk: {storage: {data: {file: /var/tmp/disk, size: 8GiB}}}
  tuned: {storage: {data: {file: /var/tmp/disk, size: 8GiB}}, tuning: [{nr_requests@data: 64}]}
`)
	copied := *e
	copied.Environments = nil
	for _, environment := range e.Environments {
		copied.Environments = append(copied.Environments, worked[environment.Name])
	}
	r := &Tuning{environments: all, Experiment: &copied}
	r.share()
	want := map[string]string{"server": "plain", "host": "plain", "small-too": "small"}
	for _, environment := range r.Experiment.Environments {
		if environment.DataOf != want[environment.Name] {
			t.Errorf("%s uses the data of %q, want %q", environment.Name, environment.DataOf, want[environment.Name])
		}
	}
	if own := r.Experiment.WithOwnData(); len(own) != 5 {
		t.Errorf("with their own data: %v", own)
	}
	copied.Dataset.Shared = false
	r = &Tuning{environments: all, Experiment: &copied}
	r.share()
	if own := r.Experiment.WithOwnData(); len(own) != 8 {
		t.Errorf("unless they share it: %v", own)
	}
}

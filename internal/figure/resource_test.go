package figure_test

import (
	"math"
	"strings"
	"testing"

	"plinth/internal/device"
	"plinth/internal/figure"
	"plinth/internal/host"
	"plinth/internal/record"
)

func resources(in figure.Input) map[string]record.Resource {
	_, _, all := figure.Of(in)
	named := map[string]record.Resource{}
	for _, r := range all {
		named[r.Name] = r
	}
	return named
}

// TestResources of the eight seconds: four CPUs, no limits.
func TestResources(t *testing.T) {
	in := input(eight())
	_, _, all := figure.Of(in)
	var names []string
	for _, r := range all {
		names = append(names, r.Name)
	}
	want := "sdc busy, sdb busy, cpu, sda busy, memory, sda iops, sda throughput, sdb iops, sdb throughput, sdc iops, sdc throughput"
	if got := strings.Join(names, ", "); got != want {
		t.Errorf("ranked %s\nwant   %s", got, want)
	}
	named := resources(in)
	for _, want := range []record.Resource{
		{Name: "cpu", Unit: "s/s", Mean: 2, Peak: 2, Ceiling: 4, From: "4 CPUs", Use: 0.5},
		{Name: "memory", Unit: "bytes", Mean: 2e9, Peak: 2e9, Ceiling: 8e9, From: "MemTotal", Use: 0.25},
		{Name: "sdc iops", Unit: "1/s", Mean: 150, Peak: 200},
		{Name: "sdc throughput", Unit: "bytes/s", Mean: 1.5e6, Peak: 5e6},
	} {
		if got := named[want.Name]; got != want {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	}
	if busy := named["sdc busy"]; busy.Ceiling != 1 || math.Abs(busy.Use-0.9) > 1e-9 || !strings.Contains(busy.From, "many requests at once is not saturated") {
		t.Errorf("%+v", busy)
	}
}

// TestLimitsAreCeilings: what a cgroup leaves is less than what there is.
func TestLimitsAreCeilings(t *testing.T) {
	in := input(eight().with(table{"cgroup.cpu.usage": {1, 1, 1, 1, 1, 1, 1, 2}, "cgroup.memory.current": each(8, 3e9)}))
	in.Inventory = &host.Inventory{
		Cgroup: host.CgroupLimits{CPUs: 1.5, Memory: 4e9, IOLimits: "8:0 rbps=2000000 wbps=max riops=200 wiops=600; 8:32 wiops=300; 8:0 riops=max wiops=900"},
		Disks:  []host.Disk{{Name: "sda", Number: "8:0"}, {Name: "sdb"}, {Name: "sdc", Number: "8:32"}},
	}
	named := resources(in)
	for _, want := range []record.Resource{
		{Name: "cpu", Unit: "s/s", Mean: 1.125, Peak: 2, Ceiling: 1.5, From: "CPU quota of the cgroup", Use: 0.75},
		{Name: "memory", Unit: "bytes", Mean: 3e9, Peak: 3e9, Ceiling: 4e9, From: "memory limit of the cgroup, page cache included", Use: 0.75},
		{Name: "sda read iops", Unit: "1/s", Mean: 100, Peak: 100, Ceiling: 200, From: "I/O limit of the cgroup", Use: 0.5},
		{Name: "sda write iops", Unit: "1/s", Mean: 300, Peak: 300, Ceiling: 600, From: "I/O limit of the cgroup", Use: 0.5},
		{Name: "sda read throughput", Unit: "bytes/s", Mean: 1e6, Peak: 1e6, Ceiling: 2e6, From: "I/O limit of the cgroup", Use: 0.5},
		{Name: "sdc write iops", Unit: "1/s", Mean: 150, Peak: 200, Ceiling: 300, From: "I/O limit of the cgroup", Use: 0.5},
	} {
		if got := named[want.Name]; got != want {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	}
	for _, name := range []string{"sda write throughput", "sdb read iops", "sdc read iops"} {
		if r, there := named[name]; there {
			t.Errorf("nobody limits it: %+v", r)
		}
	}
}

// TestLimitsOfVersion1 name their file, and what cannot be read is no limit.
func TestLimitsOfVersion1(t *testing.T) {
	for text, want := range map[string]float64{
		"read_iops 8:0 150": 150, "read_iops 8:0 150; read_iops 8:0 120": 120, "read_iops 8:1 150": 0, "riops 8:0 150": 0,
		"read_iops 8:0 many": 0, "8:0 riops=0": 0, "8:0 riops": 0, "8:0 riops=-5": 0, "": 0, ";; 8:0 riops=7 ;": 7, "8:0": 0,
	} {
		in := input(eight())
		in.Inventory = &host.Inventory{Cgroup: host.CgroupLimits{IOLimits: text}, Disks: []host.Disk{{Name: "sda", Number: "8:0"}}}
		if got := resources(in)["sda read iops"].Ceiling; got != want {
			t.Errorf("%q: %g, want %g", text, got, want)
		}
	}
}

// TestResourcesThatAreNotKnown are not there.
func TestResourcesThatAreNotKnown(t *testing.T) {
	in := input(table{"tps": each(8, 1)})
	if _, _, all := figure.Of(in); len(all) > 0 {
		t.Errorf("%+v", all)
	}
	in.Inventory = &host.Inventory{Cgroup: host.CgroupLimits{CPUs: 2, Memory: 1 << 30}}
	if _, _, all := figure.Of(in); len(all) > 0 {
		t.Errorf("%+v", all)
	}
}

// TestModelsAreCeilings: an emulated device does no more than its model says.
func TestModelsAreCeilings(t *testing.T) {
	in := input(eight())
	in.Environment.Volumes = []record.Volume{{Role: "data", Device: "sdc", Emulation: &record.Emulation{Model: device.Device{
		Name: "gp3", IOPS: device.Limit{Rate: 300}, Throughput: device.FlowLimit{Rate: 3e6},
	}}}}
	named := resources(in)
	for _, want := range []record.Resource{
		{Name: "sdc iops", Unit: "1/s", Mean: 150, Peak: 200, Ceiling: 300, From: "model of gp3, without bursts", Use: 0.5},
		{Name: "sdc throughput", Unit: "bytes/s", Mean: 1.5e6, Peak: 5e6, Ceiling: 3e6, From: "model of gp3, without bursts", Use: 0.5},
	} {
		if got := named[want.Name]; got != want {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	}
}

// TestLimitsOfTheServerAreCeilings: what an experiment leaves to its server.
func TestLimitsOfTheServerAreCeilings(t *testing.T) {
	columns := table{"process.server.cpu": {1, 1, 1, 1, 1, 1, 1, 2}, "cgroup.memory.current": each(8, 3e9)}
	in := input(eight().with(columns))
	in.Inventory = &host.Inventory{Cgroup: host.CgroupLimits{CPUs: 8, Memory: 16e9}}
	in.Environment.Limits = &record.Limits{CPUs: "0-1,4", Memory: 4e9}
	for _, want := range []record.Resource{
		{Name: "cpu of the server", Unit: "s/s", Mean: 1.125, Peak: 2, Ceiling: 3, From: "cpus of the environment: 0-1,4", Use: 0.375},
		{Name: "memory of the server", Unit: "bytes", Mean: 3e9, Peak: 3e9, Ceiling: 4e9, From: "memory of the environment, page cache included", Use: 0.75},
	} {
		if got := resources(in)[want.Name]; got != want {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	}
	in.Environment.Limits.CPUQuota = 1.5
	want := record.Resource{Name: "cpu of the server", Unit: "s/s", Mean: 1.125, Peak: 2, Ceiling: 1.5, From: "cpu_quota of the environment", Use: 0.75}
	if got := resources(in)["cpu of the server"]; got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

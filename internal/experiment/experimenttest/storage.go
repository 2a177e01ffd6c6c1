package experimenttest

import (
	"fmt"

	"pgregory.net/rapid"

	"plinth/internal/device"
	"plinth/internal/experiment"
	"plinth/internal/unit"
)

// anyStorage draws volumes of all kinds. The name of the environment makes devices and files unique.
func anyStorage(t *rapid.T, name string) experiment.Storage {
	s := experiment.Storage{Data: anyVolume(t, name+"-data")}
	if rapid.Bool().Draw(t, "wal") {
		s.WAL = anyVolume(t, name+"-wal")
	}
	if rapid.Bool().Draw(t, "temp") {
		s.Temp = anyVolume(t, name+"-temp")
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "tablespaces") {
		space := fmt.Sprintf("space_%d", i)
		s.Tablespaces = append(s.Tablespaces, experiment.Tablespace{Name: space, Volume: anyVolume(t, name+"-"+space)})
	}
	return s
}

func anyVolume(t *rapid.T, name string) experiment.Volume {
	switch oneOf(t, "directory", "disk", "array") {
	case "directory":
		return experiment.Volume{Directory: "/" + anyName(t, "directory")}
	case "disk":
		v := anyMade(t)
		v.Disk = anyDisk(t, name)
		notEmulatedZFS(&v)
		return v
	}
	v := anyMade(t)
	v.RAID = oneOf(t, "0", "1", "10")
	v.Members = anyMembers(t, name)
	notEmulatedZFS(&v)
	if v.RAID != "1" {
		v.Chunk = anyChunk(t)
	}
	v.Erase = rapid.Bool().Draw(t, "erase")
	for i := range v.Members {
		v.Members[i].Erase = v.Members[i].Erase || v.Erase && v.Members[i].Device != ""
	}
	return v
}

// anyMembers draws members of an array: either all the same emulated device, or none emulated.
func anyMembers(t *rapid.T, name string) []experiment.Disk {
	var members []experiment.Disk
	for i := range 2 * rapid.IntRange(2, 3).Draw(t, "members") {
		m := anyDisk(t, fmt.Sprintf("%s-%d", name, i), "device", "file")
		if i == 0 && rapid.Bool().Draw(t, "emulated") {
			m = anyDisk(t, name, "catalog", "model")
			if model := m.Emulate.Model; model != nil && model.Array != nil {
				m.Emulate.Model = model.Array.Of // no arrays of arrays
			}
		}
		if i > 0 && members[0].Emulated() {
			m = members[0]
		}
		members = append(members, m)
	}
	return members
}

func notEmulatedZFS(v *experiment.Volume) {
	for _, d := range v.Disks() {
		if d.Emulated() && v.Filesystem == "zfs" {
			v.Filesystem = ""
		}
	}
	v.Unsafe = v.Unsafe || len(v.UnsafeOptions()) > 0
}

// anyMade draws the filesystem and block device options of a volume.
func anyMade(t *rapid.T) experiment.Volume {
	v := experiment.Volume{Filesystem: oneOf(t, "", "ext4", "xfs", "btrfs", "zfs"), Scheduler: oneOf(t, "", "none", "bfq")}
	if rapid.Bool().Draw(t, "options") {
		v.Mkfs = []string{"-I", "512", "-O", "^has_journal"}
		v.Mount = []string{"noatime", "data=ordered", "commit=5", "0"}
		v.ReadAhead = 64 * unit.KiB
	}
	v.Unsafe = len(v.UnsafeOptions()) > 0 || rapid.Bool().Draw(t, "unsafe")
	return v
}

func anyChunk(t *rapid.T) unit.Size {
	return rapid.SampledFrom([]unit.Size{0, 4 * unit.KiB, 64 * unit.KiB, unit.MiB}).Draw(t, "chunk")
}

func anySize(t *rapid.T) unit.Size {
	return unit.Size(rapid.Int64Range(16<<20, 64<<40).Draw(t, "size"))
}

func anyDisk(t *rapid.T, name string, kinds ...string) experiment.Disk {
	if len(kinds) == 0 {
		kinds = []string{"device", "file", "catalog", "array", "model"}
	}
	switch oneOf(t, kinds...) {
	case "device":
		return experiment.Disk{Device: "/dev/" + name, Erase: rapid.Bool().Draw(t, "erase")}
	case "file":
		return experiment.Disk{File: "/" + name + ".img", Size: anySize(t)}
	case "catalog":
		return experiment.Disk{Emulate: experiment.Emulation{Name: "gp3"}, Changes: anyChanges(t), Size: anySize(t), Backing: oneOf(t, ".", "/fast")}
	case "model":
		return experiment.Disk{Emulate: experiment.Emulation{Name: oneOf(t, "", "mine"), Model: anyModel(t)}, Backing: "."}
	}
	array := experiment.Emulation{RAID: oneOf(t, "0", "1", "10"), Of: "gp3", Members: 2 * rapid.IntRange(2, 32).Draw(t, "members")}
	if array.RAID != "1" {
		array.Chunk = anyChunk(t)
	}
	return experiment.Disk{Emulate: array, Changes: anyChanges(t), Backing: "."}
}

// anyChanges draws changes that are valid for gp3.
func anyChanges(t *rapid.T) experiment.Changes {
	if !rapid.Bool().Draw(t, "changed") {
		return experiment.Changes{}
	}
	return experiment.Changes{
		IOPS:       float64(rapid.IntRange(4000, 16000).Draw(t, "iops")),
		Throughput: unit.Rate(rapid.Int64Range(125<<20, 1000<<20).Draw(t, "throughput")),
		Latency:    unit.Duration(rapid.Int64Range(1000, 1e9).Draw(t, "latency")),
		WriteCache: oneOf(t, "", "no"),
	}
}

func anyModel(t *rapid.T) *device.Device {
	latency := func() device.Latency {
		median := rapid.Int64Range(1000, 1e8).Draw(t, "median")
		return device.Latency{Median: unit.Duration(median), P99: unit.Duration(median * rapid.Int64Range(1, 20).Draw(t, "tail"))}
	}
	d := &device.Device{
		Name: "mine", Read: latency(), Write: latency(), Durability: oneOf(t, "", "loss of: a host"),
		IOPS:       device.Limit{Rate: float64(rapid.IntRange(1, 1e6).Draw(t, "rate"))},
		Throughput: device.FlowLimit{Rate: unit.Rate(rapid.Int64Range(1<<20, 1<<34).Draw(t, "flow"))},
		Disk:       device.Disk{Model: oneOf(t, "", "ssd: 1"), Size: unit.Size(rapid.Int64Range(0, 1<<44).Draw(t, "size"))},
	}
	if rapid.Bool().Draw(t, "array") {
		return &device.Device{Name: "pair", Array: &device.Array{Level: 1, Members: 2, Of: d}}
	}
	return d
}

func anyLimits(t *rapid.T) experiment.Limits {
	l := experiment.Limits{
		CPUs:     rapid.IntRange(0, 64).Draw(t, "cpus"),
		CPUQuota: rapid.SampledFrom([]float64{0, 0.25, 2}).Draw(t, "quota"),
		Memory:   rapid.SampledFrom([]unit.Size{0, 64 * unit.MiB, 8*unit.GiB + 1}).Draw(t, "memory"),
	}
	if l.CPUQuota == 0 && rapid.Bool().Draw(t, "credits") {
		l.CPUCredits = experiment.CPUCredits{Instance: oneOf(t, "t2.micro", "t3.large"), Mode: oneOf(t, "", "standard", "unlimited"),
			Balance: rapid.SampledFrom([]float64{0, 0.5, 30}).Draw(t, "balance")}
	}
	return l
}

func anyPressure(t *rapid.T, s experiment.Storage) experiment.Pressure {
	if !rapid.Bool().Draw(t, "pressure") {
		return experiment.Pressure{}
	}
	p := experiment.Pressure{
		Memory: unit.Share(float64(rapid.IntRange(1, 950).Draw(t, "memory")) / 1000),
		CPU:    rapid.IntRange(0, 64).Draw(t, "cpu"),
	}
	if rapid.Bool().Draw(t, "disk") {
		p.Volume = rapid.SampledFrom(s.Parts()).Draw(t, "volume").Name
		p.Write = unit.Rate(rapid.Int64Range(4096, 1<<32).Draw(t, "write"))
	}
	return p
}

func anyEvents(t *rapid.T) []experiment.Event {
	var events []experiment.Event
	for i := range rapid.IntRange(0, 3).Draw(t, "events") {
		e := experiment.Event{Name: fmt.Sprintf("event-%d", i), At: anyDuration(t, 0) % 700e9}
		if rapid.Bool().Draw(t, "sql") {
			e.SQL = anyScript(t, "sql")
		} else {
			e.Command = []string{"pg_dump", "--file=/dev/null", oneOf(t, "1", "on", "a b", "'")}
		}
		events = append(events, e)
	}
	return events
}

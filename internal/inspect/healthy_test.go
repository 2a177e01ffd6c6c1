package inspect

import (
	"time"

	"plinth/internal/engine/postgres/examine"
	"plinth/internal/host"
)

// healthy returns a machine and a server without findings.
func healthy() *Input {
	return &Input{
		Machine: healthyMachine(), Server: healthyServer(), Local: true, CPUs: "0-7",
		Root: host.Place{Source: "/dev/nvme2n1p1", Filesystem: "ext4"},
		Now:  time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC),
	}
}

func healthyMachine() host.Inventory {
	place := func(role, disk string) host.Place {
		return host.Place{
			Role: role, Path: "/mnt/" + role, Filesystem: "xfs", Options: "rw,noatime", Source: "/dev/" + disk,
			Size: 1 << 40, Free: 1 << 39, Disks: []string{disk},
			Layers: []host.Layer{{Name: disk + "p1", Kind: "partition", On: []string{disk}}, {Name: disk, Kind: "disk", ReadAhead: 128 << 10}},
		}
	}
	disk := func(name string) host.Disk {
		return host.Disk{Name: name, Transport: "nvme", Size: 1 << 40, Scheduler: "none", WriteCache: "write through", ReadAhead: 128 << 10}
	}
	return host.Inventory{
		CPU: host.CPUInventory{
			Online: 8, Cores: 8, Sockets: 1, ThreadsPerCore: 1, Driver: "intel_pstate", MaxMHz: 3500, Turbo: "off",
			Governors: []host.Shared{{Value: "performance", CPUs: 8}},
		},
		Nodes:  []host.NUMANode{{Node: 0, CPUs: "0-7", Distances: []int{10}}},
		Memory: host.MemoryOf{Total: 64 << 30, Available: 40 << 30, HugePageSize: 2 << 20, HugePages: 9000, HugePagesFree: 100, THP: "madvise"},
		Sysctl: []host.Setting{
			{Name: "vm.swappiness", Value: "1"}, {Name: "vm.dirty_background_ratio", Value: "1"}, {Name: "vm.dirty_ratio", Value: "4"},
			{Name: "vm.overcommit_memory", Value: "2"}, {Name: "vm.zone_reclaim_mode", Value: "0"}, {Name: "kernel.numa_balancing", Value: "0"},
		},
		Clock: "tsc", Clocks: []string{"tsc", "hpet"},
		Limits: []host.Setting{{Name: "max open files", Value: "524288 files hard"}},
		Disks:  []host.Disk{disk("nvme0n1"), disk("nvme1n1"), disk("nvme2n1")},
		Places: []host.Place{place("data", "nvme0n1"), place("wal", "nvme1n1")},
		Load:   host.LoadAverage{One: 0.1},
	}
}

func healthyServer() *examine.Facts {
	f := &examine.Facts{
		Version: "17.2", VersionN: 170002, User: "boss", Database: "shop",
		Databases:   []examine.DatabaseSize{{Name: "shop", Size: 1 << 30, FrozenAge: 100e6}},
		Connections: examine.Connections{Used: 10, Most: 100},
		Checkpoints: examine.Checkpoints{Timed: 100, Requested: 3},
	}
	for name, value := range map[string]string{
		"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on", "data_checksums": "on", "debug_assertions": "off",
		"autovacuum": "on", "track_counts": "on", "track_io_timing": "on", "wal_compression": "lz4",
		"huge_pages": "on", "huge_pages_status": "on", "synchronous_standby_names": "",
		"random_page_cost": "1.1", "effective_io_concurrency": "200", "checkpoint_completion_target": "0.9",
		"log_statement": "ddl", "log_min_duration_statement": "-1",
	} {
		f.Settings = append(f.Settings, examine.Setting{Name: name, Value: value})
	}
	f.Settings = append(f.Settings,
		examine.Setting{Name: "shared_buffers", Value: "16GB", Unit: "8kB", NeedsRestart: true},
		examine.Setting{Name: "max_wal_size", Value: "16GB", Unit: "MB"},
		examine.Setting{Name: "checkpoint_timeout", Value: "15min", Unit: "s"})
	return f
}

// set gives a server setting another value.
func set(name, value string) func(*Input) {
	return func(in *Input) {
		for i := range in.Server.Settings {
			if s := &in.Server.Settings[i]; s.Name == name {
				s.Value = value
				return
			}
		}
		in.Server.Settings = append(in.Server.Settings, examine.Setting{Name: name, Value: value})
	}
}

// without removes a setting, as for a role that may not read it.
func without(name string) func(*Input) {
	return func(in *Input) {
		for i, s := range in.Server.Settings {
			if s.Name == name {
				in.Server.Settings = append(in.Server.Settings[:i:i], in.Server.Settings[i+1:]...)
				return
			}
		}
	}
}

// sysctl gives a sysctl another value.
func sysctl(name, value string) func(*Input) {
	return func(in *Input) {
		for i := range in.Machine.Sysctl {
			if s := &in.Machine.Sysctl[i]; s.Name == name {
				s.Value = value
				return
			}
		}
		in.Machine.Sysctl = append(in.Machine.Sysctl, host.Setting{Name: name, Value: value})
	}
}

func data(change func(*host.Place)) func(*Input) {
	return func(in *Input) { change(&in.Machine.Places[0]) }
}

func onRemote(r host.Remote) func(*Input) {
	return data(func(p *host.Place) { p.Remote = []host.Remote{r} })
}

func disk(change func(*host.Disk)) func(*Input) {
	return func(in *Input) { change(&in.Machine.Disks[0]) }
}

func machine(change func(*host.Inventory)) func(*Input) {
	return func(in *Input) { change(&in.Machine) }
}

func server(change func(*examine.Facts)) func(*Input) {
	return func(in *Input) { change(in.Server) }
}

// twoNodes gives the machine a second NUMA node.
func twoNodes(in *Input) {
	in.Machine.Nodes = []host.NUMANode{
		{Node: 0, CPUs: "0-3", Distances: []int{10, 21}}, {Node: 1, CPUs: "4-7", Distances: []int{21, 10}},
	}
	in.CPUs = "0-3"
}

// both makes two changes.
func both(a, b func(*Input)) func(*Input) {
	return func(in *Input) { a(in); b(in) }
}

package inspect

import (
	"slices"
	"strings"
	"testing"

	"plinth/internal/engine/postgres/examine"
	"plinth/internal/host"
	"plinth/internal/host/watch"
)

// ruleTest is a change that causes a finding of a rule, with its text and no other finding, and a
// similar change that does not.
type ruleTest struct {
	rule  string
	bad   func(*Input)
	text  string
	do    string // a part of the advice
	close func(*Input)
	also  []string // other rules that rightly find something
}

var ruleTests = slices.Concat(machineTests, storageTests, serverTests, stateTests, redisTests)

var machineTests = []ruleTest{
	{"clock-source", machine(func(m *host.Inventory) { m.Clock = "jiffies" }), "the clock source is jiffies", "echo tsc >",
		machine(func(m *host.Inventory) { m.Clock = "kvm-clock" }), nil},
	{"clock-source", machine(func(m *host.Inventory) { m.Clock, m.Clocks = "hpet", []string{"hpet"} }), "the clock source is hpet", "dmesg",
		machine(func(m *host.Inventory) { m.Clock = "" }), nil},
	{"governor", machine(func(m *host.Inventory) { m.CPU.Governors = []host.Shared{{Value: "powersave", CPUs: 8}} }),
		"governor is powersave on 8 of 8 CPUs", "cpupower frequency-set -g performance",
		machine(func(m *host.Inventory) { m.CPU.Governors = nil }), nil},
	{"governor", machine(func(m *host.Inventory) {
		m.CPU.Governors = []host.Shared{{Value: "performance", CPUs: 6}, {Value: "ondemand", CPUs: 2}}
	}), "governor is ondemand on 2 of 8 CPUs", "", func(*Input) {}, nil},
	{"smt", machine(func(m *host.Inventory) { m.CPU.ThreadsPerCore, m.CPU.Cores = 2, 4 }), "8 CPUs are 4 cores with 2 threads each", "taskset",
		machine(func(m *host.Inventory) { m.CPU.ThreadsPerCore, m.CPU.Cores = 0, 0 }), nil},
	{"frequency-unknown", machine(func(m *host.Inventory) { m.Virtualisation, m.CPU.Driver = "kvm", "" }),
		"this is a virtual machine (kvm): the frequency of its CPUs is not visible", "plinth aa",
		machine(func(m *host.Inventory) { m.Virtualisation = "kvm" }), nil},
	{"turbo", machine(func(m *host.Inventory) { m.CPU.Turbo = "on" }), "turbo is on, up to 3.5 GHz", "intel_pstate/no_turbo",
		machine(func(m *host.Inventory) { m.CPU.Turbo = "" }), nil},
	{"turbo", machine(func(m *host.Inventory) { m.CPU.Turbo, m.CPU.Driver = "on", "acpi-cpufreq" }), "turbo is on, up to 3.5 GHz", "cpufreq/boost",
		func(*Input) {}, nil},

	{"zone-reclaim", both(twoNodes, sysctl("vm.zone_reclaim_mode", "1")), "vm.zone_reclaim_mode is 1 on 2 NUMA nodes", "",
		sysctl("vm.zone_reclaim_mode", "1"), nil},
	{"numa-balancing", both(twoNodes, sysctl("kernel.numa_balancing", "1")), "kernel.numa_balancing is 1 on 2 NUMA nodes", "",
		sysctl("kernel.numa_balancing", "1"), nil},
	{"numa-unpinned", both(twoNodes, func(in *Input) { in.CPUs = "0-7" }),
		"the server may run on 2 of 2 NUMA nodes; remote memory is up to 2.1 times as distant as local memory", "numactl", twoNodes, nil},

	{"turbo", machine(func(m *host.Inventory) { m.CPU.Turbo, m.CPU.Driver = "on", "intel_cpufreq" }), "turbo is on, up to 3.5 GHz", "intel_pstate/no_turbo",
		machine(func(m *host.Inventory) { m.CPU.Turbo = "off" }), nil},
	{"swap-in-use", machine(func(m *host.Inventory) { m.Memory.SwapTotal, m.Memory.SwapUsed = 2<<30, 512<<20 }), "swap in use: 512 MiB of 2 GiB", "swapoff",
		machine(func(m *host.Inventory) { m.Memory.SwapTotal, m.Memory.SwapUsed = 2<<30, 1<<20 }), nil},
	{"swap-in-use", machine(func(m *host.Inventory) {
		m.Memory.SwapTotal, m.Memory.SwapUsed, m.Swap = 2<<30, 512<<20, []host.SwapArea{{Path: "/dev/zram0"}, {Path: "/swap"}}
	}), "swap in use: 512 MiB of 2 GiB", "swapoff", machine(func(m *host.Inventory) {
		m.Memory.SwapTotal, m.Memory.SwapUsed, m.Swap = 2<<30, 512<<20, []host.SwapArea{{Path: "/dev/zram0"}}
	}), nil},
	{"swappiness", both(sysctl("vm.swappiness", "60"), machine(func(m *host.Inventory) { m.Memory.SwapTotal = 2 << 30 })),
		"vm.swappiness is 60, with 2 GiB of swap", "", sysctl("vm.swappiness", "60"), nil},
	{"thp-always", machine(func(m *host.Inventory) { m.Memory.THP = "always" }), "transparent huge pages are on for all processes (always)", "",
		machine(func(m *host.Inventory) { m.Memory.THP = "" }), nil},
	{"huge-pages-unused", machine(func(m *host.Inventory) { m.Memory.HugePagesFree = 8000 }),
		"15.6 GiB of 17.6 GiB in huge pages is reserved but not used", "",
		machine(func(m *host.Inventory) { m.Memory.HugePagesFree, m.Memory.HugePagesRsvd = 8000, 7900 }), nil},
	{"overcommit", sysctl("vm.overcommit_memory", "0"), "vm.overcommit_memory is 0: the kernel grants more memory than the machine has", "",
		func(in *Input) { sysctl("vm.overcommit_memory", "0")(in); in.Server = nil }, nil},
	{"flush-storm", both(sysctl("vm.dirty_background_ratio", "10"), sysctl("vm.dirty_ratio", "20")),
		"the kernel starts write-back at 4 GiB of dirty pages (vm.dirty_background_ratio 10) and throttles writers at 8 GiB", "vm.dirty_background_bytes=",
		both(sysctl("vm.dirty_background_ratio", "10"), sysctl("vm.dirty_background_bytes", "268435456")), nil},

	{"cpu-quota", machine(func(m *host.Inventory) { m.Cgroup.CPUs = 1.5 }), "plinth's cgroup is limited to 1.5 of 8 CPUs", "",
		machine(func(m *host.Inventory) { m.Cgroup.CPUs = 8 }), nil},
	{"io-limit", machine(func(m *host.Inventory) { m.Cgroup.IOLimits = "259:0 wbps=1048576\n" }), "plinth's cgroup has an I/O limit: 259:0 wbps=1048576", "",
		machine(func(m *host.Inventory) { m.Cgroup.IOLimits = "\n" }), nil},
	{"memory-limit", machine(func(m *host.Inventory) { m.Cgroup.Memory = 4 << 30 }), "plinth's cgroup is limited to 4 GiB of the machine's 64 GiB of memory", "",
		machine(func(m *host.Inventory) { m.Cgroup.Memory = 64 << 30 }), nil},
	{"memory-limit", machine(func(m *host.Inventory) { m.Cgroup.Memory, m.Cgroup.High = 4<<30, 3<<30 }), "plinth's cgroup is limited to 3 GiB of the machine's 64 GiB of memory", "",
		func(*Input) {}, nil},
	{"nofile", machine(func(m *host.Inventory) { m.Limits[0].Value = "1024 files hard" }), "a process may open at most 1024 files", "",
		machine(func(m *host.Inventory) { m.Limits[0].Value = "unlimited hard" }), nil},
	{"container", machine(func(m *host.Inventory) { m.Container = "docker" }), "this is a container (docker)", "", func(*Input) {}, nil},
	{"other-load", machine(func(m *host.Inventory) {
		m.Load.One, m.Busiest = 6, []watch.BusyProcess{{PID: 7, Command: "cc1plus", CPU: 3.1}, {PID: 8, Command: "idle", CPU: 0.01}}
	}), "the load average is 6.0 on 8 CPUs; busiest processes: cc1plus 3.1", "",
		machine(func(m *host.Inventory) {
			m.Load.One, m.Busiest = 3, []watch.BusyProcess{{PID: 7, Command: "sshd", CPU: 0.2}}
		}), nil},
	{"other-load", machine(func(m *host.Inventory) { m.Busiest = []watch.BusyProcess{{PID: 7, Command: "rsync", CPU: 0.9}} }),
		"the load average is 0.1 on 8 CPUs; busiest processes: rsync 0.9", "", func(*Input) {}, nil},
}

var storageTests = []ruleTest{
	{"rotational", disk(func(d *host.Disk) { d.Rotational, d.Transport = true, "sata" }), "nvme0n1 is rotational", "",
		func(in *Input) { in.Machine.Disks[2].Rotational = true }, nil}, // not below an inspected place
	{"rotational-claim", disk(func(d *host.Disk) { d.Rotational, d.Transport = true, "virtio" }),
		"nvme0n1: the hypervisor reports it as rotational, which may be wrong", "/sys/block/nvme0n1/queue/rotational", func(*Input) {}, nil},
	{"shared-disk", func(in *Input) { in.Machine.Places[1].Disks = []string{"nvme0n1"} }, "wal and data share one disk (nvme0n1)", "initdb --waldir",
		func(in *Input) { in.Machine.Places[1].Role, in.Machine.Places[1].Disks = "temp", []string{"nvme0n1"} }, nil},
	{"shared-disk", func(in *Input) {
		for i := range in.Machine.Places {
			in.Machine.Places[i].Disks = []string{"nvme0n1", "nvme1n1"}
		}
	}, "wal and data share 2 disks (nvme0n1 and nvme1n1)", "", func(*Input) {}, nil},
	{"scheduler", disk(func(d *host.Disk) { d.Scheduler = "mq-deadline" }), "the I/O scheduler of nvme0n1 is mq-deadline", "/sys/block/nvme0n1/queue/scheduler",
		disk(func(d *host.Disk) { d.Scheduler, d.Transport = "mq-deadline", "sata" }), nil},
	{"read-ahead", data(func(p *host.Place) { p.Layers[1].ReadAhead = 4 << 20 }), "read-ahead is 4 MiB for data (nvme0n1)", "blockdev --setra 256 /dev/nvme0n1",
		disk(func(d *host.Disk) { d.ReadAhead = 4 << 20 }), nil}, // of a disk below another layer
	{"write-cache", disk(func(d *host.Disk) { d.WriteCache = "write back" }), "nvme0n1: the write cache can only be flushed as a whole (write back, no FUA)", "",
		disk(func(d *host.Disk) { d.WriteCache, d.FUA = "write back", true }), nil},

	{"array-degraded", data(func(p *host.Place) {
		p.Layers = append([]host.Layer{{Name: "md0", Kind: "md raid10", Missing: 1}}, p.Layers...)
	}), "data is on md0, which is missing 1 disk", "mdadm --detail /dev/md0", data(func(p *host.Place) {
		p.Layers = append([]host.Layer{{Name: "md0", Kind: "md raid10"}}, p.Layers...)
	}), nil},
	{"array-busy", data(func(p *host.Place) {
		p.Layers = append([]host.Layer{{Name: "md0", Kind: "md raid10", Sync: "resync"}}, p.Layers...)
	}), "data is on md0, which is busy (resync)", "", func(*Input) {}, nil},
	{"loop-device", data(func(p *host.Place) {
		p.Layers = append([]host.Layer{{Name: "loop3", Kind: "loop", Detail: "/srv/disk.img"}}, p.Layers...)
	}), "data is in the file /srv/disk.img on another filesystem (loop3)", "", func(*Input) {}, nil},
	{"encryption", data(func(p *host.Place) {
		p.Layers = append([]host.Layer{{Name: "dm-0", Kind: "dm crypt"}}, p.Layers...)
	}), "data is encrypted (dm-0)", "", data(func(p *host.Place) {
		p.Layers = append([]host.Layer{{Name: "dm-0", Kind: "dm lvm"}}, p.Layers...)
	}), nil},

	{"filesystem-full", data(func(p *host.Place) { p.Free = 10 << 30 }), "10 GiB of 1 TiB is free on the filesystem that holds data", "free up space on /mnt/data",
		data(func(p *host.Place) { p.Size, p.Free = 0, 0 }), nil},
	{"nearly-full", data(func(p *host.Place) { p.Free = 100 << 30 }), "100 GiB of 1 TiB is free on the filesystem that holds data", "free up space on /mnt/data",
		data(func(p *host.Place) { p.Free = 200 << 30 }), nil},
	{"in-memory", data(func(p *host.Place) { p.InMemory, p.Filesystem = true, "tmpfs" }), "data is in memory (tmpfs)", "", func(*Input) {}, nil},
	{"network-filesystem", data(func(p *host.Place) { p.Network, p.Filesystem, p.Source = true, "nfs4", "filer:/db" }),
		"data is on a network filesystem (nfs4, filer:/db)", "hard", func(*Input) {}, nil},
	{"network-storage", onRemote(host.Remote{Name: "sda", Protocol: "iscsi", Product: "Longhorn", RoundTrip: 120e3}),
		"data is on network storage (sda: iSCSI, Longhorn, round trip 0.12 ms)", "replicated-storage",
		onRemote(host.Remote{Name: "nfs4", Protocol: "nfs4"}), nil},
	{"network-storage", onRemote(host.Remote{Name: "drbd0", Protocol: "drbd", Detail: "protocol A"}), "data is on network storage (drbd0: DRBD, protocol A)", "",
		func(in *Input) { onRemote(host.Remote{Name: "drbd0", Protocol: "drbd"})(in); in.Local = false }, nil},
	{"cloud-volume", onRemote(host.Remote{Name: "nvme0n1", Protocol: host.Cloud, Product: "Amazon EBS"}), "data is on a cloud volume (nvme0n1: Amazon EBS)", "is: gp3",
		func(*Input) {}, nil},
	{"instance-store", disk(func(d *host.Disk) { d.Service, d.Ephemeral = "EC2 instance store", true }),
		"data is on a disk of the instance itself (nvme0n1: EC2 instance store)", "local-with-standby",
		disk(func(d *host.Disk) { d.Service = "Amazon EBS" }), nil},
	{"burstable", machine(func(m *host.Inventory) { m.Product = "Amazon EC2 t3.large" }),
		"instance type t3.large: at full load its CPU credits last at most 617 minutes; after that, it sustains only 0.6 of 2 vCPUs", "instance: t3.large",
		machine(func(m *host.Inventory) { m.Product = "Amazon EC2 m6i.large" }), nil},
	{"instance-limits", both(machine(func(m *host.Inventory) { m.Product = "Amazon EC2 m6i.large" }), onRemote(host.Remote{Name: "nvme0n1", Protocol: host.Cloud, Product: "Amazon EBS"})),
		"instance type m6i.large sustains 3600 IOPS and 81.25 MB/s across all of its EBS volumes together, and can burst to 40000 IOPS and 1250 MB/s for 30 minutes a day", "plinth instances m6i.large",
		machine(func(m *host.Inventory) { m.Product = "Amazon EC2 m6i.large" }), []string{"cloud-volume"}},
	{"no-storage", data(func(p *host.Place) { p.Filesystem, p.Size, p.Free = "proc", 0, 0 }), "data is on a filesystem that stores nothing (proc)", "", func(*Input) {}, nil},
	{"overlay", data(func(p *host.Place) { p.Filesystem, p.Source = "overlay", "overlay" }), "data is in the writable layer of a container (overlay)", "", func(*Input) {}, nil},
	{"root-filesystem", data(func(p *host.Place) { p.Source, p.Filesystem = "/dev/nvme2n1p1", "ext4" }), "data is on the root filesystem (/dev/nvme2n1p1)", "/mnt/data",
		func(in *Input) { in.Root = host.Place{} }, nil},

	{"no-barriers", data(func(p *host.Place) { p.Options = "rw,noatime,nobarrier" }), "data is mounted without write barriers (xfs)", "remount,barrier",
		data(func(p *host.Place) { p.Options = "rw,noatime,barrier=1" }), nil},
	{"sync-mount", data(func(p *host.Place) { p.Options = "rw,sync,noatime" }), "data is mounted with the option sync (xfs)", "",
		data(func(p *host.Place) { p.Options = "rw,dirsync,noatime" }), nil},
	{"journal-writeback", data(func(p *host.Place) { p.Options, p.Filesystem = "rw,noatime,data=writeback", "ext4" }), "data is mounted with data=writeback (ext4)", "",
		data(func(p *host.Place) { p.Options = "rw,noatime,data=ordered" }), nil},
	{"atime", data(func(p *host.Place) { p.Options = "rw" }), "data is mounted with access times (neither noatime nor relatime)", "remount,noatime",
		data(func(p *host.Place) { p.Options = "rw,relatime" }), nil},
	{"discard", data(func(p *host.Place) { p.Options, p.Path = "rw,noatime,discard", "/mnt/my data" }), "data is mounted with the option discard (xfs)", `'/mnt/my data'`,
		data(func(p *host.Place) { p.Options = "rw,noatime,nodiscard" }), nil},
}

var serverTests = []ruleTest{
	{"fsync-off", set("fsync", "off"), "fsync is off", "ALTER SYSTEM SET fsync = on; SELECT pg_reload_conf()", without("fsync"), nil},
	{"full-page-writes-off", set("full_page_writes", "off"), "full_page_writes is off", "ALTER SYSTEM SET full_page_writes = on",
		both(set("full_page_writes", "off"), data(func(p *host.Place) { p.Filesystem = "zfs" })), nil},
	{"assertions", set("debug_assertions", "on"), "the server was built with assertions (debug_assertions is on)", "", without("debug_assertions"), nil},
	{"synchronous-commit-off", set("synchronous_commit", "off"), "synchronous_commit is off", "", set("synchronous_commit", "local"), nil},
	{"checksums-off", set("data_checksums", "off"), "data checksums are off", "pg_checksums --enable", without("data_checksums"), nil},
	{"shared-buffers", set("shared_buffers", "128MB"), "shared_buffers is 128MB on a machine with 64 GiB of memory",
		"ALTER SYSTEM SET shared_buffers = '16GB', then restart the server", func(in *Input) {
			set("shared_buffers", "128MB")(in)
			in.Local = false
		}, nil},
	{"huge-pages-off", both(set("huge_pages", "try"), set("huge_pages_status", "off")), "shared_buffers is 16GB and not in huge pages (huge_pages = try)", "vm.nr_hugepages=9012",
		both(set("huge_pages_status", "off"), set("shared_buffers", "1GB")), nil},
	{"huge-pages-off", func(in *Input) {
		without("huge_pages_status")(in)
		set("huge_pages", "try")(in)
		set("shared_memory_size_in_huge_pages", "8600")(in)
		in.Machine.Memory.HugePages, in.Machine.Memory.HugePagesFree = 0, 0
	}, "shared_buffers is 16GB and not in huge pages: huge_pages = try, but none are reserved", "vm.nr_hugepages=8600",
		both(without("huge_pages_status"), set("huge_pages", "try")), nil},
	{"pending-restart", server(func(f *examine.Facts) { f.Settings[0].Name, f.Settings[0].PendingRestart = "wal_level", true }),
		"changed, but not in force until a restart: wal_level", "", func(*Input) {}, nil},
	{"max-wal-size", set("max_wal_size", "1GB"), "max_wal_size is 1GB", "'16GB'", set("max_wal_size", "2GB"), nil},
	{"forced-checkpoints", server(func(f *examine.Facts) { f.Checkpoints = examine.Checkpoints{Timed: 30, Requested: 120} }),
		"120 of 150 checkpoints were requested early, by max_wal_size (16GB), backups or CHECKPOINT", "log_checkpoints",
		server(func(f *examine.Facts) { f.Checkpoints = examine.Checkpoints{Timed: 0, Requested: 9} }), nil},
	{"forced-checkpoints", both(set("max_wal_size", "1GB"), server(func(f *examine.Facts) { f.Checkpoints = examine.Checkpoints{Timed: 30, Requested: 120} })),
		"120 of 150 checkpoints were requested early, by max_wal_size (1GB), backups or CHECKPOINT", "= '16GB'", func(*Input) {}, nil},
	{"checkpoint-target", set("checkpoint_completion_target", "0.5"), "checkpoint_completion_target is 0.5", "= 0.9", set("checkpoint_completion_target", "0.9"), nil},
	{"checkpoint-timeout", set("checkpoint_timeout", "5min"), "checkpoint_timeout is 5min", "'15min'", set("checkpoint_timeout", "10min"), nil},
	{"wal-compression", set("wal_compression", "off"), "wal_compression is off", "'lz4'", set("wal_compression", "pglz"), nil},
	{"logs-every-statement", set("log_statement", "all"), "log_statement is \"all\": every statement is logged", "'ddl'", set("log_statement", "mod"), nil},
	{"logs-every-statement", set("log_min_duration_statement", "0"), "log_min_duration_statement is 0: every statement is logged", "'1s'",
		set("log_min_duration_statement", "250ms"), nil},
	{"random-page-cost", set("random_page_cost", "4"), "random_page_cost is 4, and the data is on flash", "= 1.1",
		both(set("random_page_cost", "4"), func(in *Input) { in.Machine.Places = nil }), nil},
	{"effective-io-concurrency", set("effective_io_concurrency", "1"), "effective_io_concurrency is 1, and the data is on flash", "= 200",
		set("effective_io_concurrency", "16"), nil},
	{"io-timing", set("track_io_timing", "off"), "track_io_timing is off", "", without("track_io_timing"), nil},
	{"autovacuum-off", set("autovacuum", "off"), "autovacuum is off", "ALTER SYSTEM SET autovacuum = on", without("autovacuum"), nil},
	{"autovacuum-off", set("track_counts", "off"), "track_counts is off, and autovacuum does nothing without it", "", func(*Input) {}, nil},
	{"synchronous-standby", set("synchronous_standby_names", "ANY 1 (a, b)"), "commits wait for standbys (synchronous_standby_names = ANY 1 (a, b))", "",
		both(set("synchronous_standby_names", "a"), set("synchronous_commit", "local")), nil},
}

var stateTests = []ruleTest{
	{"wraparound", server(func(f *examine.Facts) { f.Databases[0].FrozenAge = 1_200_000_000 }), "the oldest unfrozen transaction ID of database shop is 1200 million transactions old",
		"vacuumdb --freeze shop", server(func(f *examine.Facts) { f.Databases[0].FrozenAge = 400_000_000 }), nil},
	{"not-analyzed", server(func(f *examine.Facts) {
		f.Neglected = []examine.Neglected{{Name: "public.a", NotAnalyzed: true}, {Name: "public.b", NotAnalyzed: true}}
	}), "ANALYZE never ran on 2 tables in shop: public.a and public.b", "", func(*Input) {}, nil},
	{"table-autovacuum-off", server(func(f *examine.Facts) {
		f.Neglected = []examine.Neglected{{Name: `public."A b"`, NoAutovacuum: true}}
	}),
		`autovacuum is off for 1 table in shop: public."A b"`, `ALTER TABLE public."A b" RESET`, func(*Input) {}, nil},
	{"prepared-old", server(func(f *examine.Facts) {
		f.Prepared = []examine.Prepared{{ID: "tx'1", Owner: "app", Database: "shop", Age: 3 * 86400}}
	}), "a prepared transaction has been pending for 3 days (tx'1 of app, in shop)", "ROLLBACK PREPARED 'tx''1'",
		server(func(f *examine.Facts) { f.Prepared = []examine.Prepared{{ID: "tx", Age: 60}} }), nil},
	{"idle-in-transaction", server(func(f *examine.Facts) {
		f.Transactions = []examine.Transaction{{PID: 42, User: "app", Database: "shop", Application: "psql", State: "idle in transaction", Age: 900, Still: 720}}
	}), "a session has been idle in transaction for 12 min (pid 42, app in shop, psql)", "pg_terminate_backend(42)",
		server(func(f *examine.Facts) {
			f.Transactions = []examine.Transaction{{PID: 42, State: "idle in transaction", Age: 900, Still: 2}}
		}), nil},
	{"long-transaction", server(func(f *examine.Facts) {
		f.Transactions = []examine.Transaction{{PID: 42, User: "app", Database: "shop", State: "active", Age: 3 * 3600}}
	}), "a transaction has run for 3 h (pid 42, app in shop)", "pg_cancel_backend(42)",
		server(func(f *examine.Facts) { f.Transactions = []examine.Transaction{{PID: 42, State: "active", Age: 600}} }), nil},
	{"old-snapshot", server(func(f *examine.Facts) { f.OldestXmin = 30_000_000 }), "a session holds a snapshot that is 30 million transactions old", "backend_xmin",
		server(func(f *examine.Facts) { f.OldestXmin = 1_000_000 }), nil},
	{"old-snapshot", server(func(f *examine.Facts) { f.Slots = []examine.Slot{{Name: "old_replica", XminAge: 30_000_000}} }),
		"replication slot old_replica holds a snapshot that is 30 million transactions old", "pg_replication_slots",
		server(func(f *examine.Facts) { f.Slots = []examine.Slot{{Name: "old_replica", XminAge: -1}} }), nil},
	{"old-snapshot", server(func(f *examine.Facts) { f.Prepared = []examine.Prepared{{ID: "tx", XIDAge: 30_000_000}} }),
		"prepared transaction tx holds a snapshot that is 30 million transactions old", "",
		server(func(f *examine.Facts) { f.Prepared = []examine.Prepared{{ID: "tx", XIDAge: 1}} }), nil},
	{"connections", server(func(f *examine.Facts) { f.Connections.Used = 90 }), "90 of 100 connections are in use", "",
		server(func(f *examine.Facts) { f.Connections = examine.Connections{Used: -1} }), nil},
	{"slot-retains-wal", server(func(f *examine.Facts) { f.Slots = []examine.Slot{{Name: "old_replica", Retained: 40 << 30}} }),
		"replication slot old_replica is inactive and retains 40 GiB of WAL", "pg_drop_replication_slot('old_replica')",
		server(func(f *examine.Facts) { f.Slots = []examine.Slot{{Name: "live", Active: true, Retained: 40 << 30}} }), nil},
	{"standby", server(func(f *examine.Facts) { f.Standby = true }), "the server is a standby (in recovery)", "", func(*Input) {}, nil},
	{"version-unsupported", server(func(f *examine.Facts) { f.Version, f.VersionN = "13.20", 130020 }), "PostgreSQL 13 had its last release in November 2025", "",
		server(func(f *examine.Facts) { f.Version, f.VersionN = "14.20", 140020 }), nil},
	{"version-unsupported", server(func(f *examine.Facts) { f.Version, f.VersionN = "9.6.24", 90624 }), "PostgreSQL 9.6.24 has had no release for years", "",
		func(*Input) {}, []string{"version-unknown"}},
	{"version-unknown", server(func(f *examine.Facts) { f.Version, f.VersionN = "19beta1", 190000 }), "the server is PostgreSQL 19beta1", "",
		server(func(f *examine.Facts) { f.Version, f.VersionN = "18.1", 180001 }), nil},
}

func TestRules(t *testing.T) {
	for _, test := range ruleTests {
		t.Run(test.rule, func(t *testing.T) {
			in := healthy()
			test.bad(in)
			found := Findings(*in)
			i := slices.IndexFunc(found, func(f Finding) bool { return f.Rule == test.rule })
			if i < 0 {
				t.Fatalf("it finds nothing; all findings: %v", found)
			}
			f := found[i]
			if f.Text != test.text || !strings.Contains(f.Do, test.do) {
				t.Errorf("got  %q, do: %q\nwant %q, do: ...%s...", f.Text, f.Do, test.text, test.do)
			}
			for _, other := range found {
				if other.Rule != test.rule && !slices.Contains(test.also, other.Rule) {
					t.Errorf("%s also finds something: %s", other.Rule, other.Text)
				}
			}
			in = healthy()
			test.close(in)
			for _, f := range Findings(*in) {
				if f.Rule == test.rule {
					t.Errorf("it must not find %q", f.Text)
				}
			}
		})
	}
}

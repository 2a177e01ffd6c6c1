package inspect

import (
	"slices"

	"plinth/internal/host"
)

var filesystemRules = []rule{
	{
		name: "filesystem-full", weight: 84, about: ofMachine, check: func(in *Input) evidence { return fullerThan(in, 0.97, 2) },
		benchmark:  "a run that fills the disk ends with an error",
		production: "a server that cannot write WAL stops, and does not start again until space is freed",
		do:         "free up space on {}; never delete anything in pg_wal by hand",
	},
	{
		name: "in-memory", weight: 83, about: ofMachine, check: inMemory,
		benchmark:  "on an in-memory filesystem fsync is free: the run measures the machine without its disk",
		production: "all data is lost at the next restart of the machine",
		do:         "use a directory on a disk",
	},
	{
		name: "no-storage", weight: 82, about: ofMachine, check: noStorage,
		benchmark:  "nothing can be measured: a database cannot be created there",
		production: "the same",
		do:         "use a directory on a disk",
	},
	{
		name: "network-filesystem", weight: 70, about: ofMachine, check: network,
		benchmark:  "the run measures the network and another machine's cache",
		production: "the durability of fsync depends on the mount, on the file server and on its disks; soft mounts lose writes",
		do:         "use a block device; if it must be NFS: NFSv4, mounted hard, with sync on the server",
	},
	{
		name: "overlay", weight: 66, about: ofMachine, check: overlay,
		benchmark:  "the first write to a file copies the whole file",
		production: "the data is deleted with the container",
		do:         "mount a volume at that directory",
	},
	{
		name: "nearly-full", weight: 61, about: ofMachine, check: func(in *Input) evidence { return fullerThan(in, 0.85, 0.97) },
		benchmark:  "filesystems and SSDs slow down when nearly full: two runs do not meet the same conditions",
		production: "a long transaction keeps dead rows, and a disconnected standby keeps WAL; a full disk stops the server",
		do:         "free up space on {}, or grow the filesystem",
	},
	{
		name: "root-filesystem", weight: 43, about: ofMachine, check: onRoot,
		benchmark:  "logs, package updates and temporary files of all users are written to the same filesystem",
		production: "any process that fills the filesystem stops the server, and the server can stop the machine",
		do:         "use a separate filesystem for {}",
	},
}

// fullerThan finds places whose used share is above from, and at most to. Space reserved for root
// counts as used: a server cannot use it.
func fullerThan(in *Input, from, to float64) evidence {
	used := func(p host.Place) float64 { return 1 - float64(p.Free)/float64(p.Size) }
	roles, p := in.placesWith(func(p host.Place) bool { return p.Size > 0 && used(p) > from && used(p) <= to })
	if roles == nil {
		return nothing
	}
	return found("%s of %s is free on the filesystem that holds %s", size(p.Free), size(p.Size), list(roles)).at(p.Path)
}

func inMemory(in *Input) evidence {
	roles, p := in.placesWith(func(p host.Place) bool { return p.InMemory })
	if roles == nil {
		return nothing
	}
	return found("%s %s in memory (%s)", list(roles), is(len(roles)), p.Filesystem)
}

// noStorage finds the kernel's own filesystems, such as /proc: they store no data.
func noStorage(in *Input) evidence {
	kernels := []string{"proc", "sysfs", "cgroup", "cgroup2", "devpts", "debugfs", "tracefs", "securityfs", "configfs", "mqueue"}
	roles, p := in.placesWith(func(p host.Place) bool { return slices.Contains(kernels, p.Filesystem) })
	if roles == nil {
		return nothing
	}
	return found("%s %s on a filesystem that stores nothing (%s)", list(roles), is(len(roles)), p.Filesystem)
}

func network(in *Input) evidence {
	roles, p := in.placesWith(func(p host.Place) bool { return p.Network })
	if roles == nil {
		return nothing
	}
	return found("%s %s on a network filesystem (%s, %s)", list(roles), is(len(roles)), p.Filesystem, p.Source)
}

func overlay(in *Input) evidence {
	roles, p := in.placesWith(func(p host.Place) bool { return p.Filesystem == "overlay" || p.Filesystem == "aufs" })
	if roles == nil {
		return nothing
	}
	return found("%s %s in the writable layer of a container (%s)", list(roles), is(len(roles)), p.Filesystem)
}

// onRoot compares the sources of the filesystems: mounts of the same filesystem have the same
// source.
func onRoot(in *Input) evidence {
	if in.Root.Source == "" || in.Root.InMemory || in.Root.Filesystem == "overlay" {
		return nothing
	}
	roles, p := in.placesWith(func(p host.Place) bool {
		return p.Source == in.Root.Source && p.Filesystem == in.Root.Filesystem && !p.Network
	})
	if roles == nil {
		return nothing
	}
	return found("%s %s on the root filesystem (%s)", list(roles), is(len(roles)), p.Source).at(p.Path)
}

var mountRules = []rule{
	{
		name: "no-barriers", weight: 92, about: ofMachine, check: noBarriers,
		benchmark:  "commits do not wait for the disk: published tests gain 5 to 9 %, but with a setting that is unsafe in production",
		production: "a power failure can corrupt the filesystem and the database",
		do:         "mount -o remount,barrier \"$(findmnt -n -o TARGET -T {})\"",
	},
	{
		name: "sync-mount", weight: 59, about: ofMachine, check: syncMount,
		benchmark:  "every write waits for the disk, not only commits",
		production: "the same",
		do:         "mount -o remount,async \"$(findmnt -n -o TARGET -T {})\"",
	},
	{
		name: "journal-writeback", weight: 42, about: ofMachine, check: journalWriteback,
		benchmark:  "compare only with disks mounted the same way",
		production: "after a crash, new parts of files can hold old blocks of any other file; PostgreSQL survives this with full_page_writes, other programs may not",
		do:         "mount with data=ordered (the default) in /etc/fstab",
	},
	{
		name: "atime", weight: 30, about: ofMachine, check: accessTimes,
		benchmark:  "every read of a file becomes a write",
		production: "the same",
		do:         "mount -o remount,noatime \"$(findmnt -n -o TARGET -T {})\"",
	},
	{
		name: "discard", weight: 22, about: ofMachine, check: discard,
		benchmark:  "deleting files (WAL, dropped tables) sends trims between the writes: on some disks they stall all other I/O",
		production: "a weekly fstrim.timer does the same at a quiet hour",
		do:         "mount -o remount,nodiscard \"$(findmnt -n -o TARGET -T {})\" && systemctl enable --now fstrim.timer",
	},
}

// mounted finds places with one of some mount options.
func (in *Input) mounted(what string, options ...string) evidence {
	roles, p := in.placesWith(func(p host.Place) bool { return option(p, options...) })
	if roles == nil {
		return nothing
	}
	return found("%s %s mounted %s (%s)", list(roles), is(len(roles)), what, p.Filesystem).at(p.Path)
}

func noBarriers(in *Input) evidence {
	return in.mounted("without write barriers", "nobarrier", "barrier=0")
}

func syncMount(in *Input) evidence { return in.mounted("with the option sync", "sync") }

func journalWriteback(in *Input) evidence {
	return in.mounted("with data=writeback", "data=writeback")
}

func discard(in *Input) evidence {
	return in.mounted("with the option discard", "discard", "discard=sync")
}

// accessTimes finds mounts that write an access time at every read. The kernel shows relatime,
// its default, as an option; with neither that nor noatime every read causes a write.
func accessTimes(in *Input) evidence {
	roles, p := in.placesWith(func(p host.Place) bool {
		return p.Options != "" && !p.InMemory && !option(p, "noatime", "relatime", "lazytime", "ro")
	})
	if roles == nil {
		return nothing
	}
	return found("%s %s mounted with access times (neither noatime nor relatime)", list(roles), is(len(roles))).at(p.Path)
}

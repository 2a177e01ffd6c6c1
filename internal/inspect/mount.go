package inspect

import "plinth/internal/host"

var mountRules = []rule{
	{
		name: "no-barriers", weight: 92, about: ofMachine, check: noBarriers,
		benchmark:  "commits do not wait for the disk: published tests gain 5 to 9 % by it, and the number is of a setting that nobody may use",
		production: "a power failure can leave the filesystem and the database broken",
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
		benchmark:  "compare only with other disks mounted so",
		production: "after a crash new parts of files can hold old blocks, of anybody; PostgreSQL survives that with full_page_writes, other programs may not",
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
		benchmark:  "deleting (WAL files, dropped tables) sends trims between the writes: on some disks they stall all else",
		production: "fstrim.timer once a week does the same at a quiet hour",
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

func syncMount(in *Input) evidence { return in.mounted("with sync", "sync") }

func journalWriteback(in *Input) evidence {
	return in.mounted("with data=writeback", "data=writeback")
}

func discard(in *Input) evidence { return in.mounted("with discard", "discard", "discard=sync") }

// accessTimes finds mounts that write an access time at every read. The kernel
// shows relatime, its default, as an option; with neither that nor noatime each
// read counts.
func accessTimes(in *Input) evidence {
	roles, p := in.placesWith(func(p host.Place) bool {
		return p.Options != "" && !p.InMemory && !option(p, "noatime", "relatime", "lazytime", "ro")
	})
	if roles == nil {
		return nothing
	}
	return found("%s %s mounted with access times (neither noatime nor relatime)", list(roles), is(len(roles))).at(p.Path)
}

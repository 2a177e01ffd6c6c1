package check

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"plinth/internal/experiment"
	"plinth/internal/experiment/mistake"
	"plinth/internal/strictyaml"
)

// volume checks one volume. It checks the kind of place first, because the other checks depend on it.
func volume(notes *mistake.Notes, v *experiment.Volume, where string) {
	if !notes.Sound(v) || notes.Places[v] == nil && !v.Given() {
		return
	}
	if place := notes.Places[&v.Class]; place != nil {
		notes.Add(place, "add kubernetes: {operator: cnpg} to the environment, or give a directory or a device instead", "%s: class applies only to an environment on Kubernetes", where)
		return
	}
	path(notes, &v.Directory, where)
	if !oneKind(notes, v, where) {
		return
	}
	if v.RAID != "" {
		array(notes, v, where)
	} else {
		disk(notes, &v.Disk, where)
	}
	provable(notes, v, where)
	onlyMade(notes, v, where)
	mkfs(notes, v, where)
	mount(notes, v, where)
	unsafe(notes, v, where)
}

// oneKind reports whether a volume has exactly one kind of place, and notes it if not.
func oneKind(notes *mistake.Notes, v *experiment.Volume, where string) bool {
	kinds := kinds(notes, &v.Disk)
	if v.Directory != "" {
		kinds = append([]string{"directory"}, kinds...)
	}
	if v.RAID != "" {
		kinds = append(kinds, "raid")
	}
	switch {
	case len(kinds) == 0 && len(v.Members) > 0:
		notes.Add(notes.Places[&v.Members], "add raid: 0, 1 or 10", "%s: members without raid", where)
	case len(kinds) == 0:
		notes.Add(notes.Places[v], "give it one of directory, device, file, emulate and raid", "%s: no location is given", where)
	case len(kinds) > 1:
		notes.Add(notes.Places[v], "leave out all but one", "%s: several locations are given: %s", where, strings.Join(kinds, ", "))
	}
	return len(kinds) == 1
}

// kinds returns the kinds of disk that the file gives: device, file, emulate.
func kinds(notes *mistake.Notes, d *experiment.Disk) []string {
	var kinds []string
	for _, kind := range []struct {
		name  string
		given bool
	}{{"device", d.Device != ""}, {"file", d.File != ""}, {"emulate", notes.Places[&d.Emulate] != nil}} {
		if kind.given {
			kinds = append(kinds, kind.name)
		}
	}
	return kinds
}

// misplaced notes a key that has no meaning in its place.
func misplaced(notes *mistake.Notes, key any, fits bool, hint, where, format string, args ...any) {
	if place := notes.Places[key]; place != nil && !fits && notes.Sound(key) {
		notes.Add(place, hint, "%s: %s", where, fmt.Sprintf(format, args...))
	}
}

// onlyMade notes keys for a filesystem or block device on a volume that is an existing directory.
func onlyMade(notes *mistake.Notes, v *experiment.Volume, where string) {
	made := v.Directory == ""
	for _, key := range []struct {
		pointer any
		name    string
	}{
		{&v.Filesystem, "filesystem"}, {&v.Mkfs, "mkfs"}, {&v.Mount, "mount"},
		{&v.ReadAhead, "read_ahead"}, {&v.Scheduler, "scheduler"}, {&v.Unsafe, "unsafe"},
	} {
		misplaced(notes, key.pointer, made, "leave it out, or give a device, file or emulate instead of the directory", where,
			"%s applies only to a volume that plinth creates, and this is an existing directory", key.name)
	}
	if v.RAID == "" {
		misplaced(notes, &v.Chunk, false, "leave it out", where, "chunk applies only to an array")
		misplaced(notes, &v.Members, false, "add raid: 10, or leave them out", where, "members apply only to an array")
	}
	misplaced(notes, &v.Erase, v.Device != "" || v.RAID != "", "leave it out", where, "erase applies only to an existing device")
}

func mkfs(notes *mistake.Notes, v *experiment.Volume, where string) {
	for i := range v.Mkfs {
		word, place := v.Mkfs[i], notes.Places[&v.Mkfs[i]]
		if strings.ContainsAny(word, " \t") || hasControl(word) {
			notes.Add(place, "write ["+strings.Join(strings.Fields(word), ", ")+"]", "%s.mkfs: each word must be a separate item, not %s", where, strictyaml.Quote(word))
			continue
		}
		noneElse(notes, word, place, where+".mkfs")
	}
}

func mount(notes *mistake.Notes, v *experiment.Volume, where string) {
	for i := range v.Mount {
		option, place := v.Mount[i], notes.Places[&v.Mount[i]]
		name, _, _ := strings.Cut(option, "=")
		since, gone := goneMounts[v.FilesystemOr()][name]
		switch {
		case strings.ContainsAny(option, ", \t") || hasControl(option):
			words := strings.FieldsFunc(option, func(r rune) bool { return r == ',' || r <= ' ' })
			notes.Add(place, "write ["+strings.Join(words, ", ")+"]", "%s.mount: each option must be a separate item, not %s", where, strictyaml.Quote(option))
		case gone:
			notes.Add(place, "leave it out", "%s.mount: %s has not supported %s since Linux %s", where, strings.ToUpper(v.FilesystemOr()), name, since)
		case slices.Contains([]string{"ro", "-o"}, option):
			notes.Add(place, "leave it out", "%s.mount: a database cannot use %s", where, strictyaml.Quote(option))
		default:
			noneElse(notes, option, place, where+".mount")
		}
	}
}

// unsafe notes options that can lose data on a volume without unsafe: true.
func unsafe(notes *mistake.Notes, v *experiment.Volume, where string) {
	for _, risk := range v.UnsafeOptions() {
		if !v.Unsafe && notes.Sound(&v.Unsafe) {
			place := first(notes.Places[&v.Mount], notes.Places[&v.Mkfs])
			if slices.Contains(v.Mkfs, risk.Option) || risk.Option == experiment.NoJournal {
				place = notes.Places[&v.Mkfs]
			}
			notes.Add(place, "leave it out, or add unsafe: true: the numbers are then marked unsafe",
				"%s: %s is not safe: in a power cut %s", where, risk.Option, risk.Loses)
		}
	}
}

// array checks an mdadm array.
func array(notes *mistake.Notes, v *experiment.Volume, where string) {
	levels(notes, v.RAID, len(v.Members), v.Chunk, first(notes.Places[&v.Members], notes.Places[&v.RAID]), notes.Places[&v.Chunk], where)
	for i := range v.Members {
		m, at := &v.Members[i], fmt.Sprintf("%s.members.%d", where, i+1)
		switch kinds := kinds(notes, m); {
		case !notes.Sound(m):
		case len(kinds) == 0:
			notes.Add(notes.Places[m], "give it one of device, file and emulate", "%s: no location is given", at)
		case len(kinds) > 1:
			notes.Add(notes.Places[m], "leave out all but one", "%s: several disks are given: %s", at, strings.Join(kinds, ", "))
		default:
			disk(notes, m, at)
		}
	}
	alike(notes, v, where)
	for i := range v.Members {
		misplaced(notes, &v.Members[i].Is, false, "give it to the volume: is: {raid: 10, of: gp3, members: 8}", where, "\"is\" describes the whole array, not a member")
	}
	misplaced(notes, &v.Is, !v.Emulated(), "leave it out: emulate already defines the members", where, "\"is\" applies only to an existing device, file or directory")
	said(notes, &v.Disk, where)
	for key, pointer := range map[string]any{"size": &v.Size, "backing": &v.Backing} {
		misplaced(notes, pointer, false, "move it to each member", where, "%s is a key of the members of an array, not of the array", key)
	}
	changes(notes, &v.Disk, where)
}

// minMembers holds the minimum number of members of an array by RAID level.
var minMembers = map[string]int{"0": 2, "1": 2, "10": 4}

// maxMembers is the maximum number of members: more are probably a slip.
const maxMembers = 64

// elsewhere holds the options by which mkfs and mount use an additional device: an external log or
// journal, a real-time section, more disks. plinth neither checks what is on such a device nor
// restores it.
var elsewhere = []string{"logdev=", "log_dev=", "rtdev=", "device=", "journal=", "journal_dev=", "journal_path="}

// noneElse notes a word of mkfs or mount that refers to another device or a file. A slash is enough:
// no option that is useful here contains one.
func noneElse(notes *mistake.Notes, word string, place *yaml.Node, where string) {
	for _, sign := range append(elsewhere, "/") {
		if strings.Contains(word, sign) {
			notes.Add(place, "leave it out: plinth uses only the volume's own disk; for several disks give raid and members",
				"%s: %s refers to a device or file other than the volume's own", where, strictyaml.Quote(word))
			return
		}
	}
}

// provable notes a filesystem that hides the delays of an emulated device: the check before each run
// would fail.
func provable(notes *mistake.Notes, v *experiment.Volume, where string) {
	for _, d := range v.Disks() {
		if !d.Emulated() || !notes.Sound(&v.Filesystem, d) {
			continue
		}
		if why, fits := unprovable(v.FilesystemOr(), d); why != "" {
			notes.Add(notes.Places[&v.Filesystem], "choose "+fits, "%s: the delays of an emulated device cannot be verified under %s, which %s", where, v.FilesystemOr(), why)
			return
		}
	}
}

// unprovable returns why a filesystem hides the delays of an emulated disk, and which ones do not;
// "" if it does not hide them. ZFS reads from its own caches, and delays and groups writes. For a
// synced write of 8 KiB, btrfs needs three sequential writes and two flushes, ext4 and XFS one of
// each: 39 ms measured where write and flush take 8 ms each.
func unprovable(filesystem string, d *experiment.Disk) (why, fits string) {
	switch model, err := d.Model(); {
	case filesystem == "zfs":
		return "has its own caches", "ext4, xfs or btrfs, or a device or file for zfs"
	case filesystem == "btrfs" && err == nil && model.Cached():
		return "turns one write into several writes and flushes if the device has a write cache", "ext4 or xfs, or a device without a write cache (write_cache: no)"
	}
	return "", ""
}

// goneMounts holds, by filesystem, the mount options that no kernel in use supports, with the version
// that removed them (Documentation/admin-guide/xfs.rst). Published advice still recommends them.
// Options that only the newest kernels have removed are left to the mount itself.
var goneMounts = map[string]map[string]string{
	"xfs": {
		"nobarrier": "4.19", "barrier": "4.19", "delaylog": "4.0", "nodelaylog": "4.0", "ihashsize": "4.0", "irixsgid": "4.0",
		"osyncisdsync": "4.0", "osyncisosync": "4.0",
	},
}

package render

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"plinth/internal/host"
	"plinth/internal/knob"
	"plinth/internal/tune"
)

// isMount reports whether a change affects the options of a mounted filesystem.
func isMount(c tune.Change) bool {
	return c.Layer == knob.Mount && strings.HasPrefix(mountPoint(c), "/")
}

func mountPoint(c tune.Change) string {
	if c.Target != "" {
		return c.Target
	}
	return c.Key.On
}

// fstabFiles returns the lines of the filesystems, with their current options and those of the
// plan. They replace the existing lines, of which they keep everything else: the kernel does not know
// nofail or _netdev, and its name of a disk may be another one after the next boot.
func fstabFiles(made string, changes []tune.Change) []File {
	var b strings.Builder
	b.WriteString(made + "# Replace the lines of the same mount points with these. Options that need a fresh\n" +
		"# mount take effect after umount and mount, not after a remount.\n")
	existing, _ := os.ReadFile("/etc/fstab") // without it, what is mounted counts
	for _, c := range changes {
		place, err := host.PlaceOf("", mountPoint(c))
		if err != nil {
			place = host.Place{Source: "UUID=...", Filesystem: "auto", Options: "defaults"}
		}
		b.WriteString(why(c))
		if c.Needs != knob.Nothing {
			b.WriteString(comment("Needs: " + string(c.Needs)))
		}
		wanted, unknown := ofFilesystem(place.Filesystem, c.Then)
		if unknown != nil {
			b.WriteString(comment(fmt.Sprintf("Left out, because %s may not support it and might fail to mount with it: %s",
				place.Filesystem, strings.Join(unknown, ","))))
		}
		e := entryOf(string(existing), mountPoint(c))
		if e == nil {
			pass := "2"
			if mountPoint(c) == "/" {
				pass = "1"
			}
			e = []string{escaped(stableName(place.Source)), escaped(mountPoint(c)), place.Filesystem, place.Options, "0", pass}
		}
		e[3] = merged(e[3], strings.Join(wanted, ","))
		b.WriteString(strings.Join(e, " ") + "\n")
	}
	return []File{{"/etc/fstab", b.String()}}
}

// entryOf returns the six fields of a mount point's line in the text of /etc/fstab (fstab(5)); nil if
// there is none.
func entryOf(fstab, mountPoint string) []string {
	for line := range strings.Lines(fstab) {
		fields := strings.Fields(line)
		if len(fields) >= 4 && !strings.HasPrefix(fields[0], "#") && fields[1] == escaped(mountPoint) {
			return append(fields, "0", "0")[:6]
		}
	}
	return nil
}

// stableName returns the UUID of a filesystem on a disk, "UUID=…"; the disk's name if it has none.
func stableName(source string) string {
	links, _ := filepath.Glob("/dev/disk/by-uuid/*")
	for _, link := range links {
		if to, err := filepath.EvalSymlinks(link); err == nil && to == source {
			return "UUID=" + filepath.Base(link)
		}
	}
	return source
}

// ofFilesystem splits options into those that a filesystem is known to have and others: a machine
// may fail to boot with an unknown one. "auto" stands for any filesystem.
func ofFilesystem(filesystem, options string) (known, unknown []string) {
	if filesystem == "auto" {
		filesystem = ""
	}
	for _, o := range split(options) {
		if _, found := knob.OptionOf(filesystem, o); found {
			known = append(known, o)
		} else {
			unknown = append(unknown, o)
		}
	}
	return known, unknown
}

// escaped escapes blanks and backslashes in a field of fstab(5) as octal.
func escaped(field string) string {
	return strings.NewReplacer(`\`, `\134`, " ", `\040`, "\t", `\011`).Replace(field)
}

// sameMatter groups options of which the last one counts.
var sameMatter = [][]string{
	{"atime", "noatime", "relatime", "norelatime", "strictatime", "nostrictatime"},
	{"diratime", "nodiratime"}, {"lazytime", "nolazytime"}, {"discard", "nodiscard"}, {"barrier", "nobarrier"},
	{"rw", "ro"},
}

// merged returns the existing options, with the wanted ones in place of others of the same group.
func merged(there, wanted string) string {
	options := split(there)
	for _, w := range split(wanted) {
		options = slices.DeleteFunc(options, func(o string) bool { return matter(o) == matter(w) })
		options = append(options, w)
	}
	return strings.Join(options, ",")
}

func split(options string) []string {
	return strings.FieldsFunc(options, func(r rune) bool { return r == ',' || r == ' ' })
}

// matter returns the key of an option: the name before its value, or the first of a group of
// options that exclude each other.
func matter(option string) string {
	name, _, _ := strings.Cut(option, "=")
	for _, group := range sameMatter {
		if slices.Contains(group, name) {
			return group[0]
		}
	}
	return name
}

// isArray reports whether a change affects an array itself: a file below /sys/block/md0/md.
func isArray(c tune.Change) bool { return array(c) != "" }

// array returns the name of the changed array; "" for none.
func array(c tune.Change) string {
	parts := strings.Split(file(c), "/")
	for i := range len(parts) - 2 {
		if parts[i] == "block" && strings.HasPrefix(parts[i+1], "md") && parts[i+2] == "md" {
			return parts[i+1]
		}
	}
	return ""
}

// mdadmFiles returns SYSFS lines: mdadm writes them to /sys after assembling the array
// (mdadm.conf(5)).
func mdadmFiles(made string, changes []tune.Change) []File {
	var b strings.Builder
	b.WriteString(made + "# Red Hat's and SUSE's systems read /etc/mdadm.conf instead. Then run update-initramfs -u\n" +
		"# (dracut -f): the initramfs may assemble the array.\n")
	for _, c := range changes {
		fmt.Fprintf(&b, "%sSYSFS name=/dev/%s %s=%s\n", why(c), array(c), path.Base(file(c)), c.Then)
	}
	return []File{{"/etc/mdadm/mdadm.conf", b.String()}}
}

// isQueue reports whether a change affects the queue of a disk.
func isQueue(c tune.Change) bool {
	return c.Layer == knob.Block && strings.HasPrefix(file(c), "/sys/") && strings.Contains(file(c), "/queue/")
}

// device returns the kernel's name of the changed disk.
func device(c tune.Change) string {
	if c.Target != "" {
		return path.Base(c.Target)
	}
	return path.Base(path.Dir(path.Dir(file(c)))) // of .../nvme0n1/queue/scheduler
}

// udevFiles returns a rule for each attribute. The scheduler comes first: changing it makes the
// kernel reset nr_requests and wbt_lat_usec.
func udevFiles(made string, changes []tune.Change) []File {
	var b strings.Builder
	b.WriteString(made + "# To apply now: udevadm control --reload; udevadm trigger --subsystem-match=block\n" +
		"# Names of disks may change from boot to boot: ENV{ID_SERIAL} is safer than KERNEL\n" +
		"# (udevadm info --query=property --name=DISK).\n")
	changes = slices.Clone(changes)
	slices.SortStableFunc(changes, func(a, b tune.Change) int {
		if device(a) != device(b) {
			return strings.Compare(device(a), device(b))
		}
		return schedulerFirst(a) - schedulerFirst(b)
	})
	for _, c := range changes {
		fmt.Fprintf(&b, "%sACTION==\"add|change\", SUBSYSTEM==\"block\", KERNEL==\"%s\", ATTR{queue/%s}=\"%s\"\n",
			why(c), device(c), path.Base(file(c)), strings.NewReplacer(`"`, "", "$", "$$", "%", "%%").Replace(c.Then))
	}
	return []File{{"/etc/udev/rules.d/90-plinth.rules", b.String()}}
}

func schedulerFirst(c tune.Change) int {
	if path.Base(file(c)) == "scheduler" {
		return 0
	}
	return 1
}

package proc

import (
	"slices"
	"strconv"
	"strings"
)

// Mount is a line of /proc/PID/mountinfo (proc_pid_mountinfo(5)).
type Mount struct {
	ID      string
	Device  string // number of the filesystem (its superblock): "253:1"
	Root    string // the directory of the filesystem that is mounted
	Point   string // where
	Options string // of the mount
	Type    string // "ext4"
	Source  string // "/dev/vda"
	Super   string // options of the filesystem, escapes not decoded
}

// Mounts returns the mounts in the order of the file.
func Mounts(mountinfo string) (all []Mount) {
	for line := range strings.Lines(mountinfo) {
		fields := strings.Fields(line)
		dash := slices.Index(fields, "-") // after a number of optional fields
		if dash >= 6 && len(fields) >= dash+4 {
			all = append(all, Mount{
				ID: fields[0], Device: fields[2], Root: Unescape(fields[3]), Point: Unescape(fields[4]), Options: fields[5],
				Type: fields[dash+1], Source: Unescape(fields[dash+2]), Super: fields[dash+3],
			})
		}
	}
	return all
}

// Unescape decodes the octal escapes of characters that would end a field (mangle_path in
// fs/seq_file.c): space, tab, newline and backslash are \040, \011, \012 and \134.
func Unescape(field string) string {
	if !strings.Contains(field, `\`) {
		return field
	}
	var b strings.Builder
	for i := 0; i < len(field); i++ {
		if field[i] == '\\' && i+3 < len(field) {
			if n, err := strconv.ParseUint(field[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(field[i])
	}
	return b.String()
}

// Cgroup is a line of /proc/PID/cgroup (cgroups(7)): "2:cpu,cpuacct:/system.slice".
type Cgroup struct {
	Controllers string // of version 1, separated by commas, or "name=systemd"; "" for version 2
	Path        string
}

// Cgroups returns the groups of a process, one of each hierarchy.
func Cgroups(text string) (all []Cgroup) {
	for line := range strings.Lines(text) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(fields) == 3 {
			all = append(all, Cgroup{fields[1], fields[2]})
		}
	}
	return all
}

// Has reports whether the hierarchy has a controller of version 1; for "", whether it is that
// of version 2.
func (c Cgroup) Has(controller string) bool {
	return slices.Contains(strings.Split(c.Controllers, ","), controller)
}

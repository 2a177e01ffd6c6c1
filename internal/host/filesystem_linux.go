package host

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// FreeSpace is how many bytes an ordinary user may still write below path.
// What a filesystem keeps for root does not count.
func FreeSpace(path string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return 0, fmt.Errorf("cannot read the free space of %s: %w", path, err)
	}
	return int64(s.Bavail) * int64(s.Frsize), nil //nolint:unconvert // it is 32 bits wide on some architectures
}

// TotalSpace is the size in bytes of the filesystem that path lies on.
func TotalSpace(path string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return 0, fmt.Errorf("cannot read the size of %s: %w", path, err)
	}
	return int64(s.Blocks) * int64(s.Frsize), nil //nolint:unconvert // it is 32 bits wide on some architectures
}

// FilesystemOf tells what path, which must be there, lies on.
func FilesystemOf(path string) (Filesystem, error) {
	f, err := filesystemOf(path)
	if err != nil {
		return f, fmt.Errorf("cannot tell the filesystem of %s: %w", path, err)
	}
	return f, nil
}

// filesystemOf asks the kernel for the id of the path's mount. Comparing paths
// with mount points was rejected: mounts can hide one another.
func filesystemOf(path string) (Filesystem, error) {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return Filesystem{}, err
	}
	defer unix.Close(fd)
	info, err := os.ReadFile("/proc/self/fdinfo/" + strconv.Itoa(fd))
	if err != nil {
		return Filesystem{}, err
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return Filesystem{}, err
	}
	_, id, _ := strings.Cut(string(info), "mnt_id:")
	id, _, _ = strings.Cut(strings.TrimSpace(id), "\n")
	for line := range strings.Lines(string(mounts)) {
		if m, ok := parseMount(line); ok && m.id == id {
			return m.Filesystem, nil
		}
	}
	return Filesystem{}, fmt.Errorf("mount %s is not in /proc/self/mountinfo", id)
}

// MountsBelow are the mount points below dir, itself not included.
func MountsBelow(dir string) ([]string, error) {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, fmt.Errorf("cannot read what is mounted below %s: %w", dir, err)
	}
	var below []string
	for line := range strings.Lines(string(mounts)) {
		m, ok := parseMount(line)
		if ok && strings.HasPrefix(m.MountPoint, strings.TrimSuffix(dir, "/")+"/") {
			below = append(below, m.MountPoint)
		}
	}
	return below, nil
}

type mount struct {
	id string
	Filesystem
}

// parseMount reads a line of /proc/PID/mountinfo (proc_pid_mountinfo(5)). There
// is a number of optional fields before the lone "-". The third field, the device
// number of the filesystem (its superblock), is its identity: statfs(2)'s f_fsid
// and stat(2)'s st_dev were rejected, because btrfs has one for each subvolume.
func parseMount(line string) (mount, bool) {
	fields := strings.Fields(line)
	dash := slices.Index(fields, "-")
	if dash < 6 || len(fields) < dash+4 {
		return mount{}, false
	}
	kind := fields[dash+1]
	return mount{fields[0], Filesystem{
		Type:       kind,
		Options:    joinOptions(fields[5], fields[dash+3]),
		Source:     unescape(fields[dash+2]),
		MountPoint: filepath.Clean(unescape(fields[4])),
		ID:         fields[2],
		InMemory:   kind == "tmpfs" || kind == "ramfs",
		Upper:      upperOf(kind, fields[dash+3]),
	}}, true
}

// upperOf finds upperdir among the options of an overlay, before their escapes
// are decoded: a comma in the path is one.
func upperOf(kind, options string) string {
	if kind != "overlay" {
		return ""
	}
	for option := range strings.SplitSeq(options, ",") {
		if dir, found := strings.CutPrefix(option, "upperdir="); found {
			return backslashes.Replace(unescape(dir))
		}
	}
	return ""
}

// backslashes are those of mount options: the kernel shows the option as it was
// given, and a comma in it had one (ovl_unescape in fs/overlayfs/params.c).
var backslashes = strings.NewReplacer(`\\`, `\`, `\,`, `,`, `\:`, `:`)

// joinOptions joins the options of the mount and of the filesystem. Both begin
// with ro or rw; the filesystem's own is left out, a read-only one says so.
func joinOptions(mount, filesystem string) string {
	all := strings.Split(mount, ",")
	for option := range strings.SplitSeq(unescape(filesystem), ",") {
		switch {
		case option == "ro":
			all[0] = "ro"
		case option != "rw" && !slices.Contains(all, option):
			all = append(all, option)
		}
	}
	return strings.Join(all, ",")
}

// unescape decodes the octal escapes of mountinfo: space, tab, newline and
// backslash are \040, \011, \012 and \134.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

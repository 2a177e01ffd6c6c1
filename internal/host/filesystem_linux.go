package host

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/host/proc"

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
	for _, m := range proc.Mounts(string(mounts)) {
		if m.ID == id {
			return mounted(m), nil
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
	for _, m := range proc.Mounts(string(mounts)) {
		if point := filepath.Clean(m.Point); strings.HasPrefix(point, strings.TrimSuffix(dir, "/")+"/") {
			below = append(below, point)
		}
	}
	return below, nil
}

// mounted is the filesystem of a mount. The device number of its superblock is its
// identity: statfs(2)'s f_fsid and stat(2)'s st_dev were rejected, because btrfs has one
// for each subvolume.
func mounted(m proc.Mount) Filesystem {
	return Filesystem{
		Type:       m.Type,
		Options:    joinOptions(m.Options, m.Super),
		Source:     m.Source,
		MountPoint: filepath.Clean(m.Point),
		ID:         m.Device,
		InMemory:   m.Type == "tmpfs" || m.Type == "ramfs",
		Upper:      upperOf(m.Type, m.Super),
	}
}

// upperOf finds upperdir among the options of an overlay, before their escapes
// are decoded: a comma in the path is one.
func upperOf(kind, options string) string {
	if kind != "overlay" {
		return ""
	}
	for option := range strings.SplitSeq(options, ",") {
		if dir, found := strings.CutPrefix(option, "upperdir="); found {
			return backslashes.Replace(proc.Unescape(dir))
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
	for option := range strings.SplitSeq(proc.Unescape(filesystem), ",") {
		switch {
		case option == "ro":
			all[0] = "ro"
		case option != "rw" && !slices.Contains(all, option):
			all = append(all, option)
		}
	}
	return strings.Join(all, ",")
}

// Mounts are all mounts that this process sees, in the order in which they were
// made: the last one with a mount point hides those before it. No filesystem is
// asked, so that one that hangs does not matter.
func Mounts() ([]Filesystem, error) {
	text, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, fmt.Errorf("cannot read what is mounted: %w", err)
	}
	var mounts []Filesystem
	for _, m := range proc.Mounts(string(text)) {
		mounts = append(mounts, mounted(m))
	}
	return mounts, nil
}

// SyncFilesystem has the kernel write out all that it holds of the filesystem on which
// a directory lies, and waits for it: syncfs(2).
func SyncFilesystem(dir string) error {
	at, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = at.Close() }()
	return os.NewSyscallError("syncfs", unix.Syncfs(int(at.Fd())))
}

// DropCaches empties the page cache, and caches of names: what is clean only, so that
// it costs time and no data (Documentation/admin-guide/sysctl/vm.rst, drop_caches).
func DropCaches() error {
	unix.Sync()
	return os.WriteFile("/proc/sys/vm/drop_caches", []byte("3"), 0)
}

// Sync has the kernel write out all that it holds of all filesystems, and waits for
// it: sync(2).
func Sync() { unix.Sync() }

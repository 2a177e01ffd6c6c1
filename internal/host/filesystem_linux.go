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

// FreeSpace returns how many bytes an unprivileged user can still write below path, without
// the blocks reserved for root.
func FreeSpace(path string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return 0, fmt.Errorf("cannot read the free space of %s: %w", path, err)
	}
	return int64(s.Bavail) * int64(s.Frsize), nil //nolint:unconvert // it is 32 bits wide on some architectures
}

// TotalSpace returns the size in bytes of the filesystem that contains path.
func TotalSpace(path string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return 0, fmt.Errorf("cannot read the size of %s: %w", path, err)
	}
	return int64(s.Blocks) * int64(s.Frsize), nil //nolint:unconvert // it is 32 bits wide on some architectures
}

// FilesystemOf returns the filesystem that contains path, which must exist.
func FilesystemOf(path string) (Filesystem, error) {
	f, err := filesystemOf(path)
	if err != nil {
		return f, fmt.Errorf("cannot determine the filesystem of %s: %w", path, err)
	}
	return f, nil
}

// filesystemOf asks the kernel for the mount id of the path. Comparing the path with mount
// points was rejected: mounts can hide one another. What is mounted below the root directory of
// another process is listed among its own mounts.
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
	process, _ := splitRoot(path)
	file := "/proc/" + process + "/mountinfo"
	mounts, err := os.ReadFile(file)
	if err != nil {
		return Filesystem{}, err
	}
	_, id, _ := strings.Cut(string(info), "mnt_id:")
	id, _, _ = strings.Cut(strings.TrimSpace(id), "\n")
	for _, m := range proc.Mounts(string(mounts)) {
		if m.ID == id {
			f := mounted(m)
			if process != "self" {
				f.MountPoint = filepath.Join("/proc", process, "root", f.MountPoint)
			}
			return f, nil
		}
	}
	return Filesystem{}, fmt.Errorf("mount %s is not in %s", id, file)
}

// MountsBelow returns the mount points below dir, dir itself excluded.
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

// mounted returns the filesystem of a mount, identified by the device number of its
// superblock: statfs(2)'s f_fsid and stat(2)'s st_dev were rejected, because on btrfs they
// differ for each subvolume.
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

// upperOf returns upperdir from the options of an overlay. It splits them before decoding
// escapes, because a comma in the path is escaped.
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

// backslashes undoes the escapes of mount options: the kernel shows an option as it was
// given, with commas escaped (ovl_unescape in fs/overlayfs/params.c).
var backslashes = strings.NewReplacer(`\\`, `\`, `\,`, `,`, `\:`, `:`)

// joinOptions joins the options of the mount and of the filesystem. Both begin with ro or rw;
// the result begins with ro if either does.
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

// Mounts returns all mounts visible to this process, in mount order: the last one at a mount
// point hides those before it. It accesses no filesystem, so one that hangs does not block it.
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

// SyncFilesystem writes out everything the kernel has cached of the filesystem that contains
// dir, and waits for completion: syncfs(2).
func SyncFilesystem(dir string) error {
	at, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = at.Close() }()
	return os.NewSyscallError("syncfs", unix.Syncfs(int(at.Fd())))
}

// DropCaches drops the page cache and the dentry and inode caches. Only clean entries are
// dropped, so it loses no data (Documentation/admin-guide/sysctl/vm.rst, drop_caches).
func DropCaches() error {
	unix.Sync()
	return os.WriteFile("/proc/sys/vm/drop_caches", []byte("3"), 0)
}

// Sync writes out everything the kernel has cached of all filesystems, and waits for
// completion: sync(2).
func Sync() { unix.Sync() }

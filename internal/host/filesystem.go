package host

// A Filesystem is the mounted filesystem that contains a path.
type Filesystem struct {
	Type       string // "ext4"
	Options    string // of the mount and of the filesystem, joined by commas
	Source     string // "/dev/vda"
	MountPoint string
	// ID is the same for every mount of one filesystem, bind mounts and btrfs subvolumes
	// included, and unique to it until the next boot.
	ID       string
	InMemory bool // its files occupy memory: tmpfs, ramfs
	// Upper is the upper directory of an overlay, as named when it was mounted, so
	// possibly a path outside of this container. "" for other filesystems.
	Upper string
}

// RunDir holds what plinth creates as root for the duration of a run, such as mounts. All users may
// enter it, and it is empty after a boot.
const RunDir = "/run/plinth"

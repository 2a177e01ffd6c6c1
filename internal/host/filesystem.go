package host

// Filesystem is what a path lies on.
type Filesystem struct {
	Type       string // "ext4"
	Options    string // of the mount and of the filesystem, joined by commas
	Source     string // "/dev/vda"
	MountPoint string
	// ID is the same for every mount of one filesystem, bind mounts and btrfs
	// subvolumes included, and another for every other one, until the next boot.
	ID       string
	InMemory bool // what is written to it takes memory: tmpfs, ramfs
	// Upper is the directory that takes what is written to an overlay, as it was
	// named by who mounted it: perhaps outside of this container. "" for others.
	Upper string
}

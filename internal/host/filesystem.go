package host

// Filesystem is what a path lies on.
type Filesystem struct {
	Type       string // "ext4"
	Options    string // of the mount and of the filesystem, joined by commas
	Source     string // "/dev/vda"
	MountPoint string
	ID         string // the same for every mount of one filesystem
	InMemory   bool   // what is written to it takes memory: tmpfs, ramfs
}

package experiment

// provable notes a filesystem through which an emulated device cannot show its delays:
// it would be called unproven before each run.
func (c *checker) provable(v *Volume, where string) {
	for _, d := range v.disks() {
		if !d.Emulated() || !c.sound(&v.Filesystem, d) {
			continue
		}
		if why, fits := unprovable(v.FilesystemOr(), d); why != "" {
			c.add(c.places[&v.Filesystem], "choose "+fits, "%s: an emulated device can't prove its delays under %s, which %s", where, v.FilesystemOr(), why)
			return
		}
	}
}

// unprovable says why a filesystem hides the delays of an emulated disk, and what fits;
// "" where it does not. ZFS answers from caches of its own, and writes in groups,
// later. A synced write of 8 KiB takes btrfs three writes one after the other and two
// flushes where ext4 and XFS have one of each: 39 ms measured where write and flush
// take 8 ms each.
func unprovable(filesystem string, d *Disk) (why, fits string) {
	switch model, err := d.Model(); {
	case filesystem == "zfs":
		return "has caches of its own", "ext4, xfs or btrfs, or a device or file for zfs"
	case filesystem == "btrfs" && err == nil && model.Cached():
		return "makes several writes and flushes of one where there is a write cache", "ext4 or xfs, or a device without a write cache (write_cache: no)"
	}
	return "", ""
}

package proc

import (
	"strconv"
	"strings"
)

// NVMePaths returns how the names of the paths of a multipath NVMe disk begin and end: "nvme0c" and "n1"
// for nvme0n1, whose first path is nvme0c0n1. It returns "" for other disks. Linux counts the I/O of
// such a disk on its paths only, until "nvme-multipath: support io stats on the mpath device".
func NVMePaths(disk string) (begin, end string) {
	rest, _ := strings.CutPrefix(disk, "nvme")
	subsystem, namespace, found := strings.Cut(rest, "n")
	_, err1 := strconv.ParseUint(subsystem, 10, 32)
	_, err2 := strconv.ParseUint(namespace, 10, 32)
	if rest == disk || !found || err1 != nil || err2 != nil {
		return "", ""
	}
	return "nvme" + subsystem + "c", "n" + namespace
}

// Add adds the numbers of a path of the disk, of which it has known. The sum of the times in which paths
// were busy can be longer than the time.
func (d *Disk) Add(path Disk, known int) {
	for i := range known {
		d[i] += path[i]
	}
}

// DiskBusy is the position of the time in which a disk was busy.
const DiskBusy = 9

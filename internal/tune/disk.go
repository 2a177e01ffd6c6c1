package tune

import (
	"math"

	"plinth/internal/device"
	"plinth/internal/profile"
)

// DiskOf is a disk by its model. The depth above which reads do not grow is that
// at which as many are under way as the limit lets through (Little's law).
func DiskOf(d device.Device, rotational bool) profile.Disk {
	e := device.Ideal(d)
	disk := profile.Disk{Probed: true, Rotational: rotational, RandomReadsMost: e.Reads}
	if e.QD1Reads > 0 {
		disk.RandomRead = 1 / e.QD1Reads
		disk.SequentialRead = disk.RandomRead
	}
	if e.Throughput > 0 {
		disk.SequentialRead = float64(device.PageSize) / float64(e.Throughput)
	}
	if e.Commits > 0 {
		disk.Sync = 1 / e.Commits
	}
	if e.Reads > 0 {
		disk.BestDepth = int(math.Ceil(e.Reads * disk.RandomRead))
	}
	return disk
}

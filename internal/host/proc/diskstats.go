package proc

// CutDisk cuts a line of /proc/diskstats (Documentation/admin-guide/iostats.rst): the name
// of the disk, which follows two numbers, and what is after it.
func CutDisk(line []byte) (name, numbers []byte) {
	_, line = CutWord(line)
	_, line = CutWord(line)
	return CutWord(line)
}

// Disk are the numbers after a disk's name: 11 at first, 15 since 4.18,
// 17 since 5.5. Times are in milliseconds, and of 32 bits: they wrap after 49 days
// of disk time, which shows as a counter that went back.
type Disk [17]uint64

// FewestDisk is how many numbers each kernel tells.
const FewestDisk = 11

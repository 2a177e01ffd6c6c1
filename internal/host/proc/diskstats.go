package proc

// CutDisk cuts a line of /proc/diskstats (Documentation/admin-guide/iostats.rst) into the name
// of the disk, which follows two numbers, and the rest.
func CutDisk(line []byte) (name, numbers []byte) {
	_, line = CutWord(line)
	_, line = CutWord(line)
	return CutWord(line)
}

// Disk holds the numbers after a disk's name: 11 at first, 15 since 4.18, 17 since 5.5. Times
// are in milliseconds, in 32 bits: they wrap after 49 days of disk time, which shows as a
// decreasing counter.
type Disk [17]uint64

// FewestDisk is how many numbers every kernel reports.
const FewestDisk = 11

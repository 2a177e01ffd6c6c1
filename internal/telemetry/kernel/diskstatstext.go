package kernel

// cutDisk is the name of a line's disk, which follows two numbers.
func cutDisk(line []byte) (name, numbers []byte) {
	_, line = cutWord(line)
	_, line = cutWord(line)
	return cutWord(line)
}

// diskNumbers are the numbers after a disk's name: 11 at first, 15 since 4.18,
// 17 since 5.5. Times are in milliseconds, and of 32 bits: they wrap after 49 days
// of disk time, which is told as a counter that went back.
type diskNumbers [17]uint64

const fewestDiskNumbers = 11

package kernel

// use is what a process has used.
type use [7]uint64

// What use counts.
const (
	useCPU     = iota // nanoseconds
	useUser           // ticks
	useSystem         // ticks
	useMinor          // faults
	useMajor          // faults that waited for a disk
	useRead           // bytes
	useWritten        // bytes
)

func (u *use) add(other use) {
	for i, n := range other {
		u[i] += n
	}
}

// since is the growth beyond then; what went back a little has not grown.
func (u use) since(then use) use {
	for i, n := range then {
		u[i] -= min(u[i], n)
	}
	return u
}

// least is the smaller of each.
func (u use) least(other use) use {
	for i, n := range other {
		u[i] = min(u[i], n)
	}
	return u
}

// uses are those of a process since it began.
type uses struct {
	self   use
	waited use // of children that ended and were waited for; bytes of the process itself, too
}

package host

// Tree is what a process and all its descendants have used since they began,
// those that have ended and were waited for included.
type Tree struct {
	CPU float64 // seconds, in steps of 10 ms
	// IO is bytes read from and written to block devices (read_bytes and
	// write_bytes of proc_pid_io(5)); a write counts when it makes a page dirty.
	// -1 where none of the processes may be looked at.
	IO int64
	// Hidden is how many of the processes may not be looked at: what they read
	// and wrote is missing from IO. An ordinary user sees his own processes only,
	// and in a container not even root sees all.
	Hidden int
}

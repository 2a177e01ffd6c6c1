package proc

// Statm is the pages of a process that are in memory, and those of them that
// are shared memory or files (/proc/PID/statm, proc_pid_statm(5)).
func Statm(text []byte) (resident, shared uint64, ok bool) {
	var fields [3]uint64
	if CutNumbers(text, fields[:]) < len(fields) {
		return 0, 0, false
	}
	return fields[1], min(fields[1], fields[2]), true
}

// IOFields are what is taken of /proc/PID/io (proc_pid_io(5)).
var IOFields = NewKeyed("read_bytes", "write_bytes")

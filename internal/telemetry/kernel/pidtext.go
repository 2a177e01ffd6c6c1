package kernel

// parseStatm is the pages of a process that are in memory, and those of them that
// are shared memory or files (/proc/PID/statm, proc_pid_statm(5)).
func parseStatm(text []byte) (resident, shared uint64, ok bool) {
	var fields [3]uint64
	if cutNumbers(text, fields[:]) < len(fields) {
		return 0, 0, false
	}
	return fields[1], min(fields[1], fields[2]), true
}

// ioFields are what is taken of /proc/PID/io (proc_pid_io(5)).
var ioFields = newKeyed("read_bytes", "write_bytes")

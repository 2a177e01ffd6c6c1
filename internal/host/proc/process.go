package proc

import (
	"bytes"
	"errors"
	"math"
	"regexp"
	"slices"
	"strings"
)

// Process holds fields of /proc/PID/stat (proc_pid_stat(5)).
type Process struct {
	Name           []byte // at most 15 bytes; a slice of the parsed text
	State          byte   // 'D' waits for a disk, 'Z' is a zombie
	Parent         int
	Group, Session int // -1 for a process that is being removed
	Flags          uint64
	Threads        int
	Started        uint64     // ticks after boot; differs if an id is reused
	Self, Waited   ProcessUse // its own; that of children that ended and were waited for
}

// ProcessUse holds what a process used since it began: minor and major page faults, and ticks
// in user mode and in the kernel.
type ProcessUse struct{ Minor, Major, User, System uint64 }

// MostID is above all ids of processes and threads.
const MostID = 1 << 30

var errNoProcess = errors.New("is not a process's stat")

// ParseProcess parses /proc/PID/stat. A name may contain ")" and line breaks, so it ends at the
// last parenthesis.
func ParseProcess(text []byte) (Process, error) {
	begin, end := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if begin < 0 || end < begin {
		return Process{}, errNoProcess
	}
	state, rest := CutWord(text[end+1:])
	if len(state) != 1 {
		return Process{}, errNoProcess
	}
	var n [20]uint64 // n[1] follows the state
	for i := 1; i < len(n); i++ {
		var word []byte
		word, rest = CutWord(rest)
		number, known := Number(word)
		switch {
		case known:
			n[i] = number
		case i == 2, i == 3: // group and session
			n[i] = math.MaxUint64
		case i == 4, i == 5, i == 15, i == 16, i == 18: // unused, and some may be negative
		default:
			return Process{}, errNoProcess
		}
	}
	if n[1] > MostID || n[17] > MostID {
		return Process{}, errNoProcess
	}
	return Process{
		Name: text[begin+1 : end], State: state[0], Parent: int(n[1]), Group: int(n[2]), Session: int(n[3]),
		Flags: n[6], Threads: int(n[17]), Started: n[19],
		Self:   ProcessUse{Minor: n[7], Major: n[9], User: n[11], System: n[12]},
		Waited: ProcessUse{Minor: n[8], Major: n[10], User: n[13], System: n[14]},
	}, nil
}

// Statm returns the number of resident pages of a process, and how many are shared memory or
// files (/proc/PID/statm, proc_pid_statm(5)).
func Statm(text []byte) (resident, shared uint64, ok bool) {
	var fields [3]uint64
	if CutNumbers(text, fields[:]) < len(fields) {
		return 0, 0, false
	}
	return fields[1], min(fields[1], fields[2]), true
}

// IOFields parses the used lines of /proc/PID/io (proc_pid_io(5)).
var IOFields = NewKeyed("read_bytes", "write_bytes")

// Field returns the value of the first line "name: value" of /proc/PID/status
// (proc_pid_status(5)) or /proc/cpuinfo; "" if there is none.
func Field(text, name string) string {
	for line := range strings.Lines(text) {
		if key, value, found := strings.Cut(line, ":"); found && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// IsVirtual reports whether this /proc/cpuinfo is that of a virtual machine. Only x86 says so;
// other architectures count as physical.
func IsVirtual(cpuinfo string) bool {
	return slices.Contains(strings.Fields(Field(cpuinfo, "flags")), "hypervisor")
}

// Limit is a line of /proc/PID/limits (proc_pid_limits(5)): "Max open files", "1024",
// "unlimited", "files".
type Limit struct{ Name, Soft, Hard, Unit string }

var columns = regexp.MustCompile(` {2,}`)

// Limits parses a table whose columns are at least two spaces apart, including its header.
func Limits(text string) (limits []Limit) {
	for line := range strings.Lines(text) {
		fields := append(columns.Split(strings.TrimSpace(line), 4), "")
		if len(fields) > 3 {
			limits = append(limits, Limit{fields[0], fields[1], fields[2], fields[3]})
		}
	}
	return limits
}

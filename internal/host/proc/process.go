package proc

import (
	"bytes"
	"errors"
	"math"
	"regexp"
	"slices"
	"strings"
)

// Process holds what /proc/PID/stat has of a process (proc_pid_stat(5)).
type Process struct {
	Name           []byte // 15 bytes at most; a part of the text that was parsed
	State          byte   // 'D' waits for a disk, 'Z' has ended and was not waited for
	Parent         int
	Group, Session int // -1 for a process that is being taken away
	Flags          uint64
	Threads        int
	Started        uint64     // ticks after boot; tells processes of one id apart
	Self, Waited   ProcessUse // its own; that of children that ended and were waited for
}

// ProcessUse holds what a process used since it began: page faults without a disk and with
// one, and ticks in programs and in the kernel.
type ProcessUse struct{ Minor, Major, User, System uint64 }

// MostID is beyond what the kernel gives to processes and threads.
const MostID = 1 << 30

var errNoProcess = errors.New("is not a process's stat")

// ParseProcess reads /proc/PID/stat. A process may be called anything, ")" and line breaks
// included, so the name ends at the last bracket.
func ParseProcess(text []byte) (Process, error) {
	begin, end := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if begin < 0 || end < begin {
		return Process{}, errNoProcess
	}
	state, rest := CutWord(text[end+1:])
	if len(state) != 1 {
		return Process{}, errNoProcess
	}
	var n [20]uint64 // what follows the state is the first
	for i := 1; i < len(n); i++ {
		var word []byte
		word, rest = CutWord(rest)
		number, known := Number(word)
		switch {
		case known:
			n[i] = number
		case i == 2, i == 3: // group and session
			n[i] = math.MaxUint64
		case i == 4, i == 5, i == 15, i == 16, i == 18: // not taken, and some may be below 0
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

// Statm is the pages of a process that are in memory, and those of them that
// are shared memory or files (/proc/PID/statm, proc_pid_statm(5)).
func Statm(text []byte) (resident, shared uint64, ok bool) {
	var fields [3]uint64
	if CutNumbers(text, fields[:]) < len(fields) {
		return 0, 0, false
	}
	return fields[1], min(fields[1], fields[2]), true
}

// IOFields hold what is taken of /proc/PID/io (proc_pid_io(5)).
var IOFields = NewKeyed("read_bytes", "write_bytes")

// Field is a line of "name: value", of /proc/PID/status (proc_pid_status(5)) or
// /proc/cpuinfo: the value of the first with that name, "" where there is none.
func Field(text, name string) string {
	for line := range strings.Lines(text) {
		if key, value, found := strings.Cut(line, ":"); found && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// IsVirtual says whether a processor of this /proc/cpuinfo is one of a virtual machine. x86
// tells; others do not, and are taken for real.
func IsVirtual(cpuinfo string) bool {
	return slices.Contains(strings.Fields(Field(cpuinfo, "flags")), "hypervisor")
}

// Limit is a line of /proc/PID/limits (proc_pid_limits(5)): "Max open files", "1024",
// "unlimited", "files".
type Limit struct{ Name, Soft, Hard, Unit string }

var columns = regexp.MustCompile(` {2,}`)

// Limits reads a table whose columns are at least two spaces apart, the head included.
func Limits(text string) (limits []Limit) {
	for line := range strings.Lines(text) {
		fields := append(columns.Split(strings.TrimSpace(line), 4), "")
		if len(fields) > 3 {
			limits = append(limits, Limit{fields[0], fields[1], fields[2], fields[3]})
		}
	}
	return limits
}

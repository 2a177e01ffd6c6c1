package host

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// stat is what /proc/PID/stat says of a process (proc_pid_stat(5)).
type stat struct {
	state           string // "Z" for one that has ended and was not waited for
	parent, session int
}

func readStat(pid int) (stat, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return stat{}, err
	}
	return parseStat(string(text))
}

// parseStat counts fields from the end of the second, a name in parentheses
// that may itself hold spaces and parentheses.
func parseStat(text string) (stat, error) {
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(fields) < 4 {
		return stat{}, fmt.Errorf("%q is not the stat of a process", text)
	}
	parent, err := strconv.Atoi(fields[1])
	if err != nil {
		return stat{}, err
	}
	session, err := strconv.Atoi(fields[3])
	return stat{fields[0], parent, session}, err
}

package kernel

import (
	"bytes"
	"errors"
	"plinth/internal/host/proc"
)

// processStat is what is taken of /proc/PID/stat (proc_pid_stat(5)).
type processStat struct {
	state   byte
	parent  int
	threads int
	started uint64 // ticks after boot; tells processes of one id apart
	uses           // without bytes; CPU time in ticks, too
}

var errNoProcessStat = errors.New("is not the stat of a process")

// statFields are the uses among the fields after the name, which stands in
// brackets.
var statFields = [...]struct {
	at, of int
	waited bool
}{
	{7, useMinor, false}, {8, useMinor, true}, {9, useMajor, false}, {10, useMajor, true},
	{11, useUser, false}, {12, useSystem, false}, {13, useUser, true}, {14, useSystem, true},
}

const parentField, threadsField, startedField, mostFields = 1, 17, 19, 20

// parseProcessStat reads /proc/PID/stat. A process may be called anything, ")" and
// line breaks included.
func parseProcessStat(text []byte) (s processStat, err error) {
	i := bytes.LastIndexByte(text, ')')
	if i < 0 {
		return s, errNoProcessStat
	}
	var words [mostFields][]byte // some that are not looked at may be below 0
	rest := text[i+1:]
	for i := range words {
		words[i], rest = proc.CutWord(rest)
	}
	parent, ok1 := proc.Number(words[parentField])
	threads, ok2 := proc.Number(words[threadsField])
	started, ok3 := proc.Number(words[startedField])
	if !ok1 || !ok2 || !ok3 || len(words[0]) != 1 || parent > mostID || threads > mostID {
		return s, errNoProcessStat
	}
	s.state, s.parent, s.threads, s.started = words[0][0], int(parent), int(threads), started
	return s, s.parse(&words)
}

func (u *uses) parse(words *[mostFields][]byte) error {
	for _, field := range statFields {
		n, ok := proc.Number(words[field.at])
		if !ok {
			return errNoProcessStat
		}
		if field.waited {
			u.waited[field.of] = n
		} else {
			u.self[field.of] = n
		}
	}
	u.self[useCPU] = (u.self[useUser] + u.self[useSystem]) * tick
	u.waited[useCPU] = (u.waited[useUser] + u.waited[useSystem]) * tick
	return nil
}

const (
	tick   = 1e9 / proc.Ticks // nanoseconds
	mostID = 1 << 30          // beyond what the kernel gives to processes and threads
)

// parseRunning is the nanoseconds for which a thread ran (/proc/PID/schedstat).
func parseRunning(text []byte) (uint64, bool) {
	word, _ := proc.CutWord(text)
	return proc.Number(word)
}

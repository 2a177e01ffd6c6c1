package redis

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// member is a process of a server: itself, or a child that saves or rewrites.
type member struct {
	pid   int
	state string // of proc_pid_stat(5): D waits for a disk, Z has ended
}

// members are the processes of a server that works in place and began as process
// leader: each program that a launcher starts has a process group of its own. A
// number that belongs to another group by now is not taken for it.
func members(leader int, place string) []member {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	var all []member
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		// After the name, which may hold anything: state, parent, group.
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		if len(fields) < 3 || fields[2] != strconv.Itoa(leader) || fields[0] == "Z" {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			continue
		}
		if cwd, err := os.Readlink(filepath.Join(filepath.Dir(path), "cwd")); err == nil && cwd == place {
			all = append(all, member{pid, fields[0]})
		}
	}
	return all
}

// kill sends SIGKILL to each.
func kill(all []member) {
	for _, one := range all {
		_ = syscall.Kill(one.pid, syscall.SIGKILL) // it may just have ended
	}
}

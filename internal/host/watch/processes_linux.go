package watch

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"plinth/internal/host/proc"
)

// Processes holds the usage of all processes at one moment.
type Processes struct {
	byPID    map[int]processUse
	children map[int][]int
}

// processUse is the usage of one process, and of its children that have ended and were
// waited for. The kernel adds those to the parent's io (task_io_accounting) and counts their
// CPU time separately (cutime, cstime).
type processUse struct {
	parent  int
	started uint64 // clock ticks after boot; distinguishes processes with the same id
	kernel  bool   // a kernel thread
	command string // comm: 15 bytes at most
	own     int64  // clock ticks of 10 ms, children not included
	cpu     int64  // clock ticks of 10 ms, children included
	io      int64  // bytes, children included; -1 if not permitted
}

// kernelThread is the flag of kernel threads (PF_KTHREAD, linux/sched.h).
const kernelThread = 0x00200000

// ReadProcesses reads the usage of all processes once. It takes some milliseconds, during
// which processes keep running.
func ReadProcesses() (*Processes, error) { return readProcesses("/") }

func readProcesses(root string) (*Processes, error) {
	entries, err := os.ReadDir(filepath.Join(root, "proc"))
	if err != nil {
		return nil, fmt.Errorf("cannot read the usage of processes: %w", err)
	}
	p := &Processes{map[int]processUse{}, map[int][]int{}}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		use, err := readUse(filepath.Join(root, "proc", entry.Name()))
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			continue // it has ended since its name was read
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read the usage of process %d: %w", pid, err)
		}
		p.byPID[pid] = use
		p.children[use.parent] = append(p.children[use.parent], pid)
	}
	return p, nil
}

func readUse(dir string) (processUse, error) {
	text, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return processUse{}, err
	}
	stat, err := proc.ParseProcess(text)
	if err != nil {
		return processUse{}, err
	}
	use := processUse{
		parent:  stat.Parent,
		started: stat.Started,
		kernel:  stat.Flags&kernelThread != 0,
		command: string(stat.Name),
		own:     int64(stat.Self.User + stat.Self.System),
		io:      -1, // not permitted, or not counted by this kernel
	}
	use.cpu = use.own + int64(stat.Waited.User+stat.Waited.System)
	if use.kernel {
		return use, nil
	}
	var n [2]proc.Value
	if text, err := os.ReadFile(filepath.Join(dir, "io")); err == nil && proc.IOFields.Parse(text, n[:]) == nil {
		use.io = int64(n[0].N + n[1].N)
	}
	return use, nil
}

// Count returns the number of processes.
func (p *Processes) Count() int { return len(p.byPID) }

// family returns the existing roots and all their descendants.
func (p *Processes) family(roots ...int) map[int]bool {
	members := map[int]bool{}
	for len(roots) > 0 {
		pid := roots[0]
		roots = roots[1:]
		if _, there := p.byPID[pid]; there && !members[pid] {
			members[pid] = true
			roots = append(roots, p.children[pid]...)
		}
	}
	return members
}

// Tree returns the usage of pid and its descendants. For a process that does not exist it
// returns no CPU time and an unknown IO.
func (p *Processes) Tree(pid int) Tree {
	var sum useSum
	for member := range p.family(pid) {
		sum.add(p.byPID[member])
	}
	return sum.tree()
}

// useSum is a sum over processes.
type useSum struct {
	cpu, io      int64
	seen, hidden int // processes with known and unknown io
}

func (s *useSum) add(u processUse) {
	s.cpu += u.cpu
	if u.io < 0 {
		s.hidden++
		return
	}
	s.seen++
	s.io += u.io
}

func (s useSum) tree() Tree {
	t := Tree{CPU: float64(max(0, s.cpu)) / proc.Ticks, IO: max(0, s.io), Hidden: s.hidden}
	if s.seen == 0 {
		t.IO = -1
	}
	return t
}

const (
	mostBusy  = 5    // maximum number of reported processes
	leastBusy = 0.05 // CPUs; processes below it are not reported
)

// Busiest returns the processes that used most CPU time themselves, including kernel
// threads; the time of ended children does not count. plinth's process tree is left out.
func Busiest(before, after *Processes, took time.Duration, plinth int) (all []BusyProcess) {
	ours := after.family(plinth)
	for pid, now := range after.byPID {
		used := now.own
		if then, was := before.byPID[pid]; was && then.started == now.started {
			used -= then.own
		}
		cpus := float64(used) / proc.Ticks / took.Seconds()
		if !ours[pid] && cpus >= leastBusy {
			all = append(all, BusyProcess{pid, now.command, cpus})
		}
	}
	slices.SortFunc(all, func(a, b BusyProcess) int {
		return cmp.Or(cmp.Compare(b.CPU, a.CPU), a.PID-b.PID)
	})
	return all[:min(len(all), mostBusy)]
}

package kernel

import (
	"fmt"

	"plinth/internal/host/proc"
	"plinth/internal/host/watch"
)

// idlers are plinth's own threads that only keep CPUs awake. The kernel counts their time
// as nice; here it counts as idle, as it would be without them.
type idlers []*idler

type idler struct {
	process int
	cpu     int
	file    file
	ran     uint64 // nanoseconds, at the last reading
	waited  uint64
	moved   uint64 // ticks moved from nice to idle so far
	nice    uint64 // nice of the CPU at the last reading
	begun   bool
}

// whyAwake is the reason for missing columns that only idle CPUs can fill.
const whyAwake = "plinth keeps the CPUs awake"

func newIdlers(root string, threads []watch.IdleThread) (all idlers) {
	for _, t := range threads {
		all = append(all, &idler{process: t.Process, cpu: t.CPU, file: newFile(root, fmt.Sprintf("proc/%d/task/%d/schedstat", t.Process, t.Thread))})
	}
	return all
}

func (s idlers) close() {
	for _, i := range s {
		i.file.close()
	}
}

// rest moves their time from nice to idle, for each CPU and in total, and returns how much
// was moved since boot, in ticks.
func (s idlers) rest(text *proc.Stat) (all uint64) {
	for _, i := range s {
		i.read()
		if i.cpu < len(text.CPUs) && text.CPUs[i.cpu].Known > 0 {
			moved := i.rest(&text.CPUs[i.cpu])
			text.Total.Modes[proc.ModeNice] -= min(moved, text.Total.Modes[proc.ModeNice])
			text.Total.Modes[proc.ModeIdle] += moved
		}
		all += i.moved
	}
	return all
}

// read updates how long the thread ran and waited
// (Documentation/scheduler/sched-stats.rst). A thread that has exited keeps its last
// values.
func (i *idler) read() {
	text, err := i.file.readShort()
	if s, ok := proc.ParseSchedstat(text); err == nil && ok {
		i.ran, i.waited = max(i.ran, s.Running), max(i.waited, s.Waiting)
	}
}

// rest moves the thread's time from nice to idle of its CPU, and returns the total moved.
// The kernel counts thread time exactly, but CPU time by sampling which task runs at each
// tick. So no more is moved than nice grew by, lest either counter go backwards; the
// remainder is moved later.
func (i *idler) rest(cpu *proc.CPUTicks) (moved uint64) {
	ran := i.ran * proc.Ticks / 1e9
	if !i.begun {
		i.begun, i.moved = true, min(ran, cpu.Modes[proc.ModeNice])
	} else if grown := cpu.Modes[proc.ModeNice] - min(i.nice, cpu.Modes[proc.ModeNice]); ran > i.moved {
		i.moved += min(ran-i.moved, grown)
	}
	i.nice = cpu.Modes[proc.ModeNice]
	i.moved = min(i.moved, i.nice) // nice may restart at zero after a CPU was offline
	cpu.Modes[proc.ModeNice] -= i.moved
	cpu.Modes[proc.ModeIdle] += i.moved
	return i.moved
}

// in returns the threads in a control group or in a group within it. holds reports that for a
// process.
func (s idlers) in(holds func(process int) bool) (inside idlers) {
	for _, i := range s {
		if holds(i.process) {
			inside = append(inside, i)
		}
	}
	return inside
}

// runs returns how long the threads ran, in nanoseconds.
func (s idlers) runs() (sum uint64) {
	for _, i := range s {
		i.read()
		sum += i.ran
	}
	return sum
}

// waits returns how long the threads waited for a CPU, in nanoseconds. Waiting is intended.
func (s idlers) waits() (sum uint64) {
	for _, i := range s {
		i.read()
		sum += i.waited
	}
	return sum
}

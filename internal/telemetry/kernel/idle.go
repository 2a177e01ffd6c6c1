package kernel

import (
	"fmt"

	"plinth/internal/host/proc"
	"plinth/internal/host/watch"
)

// idlers are plinth's own threads that only keep CPUs awake. The kernel counts their
// time as nice; here it is what it would be without them: idle.
type idlers []*idler

type idler struct {
	cpu    int
	file   file
	ran    uint64 // nanoseconds, at the last reading
	waited uint64
	moved  uint64 // ticks that were taken for idle so far
	nice   uint64 // that the CPU showed at the last reading
	begun  bool
}

// whyAwake is why what only idle CPUs show is not there.
const whyAwake = "plinth keeps the CPUs awake"

func newIdlers(root string, threads []watch.IdleThread) (all idlers) {
	for _, t := range threads {
		all = append(all, &idler{cpu: t.CPU, file: newFile(root, fmt.Sprintf("proc/%d/task/%d/schedstat", t.Process, t.Thread))})
	}
	return all
}

func (s idlers) close() {
	for _, i := range s {
		i.file.close()
	}
}

// rest takes their time out of nice, of each CPU and of all, and returns how much that
// is since boot, in ticks.
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

// read reads how long it ran and waited (Documentation/scheduler/sched-stats.rst). One
// that has ended does not go on.
func (i *idler) read() {
	text, err := i.file.readShort()
	if s, ok := proc.ParseSchedstat(text); err == nil && ok {
		i.ran, i.waited = max(i.ran, s.Running), max(i.waited, s.Waiting)
	}
}

// rest takes its time out of the CPU's, and says how much in all. The kernel counts the
// time of threads exactly, and that of CPUs by looking each tick who runs: what is taken
// is never more than what nice grew by, so that neither goes back, and what is left over
// is taken later.
func (i *idler) rest(cpu *proc.CPUTicks) (moved uint64) {
	ran := i.ran * proc.Ticks / 1e9
	if !i.begun {
		i.begun, i.moved = true, min(ran, cpu.Modes[proc.ModeNice])
	} else if grown := cpu.Modes[proc.ModeNice] - min(i.nice, cpu.Modes[proc.ModeNice]); ran > i.moved {
		i.moved += min(ran-i.moved, grown)
	}
	i.nice = cpu.Modes[proc.ModeNice]
	i.moved = min(i.moved, i.nice) // of a CPU that was away nice may begin anew
	cpu.Modes[proc.ModeNice] -= i.moved
	cpu.Modes[proc.ModeIdle] += i.moved
	return i.moved
}

// waits is for how many nanoseconds they waited for a CPU, as they are meant to.
func (s idlers) waits() (sum uint64) {
	for _, i := range s {
		i.read()
		sum += i.waited
	}
	return sum
}

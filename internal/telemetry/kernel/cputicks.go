package kernel

import (
	"bytes"
	"errors"
	"fmt"
)

// ticks is how many the kernel's files count a second: USER_HZ, which is 100 on
// every architecture that Go knows.
const ticks = 100

// modes are what CPUs do, in the order of /proc/stat (proc_stat(5)). Guests are
// counted twice: the time of guest is in user, that of guest_nice in nice.
var modes = [...]string{"user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal", "guest", "guest_nice"}

const (
	user, nice, system, idle, iowait, irq, softirq, steal = 0, 1, 2, 3, 4, 5, 6, 7
)

// cpuTicks is how long a CPU, or all of them, were in each mode, since boot.
type cpuTicks struct {
	modes [len(modes)]uint64
	known int // how many of the modes this kernel tells; 0 where the CPU is offline
}

// busy is all but idle and iowait: the time stolen by a hypervisor is time in
// which there was something to do.
func (c *cpuTicks) busy() uint64 { return c.used() + c.modes[steal] }

// used is the time that something ran on this machine.
func (c *cpuTicks) used() uint64 {
	return c.modes[user] + c.modes[nice] + c.modes[system] + c.modes[irq] + c.modes[softirq]
}

// statText is what /proc/stat tells.
type statText struct {
	total cpuTicks
	cpus  []cpuTicks // by number
	rest  [len(statRest)]value
}

// statRest are the lines of /proc/stat below those of CPUs that are looked at.
var statRest = [...]string{"intr", "ctxt", "processes", "procs_running", "procs_blocked"}

var statKeys = newKeyed(statRest[:]...)

// mostCPUs is beyond what a kernel can be built for (CONFIG_NR_CPUS).
const mostCPUs = 16384

var errNoCPU = errors.New("has no line of all CPUs")

// parse reads /proc/stat. The CPUs come first.
func (s *statText) parse(text []byte) error {
	clear(s.cpus)
	s.total = cpuTicks{}
	for bytes.HasPrefix(text, []byte("cpu")) {
		var line []byte
		line, text = cutLine(text)
		name, numbers := cutWord(line)
		cpu, err := s.at(name[len("cpu"):])
		if err != nil {
			return err
		}
		cpu.known = cutNumbers(numbers, cpu.modes[:])
	}
	if s.total.known <= idle {
		return errNoCPU
	}
	// That nothing else is there is told by gaps.
	_ = statKeys.parse(text, s.rest[:])
	return nil
}

// at is the place of a CPU by what follows "cpu" in its name.
func (s *statText) at(id []byte) (*cpuTicks, error) {
	if len(id) == 0 {
		return &s.total, nil
	}
	n, ok := number(id)
	if !ok || n >= mostCPUs {
		return nil, fmt.Errorf("has a line of CPU %.20q", id)
	}
	for uint64(len(s.cpus)) <= n {
		s.cpus = append(s.cpus, cpuTicks{})
	}
	return &s.cpus[n], nil
}

// online is how many CPUs there are.
func (s *statText) online() (n int) {
	for i := range s.cpus {
		if s.cpus[i].known > 0 {
			n++
		}
	}
	return n
}

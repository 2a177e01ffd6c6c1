package proc

import (
	"bytes"
	"errors"
	"fmt"
)

// Ticks is how many the kernel's files count a second: USER_HZ, which is 100 on
// every architecture that Go knows.
const Ticks = 100

// ModeNames hold what CPUs do, in the order of /proc/stat (proc_stat(5)). Guests are
// counted twice: the time of guest is in user, that of guest_nice in nice.
var ModeNames = [...]string{"user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal", "guest", "guest_nice"}

// Places in CPUTicks.Modes.
const (
	ModeUser = iota
	ModeNice
	ModeSystem
	ModeIdle
	ModeIowait
	ModeIRQ
	ModeSoftIRQ
	ModeSteal
)

// CPUTicks is how long a CPU, or all of them, were in each mode, since boot.
type CPUTicks struct {
	Modes [len(ModeNames)]uint64
	Known int // how many of the modes this kernel tells; 0 where the CPU is offline
}

// Busy is all but idle and iowait: the time stolen by a hypervisor is time in
// which there was something to do.
func (c *CPUTicks) Busy() uint64 { return c.Used() + c.Modes[ModeSteal] }

// Used is the time that something ran on this machine.
func (c *CPUTicks) Used() uint64 {
	return c.Modes[ModeUser] + c.Modes[ModeNice] + c.Modes[ModeSystem] + c.Modes[ModeIRQ] + c.Modes[ModeSoftIRQ]
}

// Stat holds the content of /proc/stat. One that is parsed again makes no garbage.
type Stat struct {
	Total  CPUTicks
	CPUs   []CPUTicks             // by number
	Counts [len(StatCounts)]Value // in that order
}

// StatCounts are the lines of /proc/stat below those of CPUs that are looked at.
var StatCounts = [...]string{"intr", "ctxt", "processes", "procs_running", "procs_blocked"}

var statKeys = NewKeyed(StatCounts[:]...)

// mostCPUs is beyond what a kernel can be built for (CONFIG_NR_CPUS).
const mostCPUs = 16384

var errNoCPU = errors.New("has no line for all CPUs")

// Parse reads /proc/stat. The CPUs come first.
func (s *Stat) Parse(text []byte) error {
	clear(s.CPUs)
	s.Total = CPUTicks{}
	for bytes.HasPrefix(text, []byte("cpu")) {
		var line []byte
		line, text = CutLine(text)
		name, numbers := CutWord(line)
		cpu, err := s.at(name[len("cpu"):])
		if err != nil {
			return err
		}
		cpu.Known = CutNumbers(numbers, cpu.Modes[:])
	}
	if s.Total.Known <= ModeIdle {
		return errNoCPU
	}
	// Counts that are missing become gaps.
	_ = statKeys.Parse(text, s.Counts[:])
	return nil
}

// at is the place of a CPU by what follows "cpu" in its name.
func (s *Stat) at(id []byte) (*CPUTicks, error) {
	if len(id) == 0 {
		return &s.Total, nil
	}
	n, ok := Number(id)
	if !ok || n >= mostCPUs {
		return nil, fmt.Errorf("has a line of CPU %.20q", id)
	}
	for uint64(len(s.CPUs)) <= n {
		s.CPUs = append(s.CPUs, CPUTicks{})
	}
	return &s.CPUs[n], nil
}

// Online is how many CPUs there are.
func (s *Stat) Online() (n int) {
	for i := range s.CPUs {
		if s.CPUs[i].Known > 0 {
			n++
		}
	}
	return n
}

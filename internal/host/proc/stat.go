package proc

import (
	"bytes"
	"errors"
	"fmt"
)

// Ticks is the number of ticks in a second: USER_HZ, which is 100 on every architecture that Go
// supports.
const Ticks = 100

// ModeNames are the modes of a CPU, in the order of /proc/stat (proc_stat(5)). Guests are
// counted twice: guest is part of user, guest_nice of nice.
var ModeNames = [...]string{"user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal", "guest", "guest_nice"}

// Indexes of CPUTicks.Modes.
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

// CPUTicks holds the ticks of a CPU, or of all, in each mode since boot.
type CPUTicks struct {
	Modes [len(ModeNames)]uint64
	Known int // how many modes this kernel reports; 0 for an offline CPU
}

// Busy returns all but idle and iowait: in time stolen by a hypervisor there was work to do.
func (c *CPUTicks) Busy() uint64 { return c.Used() + c.Modes[ModeSteal] }

// Used returns the ticks in which this machine did work.
func (c *CPUTicks) Used() uint64 {
	return c.Modes[ModeUser] + c.Modes[ModeNice] + c.Modes[ModeSystem] + c.Modes[ModeIRQ] + c.Modes[ModeSoftIRQ]
}

// Stat holds the content of /proc/stat. Reusing one makes no garbage.
type Stat struct {
	Total  CPUTicks
	CPUs   []CPUTicks             // by number
	Counts [len(StatCounts)]Value // in that order
}

// StatCounts are the parsed lines of /proc/stat below those of CPUs.
var StatCounts = [...]string{"intr", "ctxt", "processes", "procs_running", "procs_blocked"}

var statKeys = NewKeyed(StatCounts[:]...)

// mostCPUs is above the limit of every kernel (CONFIG_NR_CPUS).
const mostCPUs = 16384

var errNoCPU = errors.New("has no line with the total of all CPUs")

// Parse parses /proc/stat, in which CPUs come first.
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
	// Missing counts become gaps.
	_ = statKeys.Parse(text, s.Counts[:])
	return nil
}

// at returns the ticks of the CPU "cpu"+id, or of all for "".
func (s *Stat) at(id []byte) (*CPUTicks, error) {
	if len(id) == 0 {
		return &s.Total, nil
	}
	n, ok := Number(id)
	if !ok || n >= mostCPUs {
		return nil, fmt.Errorf("has a line for an invalid CPU, %.20q", id)
	}
	for uint64(len(s.CPUs)) <= n {
		s.CPUs = append(s.CPUs, CPUTicks{})
	}
	return &s.CPUs[n], nil
}

// Online returns the number of online CPUs.
func (s *Stat) Online() (n int) {
	for i := range s.CPUs {
		if s.CPUs[i].Known > 0 {
			n++
		}
	}
	return n
}

package host

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"plinth/internal/host/proc"
)

// cpuTimes are seconds since boot over all CPUs.
type cpuTimes struct {
	cpus                              int // online
	user, system, idle, iowait, steal float64
	stealDoubtful                     bool // of a virtual machine that never saw any
}

var errNoSteal = errors.New("this virtual machine has counted none since it began: its hypervisor may not report it")

// readCPUTimes reads /proc/stat (proc_stat(5)).
func readCPUTimes(root string, virtual bool) (cpuTimes, error) {
	text, err := os.ReadFile(filepath.Join(root, "proc/stat"))
	if err != nil {
		return cpuTimes{}, err
	}
	var stat proc.Stat
	if stat.Parse(text) != nil || stat.Online() == 0 {
		return cpuTimes{}, errors.New("/proc/stat tells of no CPU")
	}
	s := func(mode int) float64 { return float64(stat.Total.Modes[mode]) / proc.Ticks }
	return cpuTimes{
		cpus:          stat.Online(),
		user:          s(proc.ModeUser) + s(proc.ModeNice), // which hold guest and guest_nice already
		system:        s(proc.ModeSystem) + s(proc.ModeIRQ) + s(proc.ModeSoftIRQ),
		idle:          s(proc.ModeIdle),
		iowait:        s(proc.ModeIowait),
		steal:         s(proc.ModeSteal),
		stealDoubtful: virtual && stat.Total.Modes[proc.ModeSteal] == 0,
	}, nil
}

// rested is the same with the time of plinth's idle threads taken for idle.
func (t cpuTimes) rested(idle float64) cpuTimes {
	t.user -= idle
	t.idle += idle
	return t
}

// IsVirtual says whether this is a virtual machine, as far as its CPU tells.
func IsVirtual() bool { return isVirtual(readWord(os.DirFS("/"), "proc/cpuinfo")) }

// isVirtual says whether a processor of this /proc/cpuinfo is one of a virtual
// machine. x86 tells; others do not, and are taken for real.
func isVirtual(cpuinfo string) bool {
	return slices.Contains(strings.Fields(proc.Field(cpuinfo, "flags")), "hypervisor")
}

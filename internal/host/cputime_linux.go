package host

import (
	"errors"
	"os"
	"strings"

	"github.com/prometheus/procfs"
)

// cpuTimes are seconds since boot over all CPUs.
type cpuTimes struct {
	cpus                              int // online
	user, system, idle, iowait, steal float64
	stealDoubtful                     bool // of a virtual machine that never saw any
}

var errNoSteal = errors.New("this virtual machine has counted none since it began: its hypervisor may not report it")

// readCPUTimes reads /proc/stat (proc_stat(5)).
func readCPUTimes(proc procfs.FS, virtual bool) (cpuTimes, error) {
	stat, err := proc.Stat()
	if err == nil && len(stat.CPU) == 0 {
		err = errors.New("/proc/stat tells of no CPU")
	}
	if err != nil {
		return cpuTimes{}, err
	}
	t := stat.CPUTotal
	return cpuTimes{
		cpus:          len(stat.CPU),
		user:          t.User + t.Nice, // which hold guest and guest_nice already
		system:        t.System + t.IRQ + t.SoftIRQ,
		idle:          t.Idle,
		iowait:        t.Iowait,
		steal:         t.Steal,
		stealDoubtful: virtual && t.Steal == 0,
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
	for line := range strings.Lines(cpuinfo) {
		key, flags, _ := strings.Cut(line, ":")
		if strings.TrimSpace(key) == "flags" {
			for flag := range strings.FieldsSeq(flags) {
				if flag == "hypervisor" {
					return true
				}
			}
			return false
		}
	}
	return false
}

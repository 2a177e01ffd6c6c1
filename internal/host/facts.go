// Package host looks at a machine: facts about its CPUs, memory, disks and kernel, and its
// filesystems. Package watch reads what it does while a program runs, package launch starts
// programs on it.
package host

import (
	"fmt"

	"plinth/internal/unit"
)

// Facts are what must stay the same while an experiment goes on.
type Facts struct {
	MachineID string `json:"machine_id"` // a hash of /etc/machine-id: tells machines apart, names none
	OS        string `json:"os"`         // PRETTY_NAME of os-release
	Kernel    string `json:"kernel"`     // uname -r
	Arch      string `json:"arch"`
	CPUModel  string `json:"cpu_model"`
	CPUs      int    `json:"cpus"`         // CPUs that plinth may run on
	Memory    int64  `json:"memory_bytes"` // MemTotal
}

// Differences says in words what is not the same in later; empty when it is the
// same machine. Memory may differ by 1 %: a kernel reserves a little more or
// less of it at each boot.
func (f Facts) Differences(later Facts) []string {
	var all []string
	differ := func(what string, then, now any) {
		if then != now {
			all = append(all, fmt.Sprintf("%s: %v then, %v now", what, then, now))
		}
	}
	if f.MachineID != later.MachineID {
		all = append(all, "it is another machine (or its machine id was changed)")
	}
	differ("operating system", f.OS, later.OS)
	differ("kernel", f.Kernel, later.Kernel)
	differ("architecture", f.Arch, later.Arch)
	differ("CPU", f.CPUModel, later.CPUModel)
	differ("CPUs that plinth may use", f.CPUs, later.CPUs)
	if change := max(f.Memory-later.Memory, later.Memory-f.Memory); change > f.Memory/100 {
		differ("memory", unit.Size(f.Memory), unit.Size(later.Memory))
	}
	return all
}

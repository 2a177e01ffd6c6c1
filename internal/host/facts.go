// Package host inspects a machine: its CPUs, memory, disks, kernel and filesystems. Package
// watch reads what the machine does while a program runs; package launch starts programs.
package host

import (
	"fmt"

	"plinth/internal/unit"
)

// Facts are the properties of a machine that must not change during an experiment.
type Facts struct {
	MachineID string `json:"machine_id"` // a hash of /etc/machine-id: distinguishes machines without naming them
	OS        string `json:"os"`         // PRETTY_NAME of os-release
	Kernel    string `json:"kernel"`     // uname -r
	Arch      string `json:"arch"`
	CPUModel  string `json:"cpu_model"`
	CPUs      int    `json:"cpus"`         // CPUs that plinth may run on
	Memory    int64  `json:"memory_bytes"` // MemTotal
}

// Differences lists what differs in later, and is empty for the same machine.
func (f Facts) Differences(later Facts) []string {
	var all []string
	if f.MachineID != later.MachineID {
		all = append(all, "it is another machine (or its machine id was changed)")
	}
	f.compare(later, func(what string, then, now any) {
		all = append(all, fmt.Sprintf("%s: %v then, %v now", what, then, now))
	})
	return all
}

// Unlike lists what differs between two machines, in a few words each: "kernel 6.1.0 and 6.8.0".
func (f Facts) Unlike(other Facts) []string {
	var all []string
	f.compare(other, func(what string, a, b any) { all = append(all, fmt.Sprintf("%s %v and %v", what, a, b)) })
	return all
}

// compare calls differ for each property that differs. Memory may differ by 1 %, because the reserve
// that a kernel takes at boot varies a little.
func (f Facts) compare(other Facts, differ func(what string, a, b any)) {
	for _, p := range []struct {
		what string
		a, b any
	}{
		{"operating system", f.OS, other.OS},
		{"kernel", f.Kernel, other.Kernel},
		{"architecture", f.Arch, other.Arch},
		{"CPU", f.CPUModel, other.CPUModel},
		{"CPUs that plinth may use", f.CPUs, other.CPUs},
	} {
		if p.a != p.b {
			differ(p.what, p.a, p.b)
		}
	}
	if change := max(f.Memory-other.Memory, other.Memory-f.Memory); change > f.Memory/100 {
		differ("memory", unit.Size(f.Memory), unit.Size(other.Memory))
	}
}

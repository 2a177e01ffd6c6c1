// Package host looks at a machine: facts about its CPUs, memory, disks and kernel, its
// filesystems, and what it does while a program runs. Package launch starts programs on it.
package host

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

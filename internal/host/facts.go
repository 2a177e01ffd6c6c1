// Package host is the only door to a machine: its processes, its file system,
// and facts about its CPU, memory, disks and kernel.
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

package host

import (
	"plinth/internal/host/watch"
)

// Inventory is what a machine is and how it is set up, as far as it matters to a
// database. What could not be read is a gap; its figures are zero and mean nothing.
// Facts are the part of it that must not change; the rest explains numbers.
type Inventory struct {
	Facts
	Hostname       string              `json:"-"`                        // for people at the terminal, never in a record
	Product        string              `json:"product,omitempty"`        // "Dell Inc. PowerEdge R740", "Amazon EC2 m5.large"; "" where the firmware does not tell
	Virtualisation string              `json:"virtualisation,omitempty"` // "kvm", "amazon", "google", "vmware", "xen", "microsoft", ..., "unknown"; "" for bare metal
	Container      string              `json:"container,omitempty"`      // "docker", "kubernetes", "lxc", ..., "unknown"; "" outside of one
	CPU            CPUInventory        `json:"cpu"`
	Nodes          []NUMANode          `json:"numa_nodes"`
	Memory         MemoryOf            `json:"memory"`
	Swap           []SwapArea          `json:"swap,omitempty"`
	Sysctl         []Setting           `json:"sysctl"`       // those that matter, of vm, kernel, fs and net, as sysctl(8) names them
	Mitigations    []Setting           `json:"mitigations"`  // of CPU vulnerabilities that this CPU has: "meltdown": "Mitigation: PTI"
	Clock          string              `json:"clock_source"` // "tsc", "kvm-clock", "jiffies"
	Clocks         []string            `json:"clock_sources_available"`
	Cgroup         CgroupLimits        `json:"cgroup"`
	Limits         []Setting           `json:"limits"` // of plinth's own process: "max locked memory": "8388608 bytes soft, unlimited hard", or one figure where both are the same
	Disks          []Disk              `json:"disks"`
	Places         []Place             `json:"places,omitempty"` // the directories that were asked for
	Load           LoadAverage         `json:"load"`
	Busiest        []watch.BusyProcess `json:"busiest,omitempty"` // who used most CPU while the inventory was taken, plinth left out
	Gaps           []Gap               `json:"gaps,omitempty"`    // those of places are in the places
}

// CPUInventory is the CPUs of a machine.
type CPUInventory struct {
	Online         int      `json:"online"`           // logical CPUs
	Cores          int      `json:"cores"`            // physical cores
	Sockets        int      `json:"sockets"`          //
	ThreadsPerCore int      `json:"threads_per_core"` // 2 with SMT
	SMT            string   `json:"smt,omitempty"`    // "on", "off", "notsupported", ... (/sys/devices/system/cpu/smt/control)
	Caches         []Cache  `json:"caches,omitempty"`
	Driver         string   `json:"frequency_driver,omitempty"`   // "intel_pstate"; "" where the machine has no frequency scaling to be seen
	Governors      []Shared `json:"governors,omitempty"`          // "performance" on 16 CPUs; the most common first
	Preferences    []Shared `json:"energy_preferences,omitempty"` // energy_performance_preference: "balance_performance" on 16 CPUs
	MinMHz         float64  `json:"min_mhz,omitempty"`            // cpuinfo_min_freq, the lowest of all CPUs
	MaxMHz         float64  `json:"max_mhz,omitempty"`            // cpuinfo_max_freq, the highest of all CPUs
	Turbo          string   `json:"turbo,omitempty"`              // "on", "off"; "" unknown
	IdleDriver     string   `json:"idle_driver,omitempty"`        // "intel_idle"
	Isolated       string   `json:"isolated,omitempty"`           // CPUs left out by isolcpus, "2-3"
}

// Cache is one level of cache: of the first CPU, and how many CPUs share one.
type Cache struct {
	Level    int    `json:"level"`
	Type     string `json:"type"` // "Data", "Instruction", "Unified"
	Size     int64  `json:"size_bytes"`
	SharedBy int    `json:"shared_by_cpus"`
}

// Shared is a value and how many CPUs have it.
type Shared struct {
	Value string `json:"value"`
	CPUs  int    `json:"cpus"`
}

// NUMANode is a node of memory and CPUs (Documentation/ABI/stable/sysfs-devices-node).
type NUMANode struct {
	Node          int    `json:"node"`
	CPUs          string `json:"cpus"` // "0-7,16-23"
	Memory        int64  `json:"memory_bytes"`
	Free          int64  `json:"free_bytes"`
	HugePages     int64  `json:"huge_pages"` // of the default size
	HugePagesFree int64  `json:"huge_pages_free"`
	Distances     []int  `json:"distances"` // to each node, in order; 10 is itself
}

// MemoryOf is the memory of a machine, in bytes (/proc/meminfo).
type MemoryOf struct {
	Total         int64  `json:"total_bytes"`
	Available     int64  `json:"available_bytes"`
	HugePageSize  int64  `json:"huge_page_size_bytes"`
	HugePages     int64  `json:"huge_pages"` // static, of the default size
	HugePagesFree int64  `json:"huge_pages_free"`
	HugePagesRsvd int64  `json:"huge_pages_reserved"`
	THP           string `json:"transparent_huge_pages"` // "always", "madvise", "never"
	THPDefrag     string `json:"transparent_huge_pages_defrag"`
	SwapTotal     int64  `json:"swap_total_bytes"`
	SwapUsed      int64  `json:"swap_used_bytes"`
	Zswap         string `json:"zswap,omitempty"` // "Y", "N"
}

// SwapArea is a line of /proc/swaps.
type SwapArea struct {
	Path string `json:"path"`
	Type string `json:"type"` // "partition", "file"
	Size int64  `json:"size_bytes"`
	Used int64  `json:"used_bytes"`
}

// Setting is a name with its value as the kernel prints it.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// CgroupLimits are the limits of plinth's own cgroup, or of one above it.
type CgroupLimits struct {
	Version   int     `json:"version"`                     // 1, 2; 0 where there is none
	CPUs      float64 `json:"cpus,omitempty"`              // the quota in CPUs; 0 for none
	CPUSet    string  `json:"cpuset,omitempty"`            // "0-3"; "" for all
	MemSet    string  `json:"memory_nodes,omitempty"`      // NUMA nodes that may be used, "0"; "" for all
	Memory    int64   `json:"memory_bytes,omitempty"`      // 0 for none
	High      int64   `json:"memory_high_bytes,omitempty"` // memory.high of version 2, above which a group is slowed down; 0 for none
	IOLimits  string  `json:"io_limits,omitempty"`         // io.max of cgroup v2, or blkio.throttle of v1, as the kernel prints them
	Processes int64   `json:"processes_most,omitempty"`    // pids.max; 0 for none
}

// Disk is a block device that holds data itself: a whole disk (no partition, no
// dm, md or loop device, which are in Place.Layers), as the files of its queue say
// (Documentation/ABI/stable/sysfs-block). Removable drives without a medium are
// left out.
type Disk struct {
	Name       string `json:"name"`            // "nvme0n1"
	Number     string `json:"number"`          // "259:0": how limits of cgroups name it
	Model      string `json:"model,omitempty"` // "" where it does not tell
	Transport  string `json:"transport"`       // "nvme", "nvme-tcp", "sata", "sas", "scsi", "virtio", "usb", "iscsi", ...; "" unknown
	Size       int64  `json:"size_bytes"`
	Rotational bool   `json:"rotational"`
	Scheduler  string `json:"scheduler"` // the chosen one, "none" for none
	ReadAhead  int64  `json:"read_ahead_bytes"`
	WriteCache string `json:"write_cache"` // "write back", "write through"
	FUA        bool   `json:"fua"`         // forced unit access: a synced write needs no flush of the whole cache
	NrRequests int64  `json:"nr_requests"`
	MaxSectors int64  `json:"max_request_bytes"`
	Logical    int64  `json:"logical_block_bytes"`
	Physical   int64  `json:"physical_block_bytes"`
	Discard    bool   `json:"discard"`
	NUMANode   int    `json:"numa_node"` // -1 unknown or none
}

// Place is a directory and all that lies under it, down to the disks.
type Place struct {
	Role       string   `json:"role"` // "data", "wal", or as it was asked for
	Path       string   `json:"path"`
	Filesystem string   `json:"filesystem"`
	Options    string   `json:"mount_options"`
	Source     string   `json:"source"`
	Size       int64    `json:"size_bytes"`
	Free       int64    `json:"free_bytes"`
	Network    bool     `json:"network,omitempty"`   // NFS, CIFS, Ceph, ...: its disks are elsewhere
	InMemory   bool     `json:"in_memory,omitempty"` // it takes memory in the end: tmpfs, zram, a loop device on tmpfs
	Layers     []Layer  `json:"layers,omitempty"`    // block devices from the filesystem down, disks included
	Disks      []string `json:"disks"`               // names of the disks that hold it in the end
	Gaps       []Gap    `json:"gaps,omitempty"`      // why not all layers or disks are known
}

// Layer is one block device under a place.
type Layer struct {
	Name   string   `json:"name"`             // "md0", "dm-0", "loop3", "nvme0n1p1", "nvme0n1"
	Kind   string   `json:"kind"`             // "disk", "partition", "md raid10", "dm lvm", "dm crypt", "dm multipath", "dm", "loop", "bcache", "zram"
	Detail string   `json:"detail,omitempty"` // for people: "4 disks, chunk 512KiB", the name of a dm device, the file of a loop
	On     []string `json:"on,omitempty"`     // the devices right below; of a loop, those of its file

	// ReadAhead is that of this device's queue: the one of the topmost layer that is
	// no partition counts for the filesystem. 0 for partitions.
	ReadAhead int64  `json:"read_ahead_bytes,omitempty"`
	Missing   int    `json:"missing_disks,omitempty"` // of an md array ("degraded")
	Sync      string `json:"sync,omitempty"`          // what an md array is at: "resync", "recover", "check", ...; "" for nothing
}

// LoadAverage is /proc/loadavg.
type LoadAverage struct {
	One     float64 `json:"one_minute"`
	Five    float64 `json:"five_minutes"`
	Fifteen float64 `json:"fifteen_minutes"`
	Running int     `json:"running"` // runnable threads, plinth's own included
	Threads int     `json:"threads"`
}

// Device is the block device that the requests of a place's filesystem go to: the
// topmost layer that is no partition, whose flushes are counted with its disk's. It
// is "" where none is to be seen.
func (p Place) Device() string {
	for _, layer := range p.Layers {
		if layer.Kind != "partition" {
			return layer.Name
		}
	}
	return ""
}

// Core is a physical core: CPUs that share it slow each other down.
type Core struct {
	Node int   // its NUMA node; 0 where the machine has none
	CPUs []int // its logical CPUs, in order: two with SMT
}

// Gap is what could not be read, and why.
type Gap struct {
	What string `json:"what"` // the JSON name of a field of an Inventory or a Place
	Why  string `json:"why"`
}

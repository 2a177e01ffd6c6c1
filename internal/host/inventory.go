package host

import (
	"plinth/internal/host/watch"
)

// An Inventory describes a machine and its configuration, as far as they matter to a
// database. What could not be read is a gap; the corresponding figures are zero and
// meaningless. The embedded Facts must not change; the rest explains numbers.
type Inventory struct {
	Facts
	Hostname       string              `json:"-"`                        // for display in a terminal, never in a record
	Product        string              `json:"product,omitempty"`        // "Dell Inc. PowerEdge R740", "Amazon EC2 m5.large"; "" if the firmware does not name one
	Virtualisation string              `json:"virtualisation,omitempty"` // "kvm", "amazon", "google", "vmware", "xen", "microsoft", ..., "unknown"; "" for bare metal
	Container      string              `json:"container,omitempty"`      // "docker", "kubernetes", "lxc", ..., "unknown"; "" outside of a container
	CPU            CPUInventory        `json:"cpu"`
	Nodes          []NUMANode          `json:"numa_nodes"`
	Memory         MemoryOf            `json:"memory"`
	Swap           []SwapArea          `json:"swap,omitempty"`
	Sysctl         []Setting           `json:"sysctl"`       // the relevant ones of vm, kernel, fs and net, as sysctl(8) names them
	Mitigations    []Setting           `json:"mitigations"`  // of vulnerabilities that this CPU has: "meltdown": "Mitigation: PTI"
	Clock          string              `json:"clock_source"` // "tsc", "kvm-clock", "jiffies"
	Clocks         []string            `json:"clock_sources_available"`
	Cgroup         CgroupLimits        `json:"cgroup"`
	Limits         []Setting           `json:"limits"` // of plinth's own process: "max locked memory": "8388608 bytes soft, unlimited hard", or one figure if both are the same
	Disks          []Disk              `json:"disks"`
	Places         []Place             `json:"places,omitempty"` // the directories passed to ReadInventory
	Load           LoadAverage         `json:"load"`
	Busiest        []watch.BusyProcess `json:"busiest,omitempty"` // the processes that used most CPU during the inventory, plinth excluded
	Gaps           []Gap               `json:"gaps,omitempty"`    // gaps of places are in Places
}

// CPUInventory describes the CPUs of a machine.
type CPUInventory struct {
	Online         int      `json:"online"`           // logical CPUs
	Cores          int      `json:"cores"`            // physical cores
	Sockets        int      `json:"sockets"`          //
	ThreadsPerCore int      `json:"threads_per_core"` // 2 with SMT
	SMT            string   `json:"smt,omitempty"`    // "on", "off", "notsupported", ... (/sys/devices/system/cpu/smt/control)
	Caches         []Cache  `json:"caches,omitempty"`
	Driver         string   `json:"frequency_driver,omitempty"`   // "intel_pstate"; "" if the machine has no visible frequency scaling
	Governors      []Shared `json:"governors,omitempty"`          // "performance" on 16 CPUs; the most common first
	Preferences    []Shared `json:"energy_preferences,omitempty"` // energy_performance_preference: "balance_performance" on 16 CPUs
	MinMHz         float64  `json:"min_mhz,omitempty"`            // cpuinfo_min_freq, the lowest of all CPUs
	MaxMHz         float64  `json:"max_mhz,omitempty"`            // cpuinfo_max_freq, the highest of all CPUs
	Turbo          string   `json:"turbo,omitempty"`              // "on", "off"; "" unknown
	IdleDriver     string   `json:"idle_driver,omitempty"`        // "intel_idle"
	Isolated       string   `json:"isolated,omitempty"`           // CPUs excluded by isolcpus, "2-3"
}

// A Cache describes one level of the first CPU's caches, and how many CPUs share it.
type Cache struct {
	Level    int    `json:"level"`
	Type     string `json:"type"` // "Data", "Instruction", "Unified"
	Size     int64  `json:"size_bytes"`
	SharedBy int    `json:"shared_by_cpus"`
}

// Shared is a value and the number of CPUs that have it.
type Shared struct {
	Value string `json:"value"`
	CPUs  int    `json:"cpus"`
}

// A NUMANode is a node of memory and CPUs (Documentation/ABI/stable/sysfs-devices-node).
type NUMANode struct {
	Node          int    `json:"node"`
	CPUs          string `json:"cpus"` // "0-7,16-23"
	Memory        int64  `json:"memory_bytes"`
	Free          int64  `json:"free_bytes"`
	HugePages     int64  `json:"huge_pages"` // of the default size
	HugePagesFree int64  `json:"huge_pages_free"`
	Distances     []int  `json:"distances"` // to each node, in order; 10 to itself
}

// MemoryOf describes the memory of a machine, in bytes (/proc/meminfo).
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

// A SwapArea is a line of /proc/swaps.
type SwapArea struct {
	Path string `json:"path"`
	Type string `json:"type"` // "partition", "file"
	Size int64  `json:"size_bytes"`
	Used int64  `json:"used_bytes"`
}

// A Setting is a name with its value as the kernel prints it.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// CgroupLimits are the effective limits of plinth's own control group and its ancestors.
type CgroupLimits struct {
	Version   int     `json:"version"`                     // 1, 2; 0 without control groups
	CPUs      float64 `json:"cpus,omitempty"`              // the quota in CPUs; 0 for none
	CPUSet    string  `json:"cpuset,omitempty"`            // "0-3"; "" for all
	MemSet    string  `json:"memory_nodes,omitempty"`      // allowed NUMA nodes, "0"; "" for all
	Memory    int64   `json:"memory_bytes,omitempty"`      // 0 for none
	High      int64   `json:"memory_high_bytes,omitempty"` // memory.high of version 2, above which a group is throttled; 0 for none
	IOLimits  string  `json:"io_limits,omitempty"`         // io.max of cgroup v2, or blkio.throttle of v1, as the kernel prints them
	Processes int64   `json:"processes_most,omitempty"`    // pids.max; 0 for none
}

// A Disk is a block device that stores data itself: a whole disk (not a partition, or a dm,
// md or loop device, which are in Place.Layers), as described by the files of its queue
// (Documentation/ABI/stable/sysfs-block). Removable drives without a medium are left out.
type Disk struct {
	Name       string `json:"name"`                // "nvme0n1"
	Number     string `json:"number"`              // "259:0", as used by cgroup limits
	Model      string `json:"model,omitempty"`     // "" if unknown
	Service    string `json:"service,omitempty"`   // the provider's service, if the model names one: "Amazon EBS", "EC2 instance store"
	Ephemeral  bool   `json:"ephemeral,omitempty"` // a disk of a cloud instance itself: its data is lost when the instance stops
	Transport  string `json:"transport"`           // "nvme", "nvme-tcp", "sata", "sas", "scsi", "virtio", "usb", "iscsi", ...; "" unknown
	Size       int64  `json:"size_bytes"`
	Rotational bool   `json:"rotational"`
	Scheduler  string `json:"scheduler"` // the active one, "none" for none
	ReadAhead  int64  `json:"read_ahead_bytes"`
	WriteCache string `json:"write_cache"` // "write back", "write through"
	FUA        bool   `json:"fua"`         // force unit access: a synchronous write needs no flush of the whole cache
	NrRequests int64  `json:"nr_requests"`
	MaxSectors int64  `json:"max_request_bytes"`
	Logical    int64  `json:"logical_block_bytes"`
	Physical   int64  `json:"physical_block_bytes"`
	Discard    bool   `json:"discard"`
	NUMANode   int    `json:"numa_node"` // -1 unknown or none
}

// A Place is a directory and the devices below it, down to the disks.
type Place struct {
	Role       string   `json:"role"` // "data", "wal", or as passed by the caller
	Path       string   `json:"path"`
	Filesystem string   `json:"filesystem"`
	Options    string   `json:"mount_options"`
	Source     string   `json:"source"`
	Size       int64    `json:"size_bytes"`
	Free       int64    `json:"free_bytes"`
	Network    bool     `json:"network,omitempty"`   // NFS, CIFS, Ceph, ...: its disks belong to another machine
	InMemory   bool     `json:"in_memory,omitempty"` // it finally resides in memory: tmpfs, zram, a loop device on tmpfs
	Layers     []Layer  `json:"layers,omitempty"`    // block devices from the filesystem down, disks included
	Disks      []string `json:"disks"`               // names of the disks that finally store it
	Remote     []Remote `json:"remote,omitempty"`    // what of it is reached over a network
	Gaps       []Gap    `json:"gaps,omitempty"`      // why not all layers or disks are known
}

// A Layer is one block device below a place.
type Layer struct {
	Name   string   `json:"name"`             // "md0", "dm-0", "loop3", "nvme0n1p1", "nvme0n1"
	Kind   string   `json:"kind"`             // "disk", "partition", "md raid10", "dm lvm", "dm crypt", "dm multipath", "dm", "loop", "bcache", "zram"
	Detail string   `json:"detail,omitempty"` // for display: "4 disks, chunk 512KiB", the name of a dm device, the file of a loop device
	On     []string `json:"on,omitempty"`     // the devices directly below; for a loop device, those of its file

	// ReadAhead is that of this device's queue. The filesystem uses the one of the topmost
	// layer that is not a partition. 0 for partitions.
	ReadAhead int64  `json:"read_ahead_bytes,omitempty"`
	Missing   int    `json:"missing_disks,omitempty"` // of an md array ("degraded")
	Sync      string `json:"sync,omitempty"`          // current action of an md array: "resync", "recover", "check", ...; "" for none
}

// LoadAverage holds the figures of /proc/loadavg.
type LoadAverage struct {
	One     float64 `json:"one_minute"`
	Five    float64 `json:"five_minutes"`
	Fifteen float64 `json:"fifteen_minutes"`
	Running int     `json:"running"` // runnable threads, plinth's own included
	Threads int     `json:"threads"`
}

// Device returns the block device that receives the requests of a place's filesystem: the
// topmost layer that is not a partition. A partition's flushes are counted with its disk's.
// It returns "" if no device is visible, or if the filesystem itself lies on several (btrfs, bcachefs).
func (p Place) Device() string {
	if top := p.top(); top.Kind != "disk" || len(p.Disks) <= 1 {
		return top.Name
	}
	return ""
}

// ReadAhead returns the read-ahead of a place's device in bytes; 0 if no device is visible.
func (p Place) ReadAhead() int64 { return p.top().ReadAhead }

// top returns the topmost layer that is not a partition.
func (p Place) top() Layer {
	for _, layer := range p.Layers {
		if layer.Kind != "partition" {
			return layer
		}
	}
	return Layer{}
}

// A Core is a physical core, whose CPUs slow each other down.
type Core struct {
	Node int   // its NUMA node; 0 on a machine without NUMA
	CPUs []int // its logical CPUs, in order: two with SMT
}

// A Gap names something that could not be read, and the reason.
type Gap struct {
	What string `json:"what"` // the JSON name of a field of an Inventory or a Place
	Why  string `json:"why"`
}

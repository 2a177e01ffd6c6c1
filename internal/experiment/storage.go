package experiment

import (
	"reflect"

	"plinth/internal/device"
	"plinth/internal/unit"
)

// Storage defines where the parts of a server's data live.
type Storage struct {
	Data        Volume       `yaml:"data" doc:"Data directory: an existing directory (default: the current one), or a volume to create."`
	WAL         Volume       `yaml:"wal" engine:"postgres" doc:"Write-ahead log. Default: with the data."`
	Temp        Volume       `yaml:"temp" engine:"postgres" doc:"Temporary files (temp_tablespaces). Default: with the data."`
	Tablespaces []Tablespace `yaml:"tablespaces" engine:"postgres" doc:"Tablespaces, by name."`
}

// Tablespace is a named place for tables and indexes.
type Tablespace struct {
	Name   string `yaml:"-"`
	Volume Volume `yaml:"-"`
}

// Volume is a place for data: an existing directory, or a filesystem that plinth creates on a disk,
// an array, a file, or an emulated device. A plain string in the file is a directory.
type Volume struct {
	Directory string `yaml:"directory" doc:"An existing directory, in which plinth creates a subdirectory. Short form: the directory alone instead of the keys."`
	Class     string `yaml:"class" doc:"With kubernetes: the storage class of the volume, which needs a size: {class: longhorn-2r, size: 20GiB}."`
	Disk
	RAID       string    `yaml:"raid" enum:"0,1,10" doc:"RAID level of an array created with mdadm: 0, 1 or 10."`
	Members    []Disk    `yaml:"members" doc:"Members of the array: devices, files or emulated devices. At least 2; for RAID 10 an even number, at least 4."`
	Chunk      unit.Size `yaml:"chunk" min:"4KiB" max:"1GiB" doc:"Chunk size: the amount of data written to one member before the next. Default: mdadm's 512KiB. Not for RAID 1."`
	Filesystem string    `yaml:"filesystem" enum:"ext4,xfs,btrfs,zfs" doc:"Filesystem to create. Default: ext4."`
	Mkfs       []string  `yaml:"mkfs" doc:"mkfs options, passed unchanged: [-s, size=4096]."`
	Mount      []string  `yaml:"mount" doc:"Mount options: [noatime, discard]."`
	ReadAhead  unit.Size `yaml:"read_ahead" min:"4KiB" max:"1GiB" doc:"Read-ahead of the block device (read_ahead_kb). Default: 128KiB for a single file or emulated disk, otherwise the kernel's."`
	Scheduler  string    `yaml:"scheduler" enum:"none,mq-deadline,kyber,bfq" doc:"I/O scheduler of the block device. Default: the kernel's."`
	Unsafe     bool      `yaml:"unsafe" doc:"Allows options that can lose acknowledged data in a power cut. The numbers are then marked unsafe."`
}

// Disk is one block device: an existing one, a file, or an emulated one.
type Disk struct {
	Device  string    `yaml:"device" doc:"An existing block device: /dev/nvme1n1. plinth creates a new filesystem on it. Short form for a member of an array: the device alone."`
	File    string    `yaml:"file" doc:"File to create for a loop device."`
	Emulate Emulation `yaml:"emulate" doc:"An emulated device: a name from plinth devices, a model file, or {raid: 10, of: gp3, members: 8}."`
	Is      Emulation `yaml:"is" doc:"Model of the disk under an existing device, file or directory, in the same form as emulate: gp3, or a file that plinth probe wrote. plinth then knows the disk's limits, and warns if a run contradicts them. Also allowed with connect."`
	Changes
	Size    unit.Size `yaml:"size" min:"16MiB" max:"64TiB" doc:"Size of a file, of a volume on Kubernetes, or of an emulated device as the filesystem sees it. Default for an emulated device: the size that the data needs."`
	Backing string    `yaml:"backing" doc:"Directory for the backing file of an emulated device, on a disk that is faster than the emulated device. Default: the current directory."`
	Erase   bool      `yaml:"erase" doc:"Allows plinth to erase a device that has a partition table, a filesystem or another signature. For an array: all members that are devices."`
}

// Emulation selects the device to emulate. A plain string in the file is Name: a catalog entry, or a
// model file if it contains a slash or ends in .yaml. After loading, the content of a model file
// is in Model, and Name is the file's name without the path.
type Emulation struct {
	Name    string         `yaml:"name" doc:"A name from plinth devices, or a model file (contains a slash or ends in .yaml). Short form: the name alone instead of the keys."`
	RAID    string         `yaml:"raid" enum:"0,1,10" doc:"RAID level of an array of identical members, emulated as one model without mdadm."`
	Of      string         `yaml:"of" doc:"Model of each member: a name from plinth devices, or a model file."`
	Members int            `yaml:"members" min:"2" max:"64" doc:"Number of members."`
	Chunk   unit.Size      `yaml:"chunk" min:"4KiB" max:"1GiB" doc:"Chunk size: the amount of data written to one member before the next. Default: 512KiB, as with mdadm. Not for RAID 1."`
	Model   *device.Device `yaml:"model" doc:"The model, with the keys of a model file."`
}

// Changes are the differences of an emulated device, or of what Is names, from the catalog.
type Changes struct {
	IOPS        float64       `yaml:"iops" min:"1" doc:"Provisioned IOPS of the emulated device, or of the model under \"is\"."`
	Throughput  unit.Rate     `yaml:"throughput" min:"4KiB/s" doc:"Provisioned throughput: 250MiB/s."`
	Provisioned unit.Size     `yaml:"provisioned" min:"1GiB" doc:"Volume size from which the limits follow, if they depend on the size (gp2, st1, sc1). Default: the catalog's."`
	Latency     unit.Duration `yaml:"latency" min:"1us" max:"60s" doc:"Median latency of reads and writes. The tail keeps its ratio to the median."`
	RoundTrip   unit.Duration `yaml:"round_trip" min:"1us" max:"60s" doc:"Median network round trip to each replica."`
	WriteCache  string        `yaml:"write_cache" enum:"yes,no" doc:"Whether a durable write also needs a flush."`
}

// There reports whether the file declares the volume.
func (v Volume) There() bool {
	return v.Directory != "" || v.Class != "" || v.RAID != "" || v.Disk.There()
}

// There reports whether the file declares the disk.
func (d Disk) There() bool { return d.Device != "" || d.File != "" || d.Emulated() }

// Emulated reports whether the disk is emulated.
func (d Disk) Emulated() bool {
	return d.Emulate.Name != "" || d.Emulate.RAID != "" || d.Emulate.Model != nil
}

// Said reports whether the file says what the disk is.
func (d Disk) Said() bool { return d.Is.Name != "" || d.Is.RAID != "" || d.Is.Model != nil }

// OnlySaid reports whether the file says what a volume is, and nothing else.
func (v Volume) OnlySaid() bool {
	said := v.Said()
	v.Is, v.Changes = Emulation{}, Changes{}
	return said && !v.Given()
}

// Emulated reports whether all disks of a volume are emulated.
func (v Volume) Emulated() bool {
	if v.RAID == "" {
		return v.Disk.Emulated()
	}
	for _, m := range v.Members {
		if !m.Emulated() {
			return false
		}
	}
	return len(v.Members) > 0
}

// Part is one volume of a storage, with its role: data, wal, temp, or a tablespace.
type Part struct {
	Role   string // "data", "wal", "temp", or "tablespace NAME"
	Name   string // of the tablespace; otherwise the role
	Volume Volume
}

// The roles of parts.
const (
	RoleData       = "data"
	RoleWAL        = "wal"
	RoleTemp       = "temp"
	RoleTablespace = "tablespace"
)

// Parts returns the declared volumes of a storage, data first.
func (s Storage) Parts() []Part {
	var parts []Part
	for _, p := range []Part{
		{RoleData, RoleData, s.Data}, {RoleWAL, RoleWAL, s.WAL}, {RoleTemp, RoleTemp, s.Temp},
	} {
		if p.Volume.There() {
			parts = append(parts, p)
		}
	}
	for _, t := range s.Tablespaces {
		parts = append(parts, Part{RoleTablespace + " " + t.Name, t.Name, t.Volume})
	}
	return parts
}

// Role returns the volume of a role; the zero Volume if there is none.
func (s *Storage) Role(role string) Volume {
	for i, v := range s.Volumes() {
		if s.roleAt(i) == role {
			return *v
		}
	}
	return Volume{}
}

// roleAt returns the role of the volume at index i of Volumes.
func (s *Storage) roleAt(i int) string {
	if i < len(ownRoles) {
		return ownRoles[i]
	}
	return RoleTablespace + " " + s.Tablespaces[i-len(ownRoles)].Name
}

// SaidRoles returns the roles of the volumes of which the file says what they are.
func (s *Storage) SaidRoles() []string {
	var roles []string
	for i, v := range s.Volumes() {
		if v.Said() {
			roles = append(roles, s.roleAt(i))
		}
	}
	return roles
}

// ownRoles holds the roles of Volumes before the tablespaces.
var ownRoles = []string{RoleData, RoleWAL, RoleTemp}

// Volumes returns all volumes that a storage can have, declared or not.
func (s *Storage) Volumes() []*Volume {
	volumes := []*Volume{&s.Data, &s.WAL, &s.Temp}
	for i := range s.Tablespaces {
		volumes = append(volumes, &s.Tablespaces[i].Volume)
	}
	return volumes
}

// Disks returns the volume's own disk, followed by the members of its array.
func (v *Volume) Disks() []*Disk {
	disks := []*Disk{&v.Disk}
	for i := range v.Members {
		disks = append(disks, &v.Members[i])
	}
	return disks
}

// Given reports whether the file has any key of the volume.
func (v *Volume) Given() bool { return !reflect.ValueOf(*v).IsZero() }

// RateShare returns the factor by which the rates of emulated devices are scaled, from 0 to 1. If
// fit is true, the factor depends on this machine and share has no meaning.
func (e *Experiment) RateShare() (share float64, fit bool) {
	switch e.EmulatedRates {
	case "", "full":
		return 1, false
	case "fit":
		return 0, true
	}
	parsed, _ := unit.ParseShare(e.EmulatedRates) // validated on loading
	return float64(parsed), false
}

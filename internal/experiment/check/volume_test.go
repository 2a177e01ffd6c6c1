package check

import (
	"fmt"
	"testing"

	"plinth/internal/device"
	"plinth/internal/experiment"
	"plinth/internal/unit"
)

func arrayOf(members ...experiment.Disk) experiment.Volume {
	return experiment.Volume{RAID: "0", Members: members}
}

func devices(n int) []experiment.Disk {
	var disks []experiment.Disk
	for i := range n {
		disks = append(disks, experiment.Disk{Device: fmt.Sprintf("/dev/d%d", i)})
	}
	return disks
}

func spaces(name string) []experiment.Tablespace {
	return []experiment.Tablespace{{Name: name, Volume: experiment.Volume{Directory: "/" + name}}}
}

// TestPaths checks the paths of volumes.
func TestPaths(t *testing.T) {
	mistakes{
		`environments[0].storage.data.directory: environments.a.storage.data: ~ is not expanded here | write the full path`: func(l lab) {
			l.a.Storage.Data.Directory = "~/data"
		},
		`environments[0].storage.data.device: environments.a.storage.data: a control character in the path`: func(l lab) {
			l.a.Storage.Data = experiment.Volume{Disk: experiment.Disk{Device: "/dev/a\nb"}}
		},
		`environments[0].storage.data.file: environments.a.storage.data: ~ is not expanded here | write the full path`: func(l lab) {
			l.a.Storage.Data = experiment.Volume{Disk: experiment.Disk{File: "~/a.img", Size: unit.GiB}}
		},
		`environments[1].storage.data.backing: environments.b.storage.data: ~ is not expanded here | write the full path`: func(l lab) {
			l.b.Storage.Data.Backing = "~"
		},
		`environments[0].storage.wal.device: environments.a.storage.wal: /dev//sdb is already used by environments.a.storage.data | give each volume its own device or file; several can share a directory`: func(l lab) {
			l.a.Storage.Data = experiment.Volume{Disk: experiment.Disk{Device: "/dev/sdb"}}
			l.a.Storage.WAL = experiment.Volume{Disk: experiment.Disk{Device: "/dev//sdb"}}
		},
		"": func(l lab) { // on two machines
			l.a.Storage.Data = experiment.Volume{Disk: experiment.Disk{Device: "/dev/sdb"}}
			l.b.Storage.Data = experiment.Volume{Disk: experiment.Disk{Device: "/dev/sdb"}}
			l.b.At.SSH = "ssh://db2"
		},
	}.test(t)
}

// TestSaid checks what a volume is said to be.
func TestSaid(t *testing.T) {
	is := func(name string) experiment.Volume {
		return experiment.Volume{Directory: "/mnt/x", Disk: experiment.Disk{Is: experiment.Emulation{Name: name}}}
	}
	mistakes{
		"": func(l lab) { // existing servers can have it, too
			l.a.Storage.Data = is("gp3")
			l.a.Storage.Data.IOPS = 6000
		},
		`environments[0].storage.data.is.name: environments.a.storage.data: there is no device "gp4" | did you mean gp2 or gp3? plinth devices lists them`: func(l lab) {
			l.a.Storage.Data = is("gp4")
		},
		`environments[0].storage.data.iops: environments.a.storage.data: iops: 20,000: gp3 can have 3,000 to 16,000`: func(l lab) {
			l.a.Storage.Data = is("gp3")
			l.a.Storage.Data.IOPS = 20000
		},
		`environments[1].storage.data.is: environments.b.storage.data: "is" applies only to an existing device, file or directory | leave it out: emulate already defines the device`: func(l lab) {
			l.b.Storage.Data.Is.Name = "gp3"
		},
		`environments[0].storage.data.members[1].is: environments.a.storage.data: "is" describes the whole array, not a member | give it to the volume: is: {raid: 10, of: gp3, members: 8}`: func(l lab) {
			l.a.Storage.Data = arrayOf(devices(2)...)
			l.a.Storage.Data.Members[1].Is.Name = "gp3"
		},
		`environments[0].storage.data.is: environments.a.storage.data.is: no device is given | give a name from plinth devices, or raid: 10, of: gp3 and members: 8`: func(l lab) {
			l.a.Storage.Data = is("")
			l.a.Storage.Data.Is.Chunk = 64 * unit.KiB
		},
	}.test(t)
}

// TestTablespaces checks the names of tablespaces, and that required ones exist.
func TestTablespaces(t *testing.T) {
	mistakes{
		`environments[0].storage.tablespaces[0].name: a tablespace cannot be named "Cold": use at most 63 lower-case letters, digits and underscores, not beginning with a digit`: func(l lab) {
			l.a.Storage.Tablespaces = spaces("Cold")
		},
		`environments[0].storage.tablespaces[0].name: a tablespace cannot be named pg_own: names that begin with pg_ are reserved for PostgreSQL`: func(l lab) {
			l.a.Storage.Tablespaces = spaces("pg_own")
		},
		`environments[0].storage.tablespaces[0].name: a tablespace cannot be named plinth_x: names that begin with plinth_ are reserved for plinth`: func(l lab) {
			l.a.Storage.Tablespaces = spaces("plinth_x")
		},
		`environments[0].storage.tablespaces[0].name: a tablespace cannot be named wal: that is the name of another volume`: func(l lab) {
			l.a.Storage.Tablespaces = spaces("wal")
		},
		`environments[0].storage.tablespaces[0].name: a tablespace cannot be named table: it is a reserved word in SQL`: func(l lab) {
			l.a.Storage.Tablespaces = spaces("table")
		},
		`dataset.tablespace: dataset.tablespace: environment b has no tablespace "cold" | add it to storage.tablespaces of this environment: every environment needs it`: func(l lab) {
			l.Dataset.Tablespace, l.a.Storage.Tablespaces = "cold", spaces("cold")
		},
		`dataset.index_tablespace: dataset.index_tablespace: environment a has no tablespace "clod" | did you mean cold?`: func(l lab) {
			l.Dataset.IndexSpace, l.a.Storage.Tablespaces, l.b.Storage.Tablespaces = "clod", spaces("cold"), spaces("clod")
		},
		`settings.temp_tablespaces: settings: storage.temp of a already sets temp_tablespaces | leave out one of the two`: func(l lab) {
			l.Settings, l.a.Storage.Temp.Directory = map[string]string{"temp_tablespaces": "fast"}, "/t"
		},
		`environments[0].settings.TEMP_TABLESPACES: environments.a.settings: storage.temp of a already sets temp_tablespaces | leave out one of the two`: func(l lab) {
			l.a.Settings, l.a.Storage.Temp.Directory = map[string]string{"TEMP_TABLESPACES": "fast"}, "/t"
		},
	}.test(t)
}

// TestVolumes checks the kind of place of a volume, and its options.
func TestVolumes(t *testing.T) {
	mistakes{
		`environments[0].storage.data: environments.a.storage.data: no location is given | give it one of directory, device, file, emulate and raid`: func(l lab) {
			l.a.Storage.Data = experiment.Volume{Filesystem: "xfs"}
		},
		`environments[0].storage.data.members: environments.a.storage.data: members without raid | add raid: 0, 1 or 10`: func(l lab) {
			l.a.Storage.Data = experiment.Volume{Members: devices(2)}
		},
		`environments[0].storage.data: environments.a.storage.data: several locations are given: directory, device | leave out all but one`: func(l lab) {
			l.a.Storage.Data.Device = "/dev/sdb"
		},
		`environments[0].storage.data: environments.a.storage.data: several locations are given: file, raid | leave out all but one`: func(l lab) {
			l.a.Storage.Data = arrayOf(devices(2)...)
			l.a.Storage.Data.File = "/x"
		},
		`environments[0].storage.data.file: environments.a.storage.data: a file needs a size | add size: 8GiB`: func(l lab) {
			l.a.Storage.Data = experiment.Volume{Disk: experiment.Disk{File: "/x.img"}}
		},
		`environments[0].storage.data.size: environments.a.storage.data: size applies only to a file or an emulated device | leave it out`: func(l lab) {
			l.a.Storage.Data.Size = unit.GiB
		},
		`environments[0].storage.data.backing: environments.a.storage.data: backing applies only to an emulated device | leave it out`: func(l lab) {
			l.a.Storage.Data.Backing = "/fast"
		},
		`environments[0].storage.data.erase: environments.a.storage.data: erase applies only to an existing device | leave it out`: func(l lab) {
			l.a.Storage.Data.Erase = true
		},
		`environments[0].storage.data.filesystem: environments.a.storage.data: filesystem applies only to a volume that plinth creates, and this is an existing directory | leave it out, or give a device, file or emulate instead of the directory`: func(l lab) {
			l.a.Storage.Data.Filesystem = "ext4"
		},
		`environments[0].storage.data.mkfs: environments.a.storage.data: mkfs applies only to a volume that plinth creates, and this is an existing directory | leave it out, or give a device, file or emulate instead of the directory`: func(l lab) {
			l.a.Storage.Data.Mkfs = []string{"-K"}
		},
		`environments[0].storage.data.mount: environments.a.storage.data: mount applies only to a volume that plinth creates, and this is an existing directory | leave it out, or give a device, file or emulate instead of the directory`: func(l lab) {
			l.a.Storage.Data.Mount = []string{"noatime"}
		},
		"environments[0].storage.data.read_ahead: environments.a.storage.data: read_ahead applies only to a volume that plinth creates, and this is an existing directory | leave it out, or give a device, file or emulate instead of the directory\n" +
			"environments[0].storage.data.scheduler: environments.a.storage.data: scheduler applies only to a volume that plinth creates, and this is an existing directory | leave it out, or give a device, file or emulate instead of the directory\n" +
			"environments[0].storage.data.unsafe: environments.a.storage.data: unsafe applies only to a volume that plinth creates, and this is an existing directory | leave it out, or give a device, file or emulate instead of the directory": func(l lab) {
			l.a.Storage.Data.ReadAhead, l.a.Storage.Data.Scheduler, l.a.Storage.Data.Unsafe = 64*unit.KiB, "none", true
		},
		`environments[1].storage.data.chunk: environments.b.storage.data: chunk applies only to an array | leave it out`: func(l lab) {
			l.b.Storage.Data.Chunk = 64 * unit.KiB
		},
		`environments[1].storage.data.members: environments.b.storage.data: members apply only to an array | add raid: 10, or leave them out`: func(l lab) {
			l.b.Storage.Data.Members = devices(2)
		},
		`environments[1].storage.data.mkfs[0]: environments.b.storage.data.mkfs: each word must be a separate item, not "-s size=4096" | write [-s, size=4096]`: func(l lab) {
			l.b.Storage.Data.Mkfs = []string{"-s size=4096"}
		},
		`environments[1].storage.data.mkfs[0]: environments.b.storage.data.mkfs: "logdev=/dev/sdz" refers to a device or file other than the volume's own | leave it out: plinth uses only the volume's own disk; for several disks give raid and members`: func(l lab) {
			l.b.Storage.Data.Mkfs = []string{"logdev=/dev/sdz"}
		},
		`environments[1].storage.data.mount[0]: environments.b.storage.data.mount: each option must be a separate item, not "noatime,discard" | write [noatime, discard]`: func(l lab) {
			l.b.Storage.Data.Mount = []string{"noatime,discard"}
		},
		`environments[1].storage.data.mount[0]: environments.b.storage.data.mount: a database cannot use "ro" | leave it out`: func(l lab) {
			l.b.Storage.Data.Mount = []string{"ro"}
		},
		`environments[1].storage.data.mount[0]: environments.b.storage.data.mount: "journal_path=x" refers to a device or file other than the volume's own | leave it out: plinth uses only the volume's own disk; for several disks give raid and members`: func(l lab) {
			l.b.Storage.Data.Mount = []string{"journal_path=x"}
		},
		`environments[1].storage.data.mount[0]: environments.b.storage.data.mount: XFS has not supported ihashsize since Linux 4.0 | leave it out`: func(l lab) {
			l.b.Storage.Data.Filesystem, l.b.Storage.Data.Mount = "xfs", []string{"ihashsize=1024"}
		},
		`environments[1].storage.data.mount: environments.b.storage.data: nobarrier is not safe: in a power cut the contents of the device's write cache and the order of writes are lost, which can damage even the journal | leave it out, or add unsafe: true: the numbers are then marked unsafe`: func(l lab) {
			l.b.Storage.Data.Mount = []string{"noatime", "nobarrier"}
		},
		`environments[1].storage.data.mkfs: environments.b.storage.data: ^has_journal is not safe: in a power cut the filesystem can become inconsistent, with no journal to repair it | leave it out, or add unsafe: true: the numbers are then marked unsafe`: func(l lab) {
			l.b.Storage.Data.Mkfs, l.b.Storage.Data.Mount = []string{"-O", "^has_journal"}, []string{"noatime"}
		},
		`environments[1].storage.data.filesystem: environments.b.storage.data: the delays of an emulated device cannot be verified under zfs, which has its own caches | choose ext4, xfs or btrfs, or a device or file for zfs`: func(l lab) {
			l.b.Storage.Data.Filesystem = "zfs"
		},
		`environments[1].storage.data.filesystem: environments.b.storage.data: the delays of an emulated device cannot be verified under btrfs, which turns one write into several writes and flushes if the device has a write cache | choose ext4 or xfs, or a device without a write cache (write_cache: no)`: func(l lab) {
			l.b.Storage.Data.Filesystem, l.b.Storage.Data.WriteCache = "btrfs", "yes"
		},
	}.test(t)
}

// TestArrays checks members, chunks, and keys that belong to each member.
func TestArrays(t *testing.T) {
	mistakes{
		`environments[0].storage.data.members: environments.a.storage.data: 1 member for RAID 0 | RAID 0 needs 2 or more`: func(l lab) {
			l.a.Storage.Data = arrayOf(devices(1)...)
		},
		`environments[0].storage.data.members: environments.a.storage.data: 65 members, more than the maximum of 64`: func(l lab) {
			l.a.Storage.Data = arrayOf(devices(65)...)
		},
		`environments[0].storage.data.members: environments.a.storage.data: an odd number of members, 5: RAID 10 mirrors pairs | RAID 10 needs 4 or more, an even number`: func(l lab) {
			l.a.Storage.Data = arrayOf(devices(5)...)
			l.a.Storage.Data.RAID = "10"
		},
		`environments[0].storage.data.chunk: environments.a.storage.data: RAID 1 has no chunks | leave it out`: func(l lab) {
			l.a.Storage.Data = arrayOf(devices(2)...)
			l.a.Storage.Data.RAID, l.a.Storage.Data.Chunk = "1", 64*unit.KiB
		},
		`environments[0].storage.data.chunk: environments.a.storage.data: the chunk size must be a power of two, not 100KiB`: func(l lab) {
			l.a.Storage.Data = arrayOf(devices(2)...)
			l.a.Storage.Data.Chunk = 100 * unit.KiB
		},
		`environments[0].storage.data.size: environments.a.storage.data: size is a key of the members of an array, not of the array | move it to each member`: func(l lab) {
			l.a.Storage.Data = arrayOf(devices(2)...)
			l.a.Storage.Data.Size = unit.GiB
		},
		`environments[0].storage.data.backing: environments.a.storage.data: backing is a key of the members of an array, not of the array | move it to each member`: func(l lab) {
			l.a.Storage.Data = arrayOf(devices(2)...)
			l.a.Storage.Data.Backing = "/fast"
		},
		`environments[0].storage.data.iops: environments.a.storage.data: iops applies only with "emulate" or "is" | add emulate: gp3 (for an emulated device) or is: gp3 (for an existing one), or leave it out`: func(l lab) {
			l.a.Storage.Data = arrayOf(devices(2)...)
			l.a.Storage.Data.IOPS = 4000
		},
		`environments[0].storage.data.members[1]: environments.a.storage.data.members.2: no location is given | give it one of device, file and emulate`: func(l lab) {
			l.a.Storage.Data = arrayOf(devices(3)...)
			l.a.Storage.Data.Members[1] = experiment.Disk{Erase: true}
		},
		`environments[0].storage.data.members[1]: environments.a.storage.data.members.2: several disks are given: device, file | leave out all but one`: func(l lab) {
			l.a.Storage.Data = arrayOf(devices(2)...)
			l.a.Storage.Data.Members[1].File = "/x"
		},
		`environments[0].storage.data.members[1].file: environments.a.storage.data.members.2: a file needs a size | add size: 8GiB`: func(l lab) {
			l.a.Storage.Data = arrayOf(devices(2)...)
			l.a.Storage.Data.Members[1] = experiment.Disk{File: "/x"}
		},
		`environments[0].storage.data.members[1]: environments.a.storage.data.members.2: an array cannot mix emulated and real members | emulate all members, or none`: func(l lab) {
			l.a.Storage.Data = arrayOf(devices(2)...)
			l.a.Storage.Data.Members[1] = emulatedDisk("gp3")
		},
		`environments[0].storage.data.members[1]: environments.a.storage.data.members.2: its device differs from that of the members before it | give all members the same device, with the same changes`: func(l lab) {
			l.a.Storage.Data = arrayOf(emulatedDisk("gp3"), emulatedDisk("io2"))
		},
		`environments[0].storage.data.members[1]: environments.a.storage.data.members.2: an emulated array cannot be a member of an array | use single devices as members, or give the volume emulate: {raid: 0, of: gp3, members: 4}`: func(l lab) {
			l.a.Storage.Data = arrayOf(emulatedDisk("gp3"), experiment.Disk{Emulate: experiment.Emulation{RAID: "0", Of: "gp3", Members: 4}})
		},
	}.test(t)
}

// TestEmulation checks that an emulation defines exactly one device, and that the device is possible.
func TestEmulation(t *testing.T) {
	mistakes{
		`environments[1].storage.data.emulate: environments.b.storage.data.emulate: no device is given | give a name from plinth devices, or raid: 10, of: gp3 and members: 8`: func(l lab) {
			l.b.Storage.Data.Emulate = experiment.Emulation{Chunk: unit.MiB}
		},
		`environments[1].storage.data.emulate.of: environments.b.storage.data.emulate: "of" applies only to an array | add raid: 10`: func(l lab) {
			l.b.Storage.Data.Emulate.Of = "gp3"
		},
		`environments[1].storage.data.emulate.members: environments.b.storage.data.emulate: members apply only to an array | add raid: 10`: func(l lab) {
			l.b.Storage.Data.Emulate.Members = 4
		},
		`environments[1].storage.data.emulate.chunk: environments.b.storage.data.emulate: chunk applies only to an array | leave it out`: func(l lab) {
			l.b.Storage.Data.Emulate.Chunk = 64 * unit.KiB
		},
		`environments[1].storage.data.emulate.raid: environments.b.storage.data.emulate: raid and a device are both given | leave out one of the two; of: gives the device of each member`: func(l lab) {
			l.b.Storage.Data.Emulate.RAID = "0"
		},
		`environments[1].storage.data.emulate.raid: environments.b.storage.data.emulate: the array has no device for its members | add of: gp3`: func(l lab) {
			l.b.Storage.Data.Emulate = experiment.Emulation{RAID: "10"}
		},
		`environments[1].storage.data.emulate.raid: environments.b.storage.data.emulate: 0 members for RAID 0 | RAID 0 needs 2 or more`: func(l lab) {
			l.b.Storage.Data.Emulate = experiment.Emulation{RAID: "0", Of: "gp3"}
		},
		`environments[1].storage.data.emulate.of: environments.b.storage.data: there is no device "gp4" | did you mean gp2 or gp3? plinth devices lists them`: func(l lab) {
			l.b.Storage.Data.Emulate = experiment.Emulation{RAID: "0", Of: "gp4", Members: 4}
		},
		`environments[1].storage.data.emulate.name: environments.b.storage.data: there is no device "gp33" | did you mean gp3? plinth devices lists them`: func(l lab) {
			l.b.Storage.Data = emulated("gp33")
		},
		`environments[1].storage.data.iops: environments.b.storage.data: iops: 20,000: gp3 can have 3,000 to 16,000`: func(l lab) {
			l.b.Storage.Data.IOPS = 20_000
		},
		`environments[1].storage.data.throughput: environments.b.storage.data: throughput: 2GiB/s: gp3 can have 125MiB/s to 1000MiB/s`: func(l lab) {
			l.b.Storage.Data.Throughput = unit.Rate(2 * unit.GiB)
		},
		``: func(l lab) {
			l.b.Storage.Data.Provisioned = unit.GiB
		},
		`environments[1].storage.data.round_trip: environments.b.storage.data: round_trip: gp3 has no replicas in the model | set latency: for reads and writes, or choose a device with replicas, such as longhorn-1r`: func(l lab) {
			l.b.Storage.Data.RoundTrip = 1000
		},
		`environments[1].storage.data.latency: environments.b.storage.data: latency applies only to a device from the catalog, not to a model file | change the value in the model file`: func(l lab) {
			l.b.Storage.Data.Emulate = experiment.Emulation{Model: &device.Device{}}
			l.b.Storage.Data.Latency = 1000
		},
		`environments[0].storage.data.write_cache: environments.a.storage.data: write_cache applies only with "emulate" or "is" | add emulate: gp3 (for an emulated device) or is: gp3 (for an existing one), or leave it out`: func(l lab) {
			l.a.Storage.Data = experiment.Volume{Disk: experiment.Disk{Device: "/dev/sdb", Changes: experiment.Changes{WriteCache: "no"}}}
		},
	}.test(t)
}

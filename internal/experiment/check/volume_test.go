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

// TestPaths: where data lives.
func TestPaths(t *testing.T) {
	mistakes{
		`environments[0].storage.data.directory: environments.a.storage.data: ~ is not understood here | write the whole path`: func(l lab) {
			l.a.Storage.Data.Directory = "~/data"
		},
		`environments[0].storage.data.device: environments.a.storage.data: a control character in the path`: func(l lab) {
			l.a.Storage.Data = experiment.Volume{Disk: experiment.Disk{Device: "/dev/a\nb"}}
		},
		`environments[0].storage.data.file: environments.a.storage.data: ~ is not understood here | write the whole path`: func(l lab) {
			l.a.Storage.Data = experiment.Volume{Disk: experiment.Disk{File: "~/a.img", Size: unit.GiB}}
		},
		`environments[1].storage.data.backing: environments.b.storage.data: ~ is not understood here | write the whole path`: func(l lab) {
			l.b.Storage.Data.Backing = "~"
		},
		`environments[0].storage.wal.device: environments.a.storage.wal: /dev//sdb is already that of environments.a.storage.data | give each volume its own device or file`: func(l lab) {
			l.a.Storage.Data = experiment.Volume{Disk: experiment.Disk{Device: "/dev/sdb"}}
			l.a.Storage.WAL = experiment.Volume{Disk: experiment.Disk{Device: "/dev//sdb"}}
		},
	}.test(t)
}

// TestTablespaces: their names, and who needs them.
func TestTablespaces(t *testing.T) {
	mistakes{
		`environments[0].storage.tablespaces[0].name: a tablespace can't be named "Cold": only lower-case letters, digits and underscores, at most 63, no digit first`: func(l lab) {
			l.a.Storage.Tablespaces = spaces("Cold")
		},
		`environments[0].storage.tablespaces[0].name: a tablespace can't be named pg_own: names with pg_ are PostgreSQL's own`: func(l lab) {
			l.a.Storage.Tablespaces = spaces("pg_own")
		},
		`environments[0].storage.tablespaces[0].name: a tablespace can't be named plinth_x: names with plinth_ are plinth's own`: func(l lab) {
			l.a.Storage.Tablespaces = spaces("plinth_x")
		},
		`environments[0].storage.tablespaces[0].name: a tablespace can't be named wal: that is the name of another volume`: func(l lab) {
			l.a.Storage.Tablespaces = spaces("wal")
		},
		`environments[0].storage.tablespaces[0].name: a tablespace can't be named table: SQL would need it in quotes`: func(l lab) {
			l.a.Storage.Tablespaces = spaces("table")
		},
		`dataset.tablespace: dataset.tablespace: b has no tablespace "cold" | add it to storage.tablespaces there: every environment needs it`: func(l lab) {
			l.Dataset.Tablespace, l.a.Storage.Tablespaces = "cold", spaces("cold")
		},
		`dataset.index_tablespace: dataset.index_tablespace: a has no tablespace "clod" | did you mean cold?`: func(l lab) {
			l.Dataset.IndexSpace, l.a.Storage.Tablespaces, l.b.Storage.Tablespaces = "clod", spaces("cold"), spaces("clod")
		},
		`settings.temp_tablespaces: settings: temp_tablespaces, and storage.temp in a, which sets it | leave out one of the two`: func(l lab) {
			l.Settings, l.a.Storage.Temp.Directory = map[string]string{"temp_tablespaces": "fast"}, "/t"
		},
		`environments[0].settings.TEMP_TABLESPACES: environments.a.settings: temp_tablespaces, and storage.temp in a, which sets it | leave out one of the two`: func(l lab) {
			l.a.Settings, l.a.Storage.Temp.Directory = map[string]string{"TEMP_TABLESPACES": "fast"}, "/t"
		},
	}.test(t)
}

// TestVolumes: what a volume stands on, and what is said about it.
func TestVolumes(t *testing.T) {
	mistakes{
		`environments[0].storage.data: environments.a.storage.data: it has no place | give it one of directory, device, file, emulate and raid`: func(l lab) {
			l.a.Storage.Data = experiment.Volume{Filesystem: "xfs"}
		},
		`environments[0].storage.data.members: environments.a.storage.data: members without raid | add raid: 0, 1 or 10`: func(l lab) {
			l.a.Storage.Data = experiment.Volume{Members: devices(2)}
		},
		`environments[0].storage.data: environments.a.storage.data: a volume has one place, and here are directory, device | leave out all but one`: func(l lab) {
			l.a.Storage.Data.Device = "/dev/sdb"
		},
		`environments[0].storage.data: environments.a.storage.data: a volume has one place, and here are file, raid | leave out all but one`: func(l lab) {
			l.a.Storage.Data = arrayOf(devices(2)...)
			l.a.Storage.Data.File = "/x"
		},
		`environments[0].storage.data.file: environments.a.storage.data: a file needs a size | add size: 8GiB`: func(l lab) {
			l.a.Storage.Data = experiment.Volume{Disk: experiment.Disk{File: "/x.img"}}
		},
		`environments[0].storage.data.size: environments.a.storage.data: size belongs to a file or an emulated device | leave it out`: func(l lab) {
			l.a.Storage.Data.Size = unit.GiB
		},
		`environments[0].storage.data.backing: environments.a.storage.data: backing is where the file behind an emulated device lies | leave it out`: func(l lab) {
			l.a.Storage.Data.Backing = "/fast"
		},
		`environments[0].storage.data.erase: environments.a.storage.data: erase is for a device that is there | leave it out`: func(l lab) {
			l.a.Storage.Data.Erase = true
		},
		`environments[0].storage.data.filesystem: environments.a.storage.data: filesystem is for a volume that plinth makes, and this one is a directory that is there | leave it out, or give a device, file or emulate in place of the directory`: func(l lab) {
			l.a.Storage.Data.Filesystem = "ext4"
		},
		`environments[0].storage.data.mkfs: environments.a.storage.data: mkfs is for a volume that plinth makes, and this one is a directory that is there | leave it out, or give a device, file or emulate in place of the directory`: func(l lab) {
			l.a.Storage.Data.Mkfs = []string{"-K"}
		},
		`environments[0].storage.data.mount: environments.a.storage.data: mount is for a volume that plinth makes, and this one is a directory that is there | leave it out, or give a device, file or emulate in place of the directory`: func(l lab) {
			l.a.Storage.Data.Mount = []string{"noatime"}
		},
		"environments[0].storage.data.read_ahead: environments.a.storage.data: read_ahead is for a volume that plinth makes, and this one is a directory that is there | leave it out, or give a device, file or emulate in place of the directory\n" +
			"environments[0].storage.data.scheduler: environments.a.storage.data: scheduler is for a volume that plinth makes, and this one is a directory that is there | leave it out, or give a device, file or emulate in place of the directory\n" +
			"environments[0].storage.data.unsafe: environments.a.storage.data: unsafe is for a volume that plinth makes, and this one is a directory that is there | leave it out, or give a device, file or emulate in place of the directory": func(l lab) {
			l.a.Storage.Data.ReadAhead, l.a.Storage.Data.Scheduler, l.a.Storage.Data.Unsafe = 64*unit.KiB, "none", true
		},
		`environments[1].storage.data.chunk: environments.b.storage.data: chunk belongs to an array | leave it out`: func(l lab) {
			l.b.Storage.Data.Chunk = 64 * unit.KiB
		},
		`environments[1].storage.data.members: environments.b.storage.data: members belong to an array | add raid: 10, or leave them out`: func(l lab) {
			l.b.Storage.Data.Members = devices(2)
		},
		`environments[1].storage.data.mkfs[0]: environments.b.storage.data.mkfs: each word of its own, not "-s size=4096" | write [-s, size=4096]`: func(l lab) {
			l.b.Storage.Data.Mkfs = []string{"-s size=4096"}
		},
		`environments[1].storage.data.mkfs[0]: environments.b.storage.data.mkfs: "logdev=/dev/sdz" names a device or a file beside the volume's own | leave it out: plinth uses a volume's own disk and no other; for several give raid and members`: func(l lab) {
			l.b.Storage.Data.Mkfs = []string{"logdev=/dev/sdz"}
		},
		`environments[1].storage.data.mount[0]: environments.b.storage.data.mount: each option of its own, not "noatime,discard" | write [noatime, discard]`: func(l lab) {
			l.b.Storage.Data.Mount = []string{"noatime,discard"}
		},
		`environments[1].storage.data.mount[0]: environments.b.storage.data.mount: a database can't use "ro" | leave it out`: func(l lab) {
			l.b.Storage.Data.Mount = []string{"ro"}
		},
		`environments[1].storage.data.mount[0]: environments.b.storage.data.mount: "journal_path=x" names a device or a file beside the volume's own | leave it out: plinth uses a volume's own disk and no other; for several give raid and members`: func(l lab) {
			l.b.Storage.Data.Mount = []string{"journal_path=x"}
		},
		`environments[1].storage.data.mount[0]: environments.b.storage.data.mount: XFS has had no ihashsize since Linux 4.0 | leave it out`: func(l lab) {
			l.b.Storage.Data.Filesystem, l.b.Storage.Data.Mount = "xfs", []string{"ihashsize=1024"}
		},
		`environments[1].storage.data.mount: environments.b.storage.data: nobarrier is not safe: in a power cut what the device's write cache held is lost, and the order of writes with it: the journal itself can be damaged | leave it out, or add unsafe: true: the numbers are then marked unsafe`: func(l lab) {
			l.b.Storage.Data.Mount = []string{"noatime", "nobarrier"}
		},
		`environments[1].storage.data.mkfs: environments.b.storage.data: ^has_journal is not safe: in a power cut nothing brings the filesystem back to a state that fits together | leave it out, or add unsafe: true: the numbers are then marked unsafe`: func(l lab) {
			l.b.Storage.Data.Mkfs, l.b.Storage.Data.Mount = []string{"-O", "^has_journal"}, []string{"noatime"}
		},
		`environments[1].storage.data.filesystem: environments.b.storage.data: an emulated device can't prove its delays under zfs, which has caches of its own | choose ext4, xfs or btrfs, or a device or file for zfs`: func(l lab) {
			l.b.Storage.Data.Filesystem = "zfs"
		},
		`environments[1].storage.data.filesystem: environments.b.storage.data: an emulated device can't prove its delays under btrfs, which makes several writes and flushes of one where there is a write cache | choose ext4 or xfs, or a device without a write cache (write_cache: no)`: func(l lab) {
			l.b.Storage.Data.Filesystem, l.b.Storage.Data.WriteCache = "btrfs", "yes"
		},
	}.test(t)
}

// TestArrays: members, chunks, and what belongs to each member.
func TestArrays(t *testing.T) {
	mistakes{
		`environments[0].storage.data.members: environments.a.storage.data: 1 member for RAID 0 | RAID 0 takes 2 or more`: func(l lab) {
			l.a.Storage.Data = arrayOf(devices(1)...)
		},
		`environments[0].storage.data.members: environments.a.storage.data: 65 members, which is more than 64`: func(l lab) {
			l.a.Storage.Data = arrayOf(devices(65)...)
		},
		`environments[0].storage.data.members: environments.a.storage.data: an odd number of members, 5, for RAID 10, which mirrors pairs | RAID 10 takes 4 or more, an even number`: func(l lab) {
			l.a.Storage.Data = arrayOf(devices(5)...)
			l.a.Storage.Data.RAID = "10"
		},
		`environments[0].storage.data.chunk: environments.a.storage.data: RAID 1 deals out no chunks | leave it out`: func(l lab) {
			l.a.Storage.Data = arrayOf(devices(2)...)
			l.a.Storage.Data.RAID, l.a.Storage.Data.Chunk = "1", 64*unit.KiB
		},
		`environments[0].storage.data.chunk: environments.a.storage.data: a chunk is a power of two, not 100KiB`: func(l lab) {
			l.a.Storage.Data = arrayOf(devices(2)...)
			l.a.Storage.Data.Chunk = 100 * unit.KiB
		},
		`environments[0].storage.data.size: environments.a.storage.data: size belongs to the members of an array | give it to each member`: func(l lab) {
			l.a.Storage.Data = arrayOf(devices(2)...)
			l.a.Storage.Data.Size = unit.GiB
		},
		`environments[0].storage.data.backing: environments.a.storage.data: backing belongs to the members of an array | give it to each member`: func(l lab) {
			l.a.Storage.Data = arrayOf(devices(2)...)
			l.a.Storage.Data.Backing = "/fast"
		},
		`environments[0].storage.data.iops: environments.a.storage.data: iops is of an emulated device | add emulate: gp3, or leave it out`: func(l lab) {
			l.a.Storage.Data = arrayOf(devices(2)...)
			l.a.Storage.Data.IOPS = 4000
		},
		`environments[0].storage.data.members[1]: environments.a.storage.data.members.2: it has no place | give it one of device, file and emulate`: func(l lab) {
			l.a.Storage.Data = arrayOf(devices(3)...)
			l.a.Storage.Data.Members[1] = experiment.Disk{Erase: true}
		},
		`environments[0].storage.data.members[1]: environments.a.storage.data.members.2: a member is one disk, and here are device, file | leave out all but one`: func(l lab) {
			l.a.Storage.Data = arrayOf(devices(2)...)
			l.a.Storage.Data.Members[1].File = "/x"
		},
		`environments[0].storage.data.members[1].file: environments.a.storage.data.members.2: a file needs a size | add size: 8GiB`: func(l lab) {
			l.a.Storage.Data = arrayOf(devices(2)...)
			l.a.Storage.Data.Members[1] = experiment.Disk{File: "/x"}
		},
		`environments[0].storage.data.members[1]: environments.a.storage.data.members.2: emulated members and others in one array | emulate all members, or none`: func(l lab) {
			l.a.Storage.Data = arrayOf(devices(2)...)
			l.a.Storage.Data.Members[1] = emulatedDisk("gp3")
		},
		`environments[0].storage.data.members[1]: environments.a.storage.data.members.2: it is emulated otherwise than the members before it | give all members the same device, with the same changes`: func(l lab) {
			l.a.Storage.Data = arrayOf(emulatedDisk("gp3"), emulatedDisk("io2"))
		},
		`environments[0].storage.data.members[1]: environments.a.storage.data.members.2: an emulated array as a member of an array | let members be single devices, or say emulate: {raid: 0, of: gp3, members: 4} of the volume`: func(l lab) {
			l.a.Storage.Data = arrayOf(emulatedDisk("gp3"), experiment.Disk{Emulate: experiment.Emulation{RAID: "0", Of: "gp3", Members: 4}})
		},
	}.test(t)
}

// TestEmulation: what is emulated is one thing, and there can be such a device.
func TestEmulation(t *testing.T) {
	mistakes{
		`environments[1].storage.data.emulate: environments.b.storage.data.emulate: which device? | give it a name of plinth devices, or raid: 10, of: gp3 and members: 8`: func(l lab) {
			l.b.Storage.Data.Emulate = experiment.Emulation{Chunk: unit.MiB}
		},
		`environments[1].storage.data.emulate.of: environments.b.storage.data.emulate: of belongs to an array | add raid: 10`: func(l lab) {
			l.b.Storage.Data.Emulate.Of = "gp3"
		},
		`environments[1].storage.data.emulate.members: environments.b.storage.data.emulate: members belong to an array | add raid: 10`: func(l lab) {
			l.b.Storage.Data.Emulate.Members = 4
		},
		`environments[1].storage.data.emulate.chunk: environments.b.storage.data.emulate: chunk belongs to an array | leave it out`: func(l lab) {
			l.b.Storage.Data.Emulate.Chunk = 64 * unit.KiB
		},
		`environments[1].storage.data.emulate.raid: environments.b.storage.data.emulate: raid, and a device beside it | leave out one of the two; the members are said by of:`: func(l lab) {
			l.b.Storage.Data.Emulate.RAID = "0"
		},
		`environments[1].storage.data.emulate.raid: environments.b.storage.data.emulate: an array of what? | add of: gp3`: func(l lab) {
			l.b.Storage.Data.Emulate = experiment.Emulation{RAID: "10"}
		},
		`environments[1].storage.data.emulate.raid: environments.b.storage.data.emulate: 0 members for RAID 0 | RAID 0 takes 2 or more`: func(l lab) {
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
		`environments[1].storage.data.latency: environments.b.storage.data: latency changes a device of the catalog, not one of a file | change the figure in the device file`: func(l lab) {
			l.b.Storage.Data.Emulate = experiment.Emulation{Model: &device.Device{}}
			l.b.Storage.Data.Latency = 1000
		},
		`environments[0].storage.data.write_cache: environments.a.storage.data: write_cache is of an emulated device | add emulate: gp3, or leave it out`: func(l lab) {
			l.a.Storage.Data = experiment.Volume{Disk: experiment.Disk{Device: "/dev/sdb", Changes: experiment.Changes{WriteCache: "no"}}}
		},
	}.test(t)
}

package inspect

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/host"
	"plinth/internal/unit"
)

var diskRules = []rule{
	{
		name: "rotational", weight: 52, about: ofMachine, check: rotational,
		benchmark:  "a seek takes about 8 ms: about 120 random reads per second, and a commit waits for the platter",
		production: "the same",
		do:         "put the data, or at least pg_wal, on flash",
	},
	{
		name: "shared-disk", weight: 46, about: ofMachine, check: sharedDisk,
		benchmark:  "the flush of each commit waits behind checkpoint writes",
		production: "the same, and a full disk stops both",
		do:         "initdb --waldir (or a symbolic link pg_wal) on a separate disk; measure the gain first: two environments, one with storage.wal",
	},
	{
		name: "scheduler", weight: 38, about: ofMachine, check: scheduler,
		benchmark:  "an NVMe disk orders its own queue: an I/O scheduler costs CPU time and locks without benefit",
		production: "the same; keep a scheduler where tenants must be isolated",
		do:         "echo none > /sys/block/{}/queue/scheduler",
	},
	{
		name: "read-ahead", weight: 32, about: ofMachine, check: readAhead,
		benchmark:  "after a few sequential reads the kernel reads far too much ahead; runs with different read-ahead are not comparable",
		production: "good for large scans, bad for an index that is not in memory",
		do:         "blockdev --setra 256 /dev/{}",
	},
	{
		name: "write-cache", weight: 18, about: ofMachine, check: writeCache,
		benchmark: "each commit flushes the disk's whole cache, including writes of other processes: its latency depends on them",
		do:        "nothing, unless the disk's cache is known to survive a power failure; then: echo 'write through' > /sys/block/{}/queue/write_cache",
	},
	{
		name: "rotational-claim", weight: 15, about: ofMachine, check: rotationalClaim,
		benchmark: "the kernel chooses its defaults for a rotating disk; servers do not use this attribute",
		do:        "if the storage is flash: echo 0 > /sys/block/{}/queue/rotational",
	},
}

// claims reports whether a disk's attributes come from a hypervisor, which often reports a disk
// as rotational because it does not know better.
func claims(in *Input, d host.Disk) bool {
	return d.Transport == "virtio" || in.Machine.Virtualisation != ""
}

func rotational(in *Input) evidence {
	names := in.disksWith(func(d host.Disk) bool { return d.Rotational && !claims(in, d) })
	if names == nil {
		return nothing
	}
	return found("%s %s rotational", list(names), is(len(names)))
}

func rotationalClaim(in *Input) evidence {
	names := in.disksWith(func(d host.Disk) bool { return d.Rotational && claims(in, d) })
	if names == nil {
		return nothing
	}
	return found("%s: the hypervisor reports it as rotational, which may be wrong", list(names)).on(names[0])
}

func sharedDisk(in *Input) evidence {
	data, known := in.place("data")
	wal, knownToo := in.place("wal")
	if !known || !knownToo {
		return nothing
	}
	var both []string
	for _, name := range data.Disks {
		if slices.Contains(wal.Disks, name) {
			both = append(both, name)
		}
	}
	if both == nil {
		return nothing
	}
	if len(both) == 1 {
		return found("wal and data share one disk (%s)", both[0])
	}
	return found("wal and data share %s (%s)", several(len(both), "disk"), list(both))
}

func scheduler(in *Input) evidence {
	chosen := ""
	names := in.disksWith(func(d host.Disk) bool {
		wrong := strings.HasPrefix(d.Transport, "nvme") && d.Scheduler != "none" && d.Scheduler != ""
		if wrong {
			chosen = d.Scheduler
		}
		return wrong
	})
	if names == nil {
		return nothing
	}
	return found("the I/O scheduler of %s is %s", list(names), chosen).on(names[0])
}

// muchReadAhead is four times the kernel's default of 128 KiB.
const muchReadAhead = 512 * unit.KiB

// readAhead checks the device of the filesystem, and no layers below it.
func readAhead(in *Input) evidence {
	var parts []string
	device := ""
	for _, p := range in.Machine.Places {
		if p.ReadAhead() <= int64(muchReadAhead) {
			continue
		}
		device = p.Device()
		parts = append(parts, fmt.Sprintf("%s for %s (%s)", size(p.ReadAhead()), p.Role, device))
	}
	if parts == nil {
		return nothing
	}
	return found("read-ahead is %s", list(parts)).on(device)
}

func writeCache(in *Input) evidence {
	names := in.disksWith(func(d host.Disk) bool { return d.WriteCache == "write back" && !d.FUA })
	if names == nil {
		return nothing
	}
	return found("%s: the write cache can only be flushed as a whole (write back, no FUA)", list(names)).on(names[0])
}

var layerRules = []rule{
	{
		name: "array-degraded", weight: 85, about: ofMachine, check: degraded,
		benchmark:  "a degraded array performs differently from a complete one",
		production: "the next disk failure may lose the data",
		do:         "mdadm --detail /dev/{}; replace the disk",
	},
	{
		name: "array-busy", weight: 67, about: ofMachine, check: arrayBusy,
		benchmark:  "the operation reads and writes all disks of the array, as fast as the load allows",
		production: "wait until it is done; until then a degraded array is not safe",
		do:         "cat /proc/mdstat; measure when it is done",
	},
	{
		name: "loop-device", weight: 50, about: ofMachine, check: loop,
		benchmark:  "each write goes through two filesystems, and a flush of one does not always flush the other",
		production: "the same, and either filesystem can fill up",
		do:         "put the filesystem on a disk, a partition or a logical volume",
	},
	{
		name: "encryption", weight: 19, about: ofMachine, check: crypt,
		benchmark: "every block costs CPU time, in kernel threads not charged to any process",
		do:        "compare with an unencrypted disk of the same kind before blaming the disk; run cryptsetup benchmark",
	},
}

// layered returns the places above a device for which holds returns true, with the last such
// device.
func (in *Input) layered(holds func(host.Layer) bool) (places []string, device host.Layer) {
	for _, p := range in.Machine.Places {
		if i := slices.IndexFunc(p.Layers, holds); i >= 0 {
			places, device = append(places, p.Role), p.Layers[i]
		}
	}
	return places, device
}

func degraded(in *Input) evidence {
	places, d := in.layered(func(l host.Layer) bool { return l.Missing > 0 })
	if places == nil {
		return nothing
	}
	return found("%s %s on %s, which is missing %s", list(places), is(len(places)), d.Name, several(d.Missing, "disk")).on(d.Name)
}

func arrayBusy(in *Input) evidence {
	places, d := in.layered(func(l host.Layer) bool { return l.Sync != "" })
	if places == nil {
		return nothing
	}
	return found("%s %s on %s, which is busy (%s)", list(places), is(len(places)), d.Name, d.Sync)
}

func loop(in *Input) evidence {
	places, d := in.layered(func(l host.Layer) bool { return l.Kind == "loop" })
	if places == nil {
		return nothing
	}
	e := found("%s %s in a file on another filesystem (%s)", list(places), is(len(places)), d.Name)
	if d.Detail != "" {
		e.text = fmt.Sprintf("%s %s in the file %s on another filesystem (%s)", list(places), is(len(places)), d.Detail, d.Name)
	}
	return e
}

func crypt(in *Input) evidence {
	places, d := in.layered(func(l host.Layer) bool { return l.Kind == "dm crypt" })
	if places == nil {
		return nothing
	}
	return found("%s %s encrypted (%s)", list(places), is(len(places)), d.Name)
}

package host

import (
	"io/fs"
	"math"
	"net/netip"
	"path"
	"strconv"
	"strings"

	"plinth/internal/host/sysfs"
)

// addDisks adds all disks, or a gap if /sys shows no block devices, as in some containers.
func (i *Inventory) addDisks(root fs.FS) {
	entries, err := fs.ReadDir(root, "sys/block")
	if err != nil {
		i.gap("disks", err)
	}
	for _, entry := range entries {
		if isDisk(root, entry.Name()) && sysfs.Word(root, "sys/block/"+entry.Name()+"/size") != "0" {
			i.Disks = append(i.Disks, readDisk(root, entry.Name()))
		}
	}
}

// isDisk reports whether a block device stores data itself. Disks have a device directory;
// loop, RAM, device mapper and RAID devices have none. Network block devices have none
// either, but count as disks, because nothing below them is visible from here. The paths of
// a multipath NVMe disk are hidden devices beside it.
func isDisk(root fs.FS, name string) bool {
	if sysfs.Word(root, "sys/block/"+name+"/hidden") == "1" {
		return false
	}
	_, err := fs.Stat(root, "sys/block/"+name+"/device")
	return err == nil || isNumbered(name, "nbd")
}

// readDisk reads the files of a disk (Documentation/ABI/stable/sysfs-block), which give its
// size in sectors of 512 bytes, whatever its own sector size is.
func readDisk(root fs.FS, name string) Disk {
	dir := "sys/block/" + name
	queue := dir + "/queue/"
	model := diskModel(root, dir+"/device/")
	known, _ := serviceOf(model)
	return Disk{
		Name:       name,
		Number:     sysfs.Word(root, dir+"/dev"),
		Model:      model,
		Service:    known.name,
		Ephemeral:  known.where == local,
		Transport:  transport(root, name),
		Size:       figure(root, dir+"/size", sector),
		Rotational: figure(root, queue+"rotational", 0) == 1,
		Scheduler:  chosen(sysfs.Word(root, queue+"scheduler")),
		ReadAhead:  figure(root, queue+"read_ahead_kb", kib),
		WriteCache: sysfs.Word(root, queue+"write_cache"),
		FUA:        figure(root, queue+"fua", 0) == 1,
		NrRequests: figure(root, queue+"nr_requests", 0),
		MaxSectors: figure(root, queue+"max_sectors_kb", kib),
		Logical:    figure(root, queue+"logical_block_size", 0),
		Physical:   figure(root, queue+"physical_block_size", 0),
		Discard:    figure(root, queue+"discard_max_bytes", 0) > 0,
		NUMANode:   diskNode(root, name),
	}
}

// Units of the kernel's files, as powers of two.
const (
	sector = 9
	kib    = 10
)

// figure returns the number in a file shifted left by shift, and 0 if the file is missing or
// malformed.
func figure(root fs.FS, file string, shift int) int64 {
	n, err := sysfs.Count(root, file)
	if err != nil || n > math.MaxInt64>>shift {
		return 0
	}
	return n << shift
}

// diskModel returns vendor and model. The vendor is omitted if it carries no information:
// "ATA" of a SATA disk, or a number of a virtio disk. Memory cards have a name instead.
func diskModel(root fs.FS, device string) string {
	vendor, model := sysfs.Word(root, device+"vendor"), sysfs.Word(root, device+"model")
	if model == "" {
		model = sysfs.Word(root, device+"name")
	}
	if vendor == "ATA" || strings.HasPrefix(vendor, "0x") || model == "" {
		return model
	}
	return strings.TrimSpace(vendor + " " + model)
}

// diskNode returns the NUMA node of the nearest ancestor device that has one, or -1.
func diskNode(root fs.FS, name string) int {
	for at := devicePath(root, name); strings.Contains(at, "/"); at = path.Dir(at) {
		if n, err := strconv.Atoi(sysfs.Word(root, at+"/numa_node")); err == nil {
			return n
		}
	}
	return -1
}

// devicePath returns a disk's place in the device tree,
// "sys/devices/pci0000:00/.../block/vda", or "" if it is unknown.
func devicePath(root fs.FS, name string) string {
	link, err := fs.ReadLink(root, "sys/block/"+name)
	if err != nil {
		return ""
	}
	return path.Join("sys/block", link)
}

// isNumbered reports whether name is kind followed by a number: "nbd0", not "nbdx".
func isNumbered(name, kind string) bool {
	number, found := strings.CutPrefix(name, kind)
	_, err := strconv.ParseUint(number, 10, 32)
	return found && err == nil
}

// transports maps parts of a disk's path in /sys/devices to its transport, the most specific
// first: a SATA disk behind a SAS controller has an end device and no ata port, and a USB disk
// also has a SCSI host.
var transports = []struct{ part, name string }{
	{"/usb", "usb"},
	{"/session", "iscsi"},
	{"/rport-", "fc"},
	{"/end_device-", "sas"},
	{"/ata", "sata"},
	{"/virtio", "virtio"},
	{"/mmc_host/", "mmc"},
	{"/ndbus", "pmem"},
	{"/vbd-", "xen"},
	{"/rbd/", "rbd"},
	{"/VMBUS:", "hyper-v"},
	{".ufshc/", "ufs"},
	{"/host", "scsi"},
}

// transport returns how a disk is attached, or "" if that is unknown.
func transport(root fs.FS, name string) string {
	if isNumbered(name, "nbd") {
		return "nbd"
	}
	if strings.HasPrefix(name, "nvme") {
		return nvmeTransport(root, name)
	}
	at := devicePath(root, name)
	for _, t := range transports {
		if strings.Contains(at, t.part) {
			return t.name
		}
	}
	return ""
}

// nvmeTransport returns "nvme" for PCI Express, else "nvme-tcp", "nvme-rdma" or "nvme-fc".
// With multipath the device is a subsystem, and its controllers have the transport.
func nvmeTransport(root fs.FS, name string) string {
	by := sysfs.Word(root, "sys/block/"+name+"/device/transport")
	if by == "" {
		files, _ := fs.Glob(root, "sys/block/"+name+"/device/nvme[0-9]*/transport")
		for _, file := range files {
			by = sysfs.Word(root, file)
		}
	}
	if by == "" || by == "pcie" {
		return "nvme"
	}
	return "nvme-" + by
}

// nvmePeers returns the addresses of the controllers of an NVMe disk over a network, from lines
// such as "traddr=10.0.0.5,trsvcid=4420,src_addr=10.0.0.2" (drivers/nvme/host/sysfs.c).
func nvmePeers(root fs.FS, name string) (peers []netip.AddrPort) {
	files, _ := fs.Glob(root, "sys/block/"+name+"/device/nvme[0-9]*/address")
	for _, file := range append(files, "sys/block/"+name+"/device/address") {
		address, port := "", ""
		for part := range strings.SplitSeq(sysfs.Word(root, file), ",") {
			switch key, value, _ := strings.Cut(part, "="); key {
			case "traddr":
				address = value
			case "trsvcid":
				port = value
			}
		}
		peers = appendPeer(peers, address, port)
	}
	return peers
}

package host

import (
	"io/fs"
	"strings"
)

// transports are parts of a disk's place in /sys/devices that tell how it is
// reached, the most telling first: a SATA disk behind a SAS controller has both
// an end device and no ata port, one on USB has a SCSI host as well.
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

// transport is how a disk is reached; "" when that can't be told.
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

// nvmeTransport is "nvme" on PCI Express, else "nvme-tcp", "nvme-rdma" or
// "nvme-fc". With multipath the device is a subsystem, whose controllers tell.
func nvmeTransport(root fs.FS, name string) string {
	by := readWord(root, "sys/block/"+name+"/device/transport")
	if by == "" {
		files, _ := fs.Glob(root, "sys/block/"+name+"/device/nvme[0-9]*/transport")
		for _, file := range files {
			by = readWord(root, file)
		}
	}
	if by == "" || by == "pcie" {
		return "nvme"
	}
	return "nvme-" + by
}

package host

import (
	"io/fs"
	"strings"

	"plinth/internal/host/sysfs"
)

// A service describes the provider of a disk, as its model names it.
type service struct {
	model string // the beginning of vendor and model
	name  string
	where string // remote: reached over a network; local: in the machine, and lost when it stops
}

const (
	remote = "remote"
	local  = "local"
)

// services are the models that providers document. A virtio disk has no model, and neither has a
// disk of a Xen instance: nothing is known about these.
var services = []service{
	// Amazon EC2 User Guide, "Amazon EBS volumes and NVMe" and "SSD instance store volumes".
	{"Amazon Elastic Block Store", "Amazon EBS", remote},
	{"Amazon EC2 NVMe Instance Storage", "EC2 instance store", local},
	// Google Cloud: NVMe persistent disks report nvme_card-pd, local SSDs nvme_card or nvme_card0.
	{"Google PersistentDisk", "Google Persistent Disk", remote},
	{"nvme_card-pd", "Google Persistent Disk", remote},
	{"Google EphemeralDisk", "Google Local SSD", local},
	{"nvme_card", "Google Local SSD", local},
	// Azure, "azure-vm-utils": "Azure NVMe controllers".
	{"MSFT NVMe Accelerator", "Azure managed disk", remote},
	{"Microsoft NVMe Direct Disk", "Azure local disk", local},
	{"DO Volume", "DigitalOcean Volume", remote},
	{"HC Volume", "Hetzner Cloud Volume", remote},
}

// serviceOf returns the service whose disks have this model.
func serviceOf(model string) (service, bool) {
	for _, s := range services {
		if strings.HasPrefix(model, s.model) {
			return s, true
		}
	}
	return service{}, false
}

// targets maps the beginnings of iSCSI target names to products.
var targets = []struct{ beginning, product string }{
	{"iqn.2019-10.io.longhorn:", "Longhorn"},
	{"iqn.2016-09.com.openebs.jiva:", "OpenEBS Jiva"},
}

// remoteDisk describes how a disk reaches another machine; false for a disk of this machine, or
// if its files do not say.
func remoteDisk(root fs.FS, name string) (Remote, bool) {
	r := Remote{Name: name, Protocol: transport(root, name)}
	switch r.Protocol {
	case "iscsi":
		r.addTarget(root)
	case "nvme-tcp", "nvme-rdma", "nvme-fc":
		r.peers = nvmePeers(root, name)
	case "rbd":
		r.Product = ceph
	case "nbd", "fc":
	default:
		known, found := serviceOf(diskModel(root, "sys/block/"+name+"/device/"))
		r.Protocol, r.Product = Cloud, known.name
		return r, found && known.where == remote
	}
	return r, true
}

// ceph is the product behind RBD and CephFS.
const ceph = "Ceph"

// addTarget adds the product and the address of a disk's iSCSI session
// (Documentation/ABI/testing/sysfs-class-iscsi_session: the class has a directory for each session
// and for each of its connections).
func (r *Remote) addTarget(root fs.FS) {
	_, rest, _ := strings.Cut(devicePath(root, r.Name), "/session")
	session, _, _ := strings.Cut(rest, "/")
	target := sysfs.Word(root, "sys/class/iscsi_session/session"+session+"/targetname")
	for _, t := range targets {
		if strings.HasPrefix(target, t.beginning) {
			r.Product = t.product
		}
	}
	connections, _ := fs.Glob(root, "sys/class/iscsi_connection/connection"+session+":*")
	for _, dir := range connections {
		r.peers = appendPeer(r.peers, sysfs.Word(root, dir+"/persistent_address"), sysfs.Word(root, dir+"/persistent_port"))
	}
}

// remoteFilesystem describes a filesystem of another machine.
func remoteFilesystem(f Filesystem) Remote {
	r := Remote{Name: f.Type, Protocol: f.Type}
	switch f.Type {
	case "ceph", "fuse.ceph":
		r.Product = ceph
	case "nfs", "nfs4":
		address, port := "", "2049"
		for option := range strings.SplitSeq(f.Options, ",") {
			switch name, value, _ := strings.Cut(option, "="); name {
			case "addr":
				address = value
			case "port":
				if value != "0" { // 0: the standard port
					port = value
				}
			}
		}
		r.peers = appendPeer(r.peers, address, port)
	}
	return r
}

// drbd describes a DRBD device. Version 8 prints its replication protocol in /proc/drbd:
// " 0: cs:Connected ro:Primary/Secondary ds:UpToDate/UpToDate C r-----". Version 9 does not.
func drbd(root fs.FS, name string) Remote {
	r := Remote{Name: name, Protocol: "drbd"}
	minor := strings.TrimPrefix(name, "drbd")
	for line := range strings.Lines(sysfs.Word(root, "proc/drbd")) {
		words := strings.Fields(line)
		if len(words) > 4 && words[0] == minor+":" && len(words[4]) == 1 && strings.Contains("ABC", words[4]) {
			r.Detail = "protocol " + words[4]
		}
	}
	return r
}

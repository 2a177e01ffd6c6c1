package host

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// Remote is storage that a machine reaches over a network, where the network begins: at a disk,
// at a device that replicates (DRBD), or at a filesystem. Each write to it, and each flush, takes
// at least a round trip.
type Remote struct {
	Name     string `json:"name"`              // "sdb", "drbd0"; for a filesystem its type, "nfs4"
	Protocol string `json:"protocol"`          // "iscsi", "nvme-tcp", "nvme-rdma", "nvme-fc", "fc", "rbd", "nbd", "drbd", "cloud" (the provider's own), or the type of the filesystem
	Product  string `json:"product,omitempty"` // "Longhorn", "Ceph", "Amazon EBS"; "" unknown
	Detail   string `json:"detail,omitempty"`  // of DRBD "protocol C", as /proc/drbd prints it
	// RoundTrip is the kernel's smoothed estimate for its TCP connection to the other machine, in
	// nanoseconds (tcpi_rtt of tcp(7)); 0 if the connection is not visible.
	RoundTrip float64 `json:"round_trip_ns,omitempty"`

	peers []netip.AddrPort // of the other machine, if known
}

// Cloud is the protocol of a volume that a cloud provider attaches: its network is not visible.
const Cloud = "cloud"

// blocks are the protocols of block devices; the others are types of filesystems.
var blocks = []string{"iscsi", "nvme-tcp", "nvme-rdma", "nvme-fc", "fc", "rbd", "nbd", "drbd"}

// IsBlock reports whether the machine reaches a block device through a network that is its own
// operator's: neither a filesystem of another machine, nor a volume of a cloud provider.
func (r Remote) IsBlock() bool { return slices.Contains(blocks, r.Protocol) }

// protocolNames spells protocols as their specifications do.
var protocolNames = map[string]string{
	"iscsi": "iSCSI", "nvme-tcp": "NVMe over TCP", "nvme-rdma": "NVMe over RDMA", "nvme-fc": "NVMe over Fibre Channel",
	"fc": "Fibre Channel", "rbd": "RBD", "nbd": "NBD", "drbd": "DRBD",
	"nfs": "NFS", "nfs4": "NFSv4", "cifs": "SMB", "smb3": "SMB", "smbfs": "SMB", "ceph": "CephFS", "fuse.ceph": "CephFS",
}

// Words describes the storage without its name and round trip: "iSCSI, Longhorn", "Amazon EBS",
// "DRBD, protocol C".
func (r Remote) Words() string {
	var words []string
	if r.Protocol != Cloud {
		name := protocolNames[r.Protocol]
		if name == "" {
			name = r.Protocol
		}
		words = append(words, name)
	}
	for _, word := range []string{r.Product, r.Detail} {
		if word != "" {
			words = append(words, word)
		}
	}
	return strings.Join(words, ", ")
}

// String describes the storage: "sda: iSCSI, Longhorn, round trip 0.12 ms".
func (r Remote) String() string {
	text := r.Name + ": " + r.Words()
	if r.RoundTrip > 0 {
		text += fmt.Sprintf(", round trip %.2f ms", r.RoundTrip/float64(time.Millisecond))
	}
	return text
}

// durabilities maps products and protocols to the machines that have stored a write when it is
// acknowledged. Sources: Longhorn, "Architecture and Concepts" (a write goes to all replicas
// synchronously); Ceph, "Architecture" (the primary acknowledges when all replicas have stored the
// object); DRBD 8.4 User's Guide, "Replication modes"; Amazon EBS User Guide ("replicated within
// its Availability Zone"); Google Cloud, "About Persistent Disk"; Azure, "Redundancy options for
// managed disks".
var durabilities = []struct{ match, text string }{
	{"Longhorn", "a write is acknowledged when all healthy replicas have it: a lost node loses nothing; while replicas are missing, fewer copies exist"},
	{"Ceph", "a write is acknowledged when the replicas of its placement group have stored it: a lost node loses nothing"},
	{"protocol A", "DRBD protocol A acknowledges a write before the peer has it: a failover loses the last writes"},
	{"protocol B", "DRBD protocol B acknowledges a write when the peer has it in memory: only a power failure of both machines loses it"},
	{"protocol C", "DRBD protocol C acknowledges a write when the peer has stored it: a failover loses nothing"},
	{"Amazon EBS", "EBS keeps copies within one availability zone: the volume does not survive the loss of its zone"},
	{"Google Persistent Disk", "a zonal persistent disk keeps copies within one zone: it does not survive the loss of its zone"},
	{"Azure managed disk", "a managed disk with local redundancy keeps copies in one data centre"},
}

// Durability states what the storage's replication protects, with a source in this package; "" if
// nothing is known of it.
func (r Remote) Durability() string {
	for _, d := range durabilities {
		if d.match == r.Product || d.match == r.Detail {
			return d.text
		}
	}
	return ""
}

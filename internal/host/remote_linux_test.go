package host

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"plinth/internal/host/hosttest"
)

// summary returns a line for each remote of a place: "sda: iSCSI, Longhorn".
func summary(p Place) (lines []string) {
	for _, r := range p.Remote {
		lines = append(lines, r.Name+": "+r.Words())
	}
	return lines
}

// Network storage is found through mounts, partitions and disks of machines as documented.
func TestRemoteOfDocumentedMachines(t *testing.T) {
	const pvc = "/var/lib/kubelet/pods/5b1d/volumes/kubernetes.io~csi/pvc-0f4e6c1a/mount"
	for _, tc := range []struct {
		machine, path string
		remote        []string
		service       string // of the disk
		peers         int
	}{
		{"ec2", "/", []string{"nvme0n1: Amazon EBS"}, "Amazon EBS", 0},
		{"ec2", "/var/lib/postgresql", []string{"nvme1n1: Amazon EBS"}, "Amazon EBS", 0},
		{"ec2", "/scratch", nil, "EC2 instance store", 0},
		{"longhorn", "/", nil, "", 0},
		{"longhorn", pvc, []string{"sda: iSCSI, Longhorn"}, "", 1},
		{"ceph", "/var/lib/postgresql", []string{"rbd0: RBD, Ceph"}, "", 0},
		{"ceph", "/srv/redis", []string{"ceph: CephFS, Ceph"}, "", 0},
		{"ceph", "/backup", []string{"nfs4: NFSv4"}, "", 1},
		{"bare-nvme", "/var/lib/postgresql", nil, "", 0},
	} {
		i, err := Captured(hosttest.Documented(t, tc.machine), map[string]string{"data": tc.path})
		if err != nil {
			t.Fatal(err)
		}
		place := i.Places[0]
		if got := summary(place); !slices.Equal(got, tc.remote) || len(place.Gaps) > 0 {
			t.Errorf("%s: %s is reached over %q (gaps %v), want %q", tc.machine, tc.path, got, place.Gaps, tc.remote)
		}
		for _, d := range i.Disks {
			if slices.Contains(place.Disks, d.Name) && d.Service != tc.service {
				t.Errorf("%s: the service of %s is %q, want %q", tc.machine, d.Name, d.Service, tc.service)
			}
		}
		if len(place.Remote) > 0 && len(place.Remote[0].peers) != tc.peers {
			t.Errorf("%s: the peers of %s are %v", tc.machine, tc.path, place.Remote[0].peers)
		}
	}
}

func TestRemoteDisks(t *testing.T) {
	remoteNVMe := with(blockDevice("nvme0n1", "259:0"), "nvme0n1", map[string]string{
		"device/nvme0/transport": "tcp\n", "device/nvme0/address": "traddr=10.0.0.5,trsvcid=4420,src_addr=10.0.0.2\n",
		"device/nvme1/transport": "tcp\n", "device/nvme1/address": "traddr=10.0.0.6,trsvcid=4420\n"})
	for name, tc := range map[string]struct {
		files []map[string]string
		lines []string
		peers string
	}{
		"NVMe over TCP": {[]map[string]string{remoteNVMe}, []string{"nvme0n1: NVMe over TCP"}, "[10.0.0.5:4420 10.0.0.6:4420]"},
		"under LVM": {[]map[string]string{remoteNVMe, with(blockDevice("dm-0", "254:0", "nvme0n1"), "dm-0", map[string]string{"dm/name": "vg-data", "dm/uuid": "LVM-x"})},
			[]string{"nvme0n1: NVMe over TCP"}, "[10.0.0.5:4420 10.0.0.6:4420]"},
		"NBD":              {[]map[string]string{blockDevice("nbd0", "43:0")}, []string{"nbd0: NBD"}, "[]"},
		"DRBD, version 8":  {[]map[string]string{disk("sdb", "8:16"), blockDevice("drbd1", "147:1", "sdb"), {"proc/drbd": "version: 8.4.11 (api:1/proto:86-101)\n\n 1: cs:Connected ro:Primary/Secondary ds:UpToDate/UpToDate C r-----\n    ns:1 nr:0\n"}}, []string{"drbd1: DRBD, protocol C"}, "[]"},
		"DRBD, version 9":  {[]map[string]string{disk("sdb", "8:16"), blockDevice("drbd1", "147:1", "sdb"), {"proc/drbd": "version: 9.1.7 (api:2/proto:110-121)\n"}}, []string{"drbd1: DRBD"}, "[]"},
		"an address cut":   {[]map[string]string{with(blockDevice("nvme0n1", "259:0"), "nvme0n1", map[string]string{"device/transport": "tcp\n", "device/address": "traddr=10.0.0.\n"})}, []string{"nvme0n1: NVMe over TCP"}, "[]"},
		"a disk like EBS":  {[]map[string]string{disk("sdb", "8:16")}, nil, ""},
		"an unknown model": {[]map[string]string{with(blockDevice("sda", "8:0"), "sda", map[string]string{"device/model": "Elastic Block Store of Mine"})}, nil, ""},
	} {
		root := machine(tc.files...)
		number := ""
		for file := range root {
			if rest, found := strings.CutPrefix(file, "sys/dev/block/"); found && (number == "" || rest != "8:16" && rest != "259:0") {
				number = rest
			}
		}
		top := "1 0 " + number + " / /data rw - ext4 /dev/x rw\n"
		lookup := mountsOf(top)
		f, err := lookup("/data")
		if err != nil {
			t.Fatal(name, err)
		}
		place := placeOn(root, lookup, f)
		if got := summary(place); !slices.Equal(got, tc.lines) {
			t.Errorf("%s: %q, want %q (%+v)", name, got, tc.lines, place)
			continue
		}
		if len(place.Remote) > 0 && fmt.Sprint(place.Remote[0].peers) != tc.peers {
			t.Errorf("%s: peers are %v, want %s", name, place.Remote[0].peers, tc.peers)
		}
	}
}

func TestRoundTrips(t *testing.T) {
	to := func(address string, microseconds int) connection {
		return connection{netip.MustParseAddrPort(address), time.Duration(microseconds) * time.Microsecond, 0}
	}
	all := []connection{to("10.0.0.5:4420", 90), to("10.0.0.5:4420", 110), to("10.0.0.5:4420", 100), to("10.0.0.5:22", 5), to("10.0.0.7:6801", 250)}
	for name, tc := range map[string]struct {
		remote Remote
		want   time.Duration
	}{
		"median of the paths": {Remote{Protocol: "nvme-tcp", peers: appendPeer(nil, "10.0.0.5", "4420")}, 100 * time.Microsecond},
		"no connection":       {Remote{Protocol: "nfs4", peers: appendPeer(nil, "10.0.0.9", "2049")}, 0},
		"daemons of Ceph":     {Remote{Protocol: "rbd", Product: ceph}, 250 * time.Microsecond},
		"peers unknown":       {Remote{Protocol: "drbd"}, 0},
	} {
		place := Place{Remote: []Remote{tc.remote}}
		place.addRoundTrips(func() ([]connection, error) { return all, nil })
		if got := place.Remote[0].RoundTrip; got != float64(tc.want) {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
	place := Place{Remote: []Remote{{Protocol: "rbd", Product: ceph}}}
	place.addRoundTrips(func() ([]connection, error) { return nil, errors.New("no such family") })
	if len(place.Gaps) != 1 || place.Gaps[0].What != "remote" {
		t.Errorf("gaps are %v", place.Gaps)
	}
}

// The kernel lists a connection that this test opens, with its round trip.
func TestConnections(t *testing.T) {
	peer := loopbackConnection(t)
	all, err := connections()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(all, func(c connection) bool { return c.peer == peer && c.roundTrip > 0 }) {
		t.Errorf("the connection to %v is not among %v", peer, all)
	}
}

func TestDurability(t *testing.T) {
	for _, tc := range []struct {
		remote Remote
		want   string
	}{
		{Remote{Protocol: "iscsi", Product: "Longhorn"}, "all healthy replicas"},
		{Remote{Protocol: "drbd", Detail: "protocol A"}, "loses the last writes"},
		{Remote{Protocol: "drbd", Detail: "protocol C"}, "loses nothing"},
		{Remote{Protocol: "rbd", Product: ceph}, "placement group"},
	} {
		if got := tc.remote.Durability(); !strings.Contains(got, tc.want) {
			t.Errorf("%v: %q", tc.remote, got)
		}
	}
	if got := (Remote{Protocol: "iscsi"}).Durability(); got != "" {
		t.Errorf("of an unknown product: %q", got)
	}
}

package inspect

import (
	"slices"
	"strings"
	"testing"

	redisexamine "plinth/internal/engine/redis/examine"
	"plinth/internal/host"
	"plinth/internal/host/hosttest"
)

// Machines written from documentation, with a server on them, give the findings about their storage.
func TestStorageOfDocumentedMachines(t *testing.T) {
	const pvc = "/var/lib/kubelet/pods/5b1d/volumes/kubernetes.io~csi/pvc-0f4e6c1a/mount"
	storage := []string{"network-storage", "cloud-volume", "instance-store", "network-filesystem", "redis-network-storage", "burstable"}
	for _, tc := range []struct {
		machine, path string
		redis         bool
		rule, text    string // "": no finding about storage
		production    string
	}{
		{"ec2", "/var/lib/postgresql", false, "cloud-volume", "(nvme1n1: Amazon EBS)", "availability zone"},
		{"ec2", "/var/lib/postgresql", true, "redis-network-storage", "(nvme1n1: Amazon EBS), with appendfsync always", "availability zone"},
		{"ec2", "/scratch", false, "instance-store", "nvme2n1: EC2 instance store", "stops"},
		{"longhorn", pvc, false, "network-storage", "(sda: iSCSI, Longhorn)", "all healthy replicas"},
		{"longhorn", pvc, true, "redis-network-storage", "the append-only file is on network storage (sda: iSCSI, Longhorn)", "all healthy replicas"},
		{"longhorn", "/", false, "", "", ""},
		{"ceph", "/var/lib/postgresql", false, "network-storage", "(rbd0: RBD, Ceph)", "placement group"},
		{"ceph", "/srv/redis", true, "redis-network-storage", "on a network filesystem (ceph, 10.0.0.1:6789", "placement group"},
		{"ceph", "/backup", false, "network-filesystem", "(nfs4, 10.0.0.9:/backup)", "fsync"},
		{"bare-nvme", "/var/lib/postgresql", false, "", "", ""},
		{"bare-nvme", "/var/lib/postgresql", true, "", "", ""},
	} {
		machine, err := host.Captured(hosttest.Documented(t, tc.machine), map[string]string{"data": tc.path})
		if err != nil {
			t.Fatal(err)
		}
		in := Input{Machine: machine, Local: true}
		if tc.redis {
			in.Redis = &redisexamine.Facts{Settings: map[string]string{"appendonly": "yes", "appendfsync": "always"}}
		}
		found := slices.DeleteFunc(Findings(in), func(f Finding) bool { return !slices.Contains(storage, f.Rule) })
		switch {
		case tc.rule == "" && len(found) == 0:
		case len(found) != 1 || found[0].Rule != tc.rule || !strings.Contains(found[0].Text, tc.text) || !strings.Contains(found[0].Production, tc.production):
			t.Errorf("%s, %s: found %+v, want %s ...%s... (%s)", tc.machine, tc.path, found, tc.rule, tc.text, tc.production)
		}
	}
}

// The firmware of an EC2 instance names its type, whose limits are known.
func TestInstanceOfDocumentedMachine(t *testing.T) {
	machine, err := host.Captured(hosttest.Documented(t, "ec2"), map[string]string{"data": "/var/lib/postgresql"})
	if err != nil {
		t.Fatal(err)
	}
	found := Findings(Input{Machine: machine, Local: true})
	i := slices.IndexFunc(found, func(f Finding) bool { return f.Rule == "instance-limits" })
	if i < 0 || !strings.Contains(found[i].Text, "instance type m6id.large sustains 3600 IOPS") {
		t.Errorf("found %+v", found)
	}
}

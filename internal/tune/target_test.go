package tune

import (
	"slices"
	"testing"

	"plinth/internal/knob"
)

// TestNodePagesHaveTheDefaultSize checks that huge pages of a node are those that servers use.
func TestNodePagesHaveTheDefaultSize(t *testing.T) {
	f := newFake()
	const file = "/sys/devices/system/node/node1/hugepages/hugepages-1048576kB/nr_hugepages"
	f.files[file] = "0"
	f.files[meminfoFile] = "MemTotal:       16000000 kB\nHugepagesize:    1048576 kB\n"
	k, _ := knob.Find("nr_hugepages")
	got, err := Request{Machine: f}.targetOf(k, "node1")
	if err != nil || !slices.Equal(got.files, []string{file}) {
		t.Errorf("%q, %v", got.files, err)
	}
}

// TestInterruptsOfDisks finds the interrupts of an NVMe disk with and without multipath, and of a virtio disk.
func TestInterruptsOfDisks(t *testing.T) {
	for disk, file := range map[string]string{
		"nvme0n1": "/sys/block/nvme0n1/device/device/msi_irqs/24",
		"nvme1n1": "/sys/block/nvme1n1/device/nvme1/device/msi_irqs/24",
		"vda":     "/sys/block/vda/device/../msi_irqs/24",
	} {
		f := newFake()
		f.files[file] = ""
		if got, err := (Request{Machine: f}).interruptsOf(disk); err != nil || !slices.Equal(got, []string{"24"}) {
			t.Errorf("%s: %q, %v", disk, got, err)
		}
	}
}

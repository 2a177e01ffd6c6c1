package proc

import "testing"

func TestNVMePaths(t *testing.T) {
	for disk, want := range map[string][2]string{
		"nvme0n1": {"nvme0c", "n1"}, "nvme12n3": {"nvme12c", "n3"}, "nvme0": {}, "nvme0n1p1": {}, "nvme0c0n1": {}, "sda": {}, "n1": {},
	} {
		if begin, end := NVMePaths(disk); begin != want[0] || end != want[1] {
			t.Errorf("%s: %q, %q", disk, begin, end)
		}
	}
}

package kernel

import "testing"

// TestPathsOfMultipathDisks checks that the counters of the paths stand for those of a multipath NVMe disk if
// the kernel counts nothing for the disk, and only then.
func TestPathsOfMultipathDisks(t *testing.T) {
	const (
		idle   = " 259 1 nvme0n1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
		others = " 259 9 nvme1n1 900 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n 259 8 nvme0c0n11 900 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
	)
	for name, c := range map[string]struct {
		before, after     string
		reads, busy, sync float64
	}{
		"paths only": {
			" 259 0 nvme0c0n1 10 0 80 5 20 0 160 9 0 90100 20 0 0 0 0 3 4\n 259 2 nvme0c1n1 1 0 8 5 2 0 16 9 0 300 20 0 0 0 0 3 4\n" + idle + others,
			" 259 0 nvme0c0n1 15 0 120 5 20 0 160 9 0 90200 20 0 0 0 0 5 4\n 259 2 nvme0c1n1 8 0 64 5 2 0 16 9 0 800 20 0 0 0 0 3 4\n" + idle + others,
			12, 0.5, 2,
		},
		"the disk, too": {
			" 259 0 nvme0c0n1 10 0 80 5 20 0 160 9 0 100 20 0 0 0 0 3 4\n 259 1 nvme0n1 100 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n" + others,
			" 259 0 nvme0c0n1 15 0 80 5 20 0 160 9 0 100 20 0 0 0 0 3 4\n 259 1 nvme0n1 103 0 0 0 0 0 0 0 0 250 0 0 0 0 0 1 0\n" + others,
			3, 0.25, 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			put(t, root, "proc/diskstats", c.before)
			r := readings(t, Options{Root: root, Disks: []string{"nvme0n1"}}, "diskstats")
			r.mustRead()
			r.source.Close()
			put(t, root, "proc/diskstats", c.after)
			r.mustRead()
			r.source.Close()
			columns, _ := r.cut()
			for column, want := range map[string]float64{"reads": c.reads, "utilisation": c.busy, "flushes": c.sync} {
				if got := columns["diskstats.nvme0n1."+column]; len(got) != 1 || got[0] != want {
					t.Errorf("%s: %v, want %g", column, got, want)
				}
			}
		})
	}
}

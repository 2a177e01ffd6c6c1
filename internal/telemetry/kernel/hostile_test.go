//go:build linux

package kernel

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// hostile are texts that no kernel writes.
var hostile = map[string]string{
	"empty":    "",
	"line end": "\n",
	"binary":   "\x00\xff\xfe\x01cpu\x00\n\x00",
	"words":    "what is this\nand this: that\n",
	"huge":     "cpu 99999999999999999999 1 1 1 1\ncpu0 99999999999999999999999 1\n8 0 vda 99999999999999999999999 1\n",
	"negative": "cpu -1 -2 -3 -4\nMemTotal: -5 kB\npgfault -6\n 8 0 vda -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1\n eth0: -1\nsome avg10=0 total=-1\n",
	"colons":   "::::\n:\ncpu:\nlo:\n",
	"far CPU":  "cpu 1 2 3 4 5 6 7 8\ncpu4294967296 1 2 3 4\n",
	"long":     strings.Repeat("x", 1<<20),
	"no end":   "cpu  1 2 3",
}

// TestHostileFiles checks that a malformed file results in an error or a gap, never in a
// value or a panic.
func TestHostileFiles(t *testing.T) {
	files := map[string]string{
		"stat": "proc/stat", "schedstat": "proc/schedstat", "meminfo": "proc/meminfo", "vmstat": "proc/vmstat",
		"pressure": "proc/pressure/cpu", "diskstats": "proc/diskstats", "netdev": "proc/net/dev",
		"numastat": "sys/devices/system/node/node0/numastat", "cpufreq": "sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq",
		"cgroup": "sys/fs/cgroup/cpu.stat",
	}
	for source, file := range files {
		for what, text := range hostile {
			t.Run(source+"/"+what, func(t *testing.T) {
				root := t.TempDir()
				put(t, root, file, goodText[source])
				put(t, root, "proc/self/cgroup", "0::/\n")
				r := readings(t, Options{Root: root, Disks: []string{"vda"}}, source)
				defer r.source.Close()
				r.mustRead()
				put(t, root, file, text)
				_ = r.read() // some parts may be gaps, others not
				put(t, root, file, goodText[source])
				r.mustRead()
				columns, gaps := r.cut()
				for name, values := range columns {
					if !math.IsNaN(values[0]) {
						t.Errorf("%s is %v", name, values[0])
					}
				}
				if len(columns) == 0 || len(gaps) == 0 {
					t.Errorf("%d columns, %d gaps", len(columns), len(gaps))
				}
			})
		}
	}
}

// goodText is a valid text for each source.
var goodText = map[string]string{
	"stat":      "cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 1 2 3 4 5 6 7 8 9 10\nintr 5 1 2\nctxt 7\nbtime 1\nprocesses 8\nprocs_running 1\nprocs_blocked 0\n",
	"schedstat": "version 15\ntimestamp 1\ncpu0 0 0 0 0 0 0 11 12 13\ndomain0 3 1 2 3\n",
	"meminfo":   "MemTotal:       100 kB\nHugePages_Total:  3\n",
	"vmstat":    "pgfault 5\npgpgin 6\n",
	"pressure":  "some avg10=0.00 avg60=0.00 avg300=0.00 total=5\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=4\n",
	"diskstats": " 254 0 vda 1 2 3 4 5 6 7 8 0 10 11 12 13 14 15 16 17\n",
	"netdev":    "Inter-|\n face |\n  eth0:1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n",
	"numastat":  "numa_hit 1\nnuma_miss 0\nnuma_foreign 0\ninterleave_hit 1\nlocal_node 1\nother_node 0\n",
	"cpufreq":   "2400000\n",
	"cgroup":    "usage_usec 5\nuser_usec 3\nsystem_usec 2\nnr_periods 0\nnr_throttled 0\nthrottled_usec 0\n",
}

// TestFileGoesInMidRun checks that a file that disappears during a run results in an error
// with its name, and is read again when it is back.
func TestFileGoesInMidRun(t *testing.T) {
	root := t.TempDir()
	put(t, root, "proc/meminfo", goodText["meminfo"])
	r := readings(t, Options{Root: root}, "meminfo")
	r.mustRead()
	r.source.Close() // an open file could still be read
	if err := os.Remove(filepath.Join(root, "proc/meminfo")); err != nil {
		t.Fatal(err)
	}
	if err := r.read(); err == nil || !strings.Contains(err.Error(), "cannot open") || !strings.Contains(err.Error(), "meminfo") {
		t.Errorf("the error is %v", err)
	}
	put(t, root, "proc/meminfo", goodText["meminfo"])
	r.mustRead()
	r.source.Close()
}

func TestFileThatIsTooLong(t *testing.T) {
	root := t.TempDir()
	put(t, root, "endless", "")
	if err := os.Truncate(filepath.Join(root, "endless"), mostText+1); err != nil {
		t.Fatal(err)
	}
	f := newFile(root, "endless")
	defer f.close()
	if _, err := f.read(); err == nil || !strings.Contains(err.Error(), errTooLong.Error()) {
		t.Errorf("the error is %v", err)
	}
}

func FuzzGroupIO(f *testing.F) {
	f.Add([]byte("8:0 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=0 dios=0\n"))
	f.Add([]byte("8:0 Read 1\n8:0 Write 2\nTotal 3\n"))
	root := f.TempDir()
	f.Fuzz(func(_ *testing.T, text []byte) {
		g := &groupIOPart{root: root, upper: map[string]bool{}}
		g.parseIOStat(0, text)
		g.parseBlkio(0, text)
	})
}

//go:build linux

package kernel

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"plinth/internal/host/proc"
	"plinth/internal/record"
	"plinth/internal/telemetry"
)

// script reads a source once for each text of a file, and returns its columns and gaps.
func script(t *testing.T, name, file string, texts ...string) (map[string][]float64, []record.TelemetryGap) {
	t.Helper()
	root := t.TempDir()
	put(t, root, file, texts[0])
	r := readings(t, Options{Root: root, Disks: []string{"vda", "sdb"}}, name)
	defer r.source.Close()
	for _, text := range texts {
		put(t, root, file, text)
		_ = r.read()
	}
	return r.cut()
}

func reasonOf(gaps []record.TelemetryGap, column string, second float64) string {
	for _, gap := range gaps {
		for _, name := range gap.Columns {
			all := strings.HasSuffix(name, ".*") && strings.HasPrefix(column, strings.TrimSuffix(name, "*"))
			if (name == column || all) && gap.From <= second && second <= gap.To {
				return gap.Why
			}
		}
	}
	return ""
}

func expect(t *testing.T, columns map[string][]float64, name string, want ...float64) {
	t.Helper()
	got := columns[name]
	for i := range want {
		if len(got) != len(want) || math.Abs(got[i]-want[i]) > 1e-9 || math.IsNaN(got[i]) != math.IsNaN(want[i]) {
			t.Errorf("%s is %v, want %v", name, got, want)
			return
		}
	}
}

var nan = math.NaN()

func TestIdleThatGoesBackALittle(t *testing.T) {
	columns, gaps := script(t, "stat", "proc/stat",
		"cpu 0 0 0 1000 50\ncpu0 0 0 0 1000 50\nctxt 10\n",
		"cpu 10 0 0 995 49\ncpu0 10 0 0 995 49\nctxt 20\n",
		"cpu 20 0 0 1090 52\ncpu0 20 0 0 1090 52\nctxt 15\n",
	)
	expect(t, columns, "stat.cpu.idle", 0, 0.9)
	expect(t, columns, "stat.cpu.iowait", 0, 0.02)
	expect(t, columns, "stat.cpu0.busy", 0.1, 0.1)
	expect(t, columns, "stat.ctxt", 10, nan)
	if why := reasonOf(gaps, "stat.ctxt", 1); !strings.Contains(why, "went back, from 20 to 15") {
		t.Errorf("it is a gap because %q", why)
	}
	if why := reasonOf(gaps, "stat.cpu.steal", 0); why != "this kernel does not count it" {
		t.Errorf("steal is a gap because %q", why)
	}
}

func TestCPUGoesOffline(t *testing.T) {
	both, one := "cpu 20 0 0 100 0\ncpu0 10 0 0 50 0\ncpu1 10 0 0 50 0\n", "cpu 30 0 0 150 0\ncpu0 20 0 0 100 0\n"
	again := "cpu 50 0 0 280 0\ncpu0 30 0 0 140 0\ncpu1 20 0 0 140 0\n"
	last := "cpu 70 0 0 380 0\ncpu0 40 0 0 190 0\ncpu1 30 0 0 190 0\n"
	columns, gaps := script(t, "stat", "proc/stat", both, one, one, again, last)
	expect(t, columns, "stat.cpu.user", nan, 0, nan, 0.2)
	expect(t, columns, "stat.cpu0.busy", nan, 0, nan, 0.1)
	expect(t, columns, "stat.cpu1.busy", nan, nan, nan, 0.1)
	if why := reasonOf(gaps, "stat.cpu.user", 2); why != "the number of online CPUs changed from 1 to 2" {
		t.Errorf("it is a gap because %q", why)
	}
}

func TestSchedstatOfACPUThatComesBack(t *testing.T) {
	one, two := "cpu0 0 0 0 0 0 0 0 1000000000 1\n", "cpu1 0 0 0 0 0 0 0 9000000000 1\n"
	columns, _ := script(t, "schedstat", "proc/schedstat", one, one+two, one+two, one)
	expect(t, columns, "schedstat.run_delay", nan, 0, nan)
}

func TestDiskOfEveryAge(t *testing.T) {
	const old = " 8 0 vda %s 2 16 30 4 5 32 70 1 90 100"
	for what, test := range map[string]struct {
		more            string
		discard, flush  float64
		without, reason string
	}{
		"14 columns": {"", nan, nan, "diskstats.vda.discards", "this kernel does not count it"},
		"18 columns": {" 1 2 3 4", 0, nan, "diskstats.vda.flushes", "this kernel does not count it"},
		"20 columns": {" 1 2 3 4 5 6", 0, 0, "diskstats.sdb.reads", "/proc/diskstats does not list this disk"},
	} {
		t.Run(what, func(t *testing.T) {
			line := func(reads string) string {
				return strings.Replace(old, "%s", reads, 1) + test.more + "\n 8 1 vda1 9 9 9 9 9 9 9 9 9 9 9\n"
			}
			columns, gaps := script(t, "diskstats", "proc/diskstats", line("10"), line("20"))
			expect(t, columns, "diskstats.vda.reads", 10)
			expect(t, columns, "diskstats.vda.in_flight", 1)
			expect(t, columns, "diskstats.vda.read_latency", 0)
			expect(t, columns, "diskstats.vda.write_latency", nan) // none was completed
			expect(t, columns, "diskstats.vda.discards", test.discard)
			expect(t, columns, "diskstats.vda.flushes", test.flush)
			if why := reasonOf(gaps, test.without, 0); why != test.reason {
				t.Errorf("%s is a gap because %q", test.without, why)
			}
			if why := reasonOf(gaps, "diskstats.vda.write_latency", 0); why != "" {
				t.Errorf("that nothing was written is a gap because %q", why)
			}
		})
	}
}

// TestDiskThatWrapsAndGoes checks a 32-bit counter that wraps, and a disk that disappears
// while another appears.
func TestDiskThatWrapsAndGoes(t *testing.T) {
	a := "8 0 vda 10 0 0 4294967290 0 0 0 0 0 0 0\n"
	b := "8 0 vda 20 0 0 4 0 0 0 0 0 0 0\n"
	columns, gaps := script(t, "diskstats", "proc/diskstats", a, b, "", "8 16 sdb 5 0 0 1 0 0 0 0 0 0 0\n", "8 16 sdb 7 0 0 3 0 0 0 0 0 0 0\n")
	expect(t, columns, "diskstats.vda.reads", 10, nan, nan, nan)
	expect(t, columns, "diskstats.vda.read_latency", nan, nan, nan, nan)
	expect(t, columns, "diskstats.sdb.reads", nan, nan, nan, 2)
	if why := reasonOf(gaps, "diskstats.vda.read_latency", 0); !strings.Contains(why, "wrapped") {
		t.Errorf("it is a gap because %q", why)
	}
}

func TestInterfaceComesAndGoes(t *testing.T) {
	const lo, eth = "  lo:5 1 0 0 0 0 0 0 5 1 0 0 0 0 0 0\n", " eth0: 7 1 0 0 0 0 0 0 8 1 0 0 0 0 0 0\nveth1: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
	columns, _ := script(t, "netdev", "proc/net/dev", lo, lo+eth, lo+eth, lo)
	expect(t, columns, "netdev.lo.rx_bytes", 0, 0, 0)
	expect(t, columns, "netdev.eth0.tx_bytes", 8, 0, nan)
	if _, there := columns["netdev.veth1.rx_bytes"]; there {
		t.Error("an interface that never did anything has columns")
	}
	name, ok := proc.Interface([]byte("eth0:1: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16"), new(proc.NetNumbers))
	if string(name) != "eth0:1" || !ok {
		t.Errorf("an alias is %q, %v", name, ok)
	}
}

// TestNetworkOfTheServer checks that the interfaces are those of the server, if it has others than plinth.
func TestNetworkOfTheServer(t *testing.T) {
	root := t.TempDir()
	put(t, root, "proc/12/cgroup", "")
	put(t, root, "proc/self/cgroup", "")
	m := &machine{Options: Options{Root: root, Owners: map[string]func() int{serverName: func() int { return 12 }}}}
	for _, c := range []struct{ here, there, want string }{
		{"", "", "proc/net/dev"}, {"net:[1]", "net:[1]", "proc/net/dev"}, {"net:[1]", "net:[2]", "proc/12/net/dev"},
	} {
		for process, namespace := range map[string]string{"self": c.here, "12": c.there} {
			link := filepath.Join(root, "proc", process, "ns/net")
			_ = os.RemoveAll(filepath.Dir(link))
			if namespace == "" {
				continue
			}
			if err := errors.Join(os.Mkdir(filepath.Dir(link), 0o700), os.Symlink(namespace, link)); err != nil {
				t.Fatal(err)
			}
		}
		if got := m.network(); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

func TestFrequencies(t *testing.T) {
	root := t.TempDir()
	cpu := func(n, text string) { put(t, root, "sys/devices/system/cpu/cpu"+n+"/cpufreq/scaling_cur_freq", text) }
	cpu("0", "3000000\n")
	cpu("1", "1000000\n")
	cpu("2", "<unknown>\n")
	r := readings(t, Options{Root: root}, "cpufreq")
	defer r.source.Close()
	r.mustRead()
	r.mustRead()
	cpu("1", "") // the CPU is offline
	r.mustRead()
	columns, _ := r.cut()
	expect(t, columns, "cpufreq.mean", 2000, 3000)
	expect(t, columns, "cpufreq.lowest", 1000, 3000)
}

// TestFrequenciesTakeTurns checks that CPUs take turns where each reading takes long.
func TestFrequenciesTakeTurns(t *testing.T) {
	root := t.TempDir()
	for _, n := range []string{"0", "1", "2"} {
		put(t, root, "sys/devices/system/cpu/cpu"+n+"/cpufreq/scaling_cur_freq", n+"000000\n")
	}
	opened, err := openCpufreq(&machine{Options: Options{Root: root}})
	if err != nil {
		t.Fatal(err)
	}
	c := opened.(*cpufreq)
	c.limit = -time.Second
	r := &reading{t, source{kind{name: "cpufreq"}, c}, telemetry.NewBoard("cpufreq"), time.Unix(1000, 0)}
	for range 4 {
		_ = r.read() // the first CPU is at 0, which counts as no frequency
	}
	c.close()
	columns, _ := r.cut()
	expect(t, columns, "cpufreq.mean", 0.5e3+0.5e3, 1.5e3, 1.5e3)
}

func TestWhy(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{&fs.PathError{Op: "cannot open", Path: "/proc/x", Err: unix.ENOENT}, "/proc/x does not exist"},
		{&fs.PathError{Op: "cannot read", Path: "/proc/pressure/io", Err: unix.EOPNOTSUPP}, "this kernel counts it only if booted with psi=1"},
		{&fs.PathError{Op: "cannot open", Path: "/proc/x", Err: unix.EACCES}, "cannot open /proc/x: permission denied"},
		{errors.New("else"), "else"},
	} {
		if got := why(test.err); got != test.want {
			t.Errorf("%v is told as %q, want %q", test.err, got, test.want)
		}
	}
}

// TestMetrics checks that the catalog matches what sources put, has no name twice, and has
// all fields that the documentation needs.
func TestMetrics(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range Metrics() {
		if seen[m.Name] {
			t.Errorf("%s is there twice", m.Name)
		}
		seen[m.Name] = true
		if m.Kind == "" || m.Unit == "" || m.Source == "" || m.Doc == "" || m.Help == "" {
			t.Errorf("%+v is not complete", m)
		}
	}
	for _, k := range kinds() {
		for _, m := range k.metrics {
			if !strings.HasPrefix(m.Name, k.name+".") {
				t.Errorf("%s is a metric of %s", m.Name, k.name)
			}
		}
	}
}

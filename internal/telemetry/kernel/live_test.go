//go:build linux

package kernel

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"plinth/internal/host"
	"plinth/internal/host/hosttest"
	"plinth/internal/host/launch"
	"plinth/internal/host/proc"
	"plinth/internal/host/watch"
	"plinth/internal/telemetry"
)

// These tests read this machine's sources by hand before and after some activity.

// twice reads these sources, runs do, and reads them again, so that the result shows what
// do did.
func twice(t *testing.T, o Options, do func(), sources ...string) map[string]float64 {
	t.Helper()
	lane := Lane(o)
	var all []*reading
	for _, source := range lane.Sources {
		defer source.Close()
		for _, name := range sources {
			if source.Name() == name {
				all = append(all, &reading{t, source, telemetry.NewBoard(name), time.Unix(1000, 0)})
			}
		}
	}
	if len(all) != len(sources) {
		t.Fatalf("%d of %v are there: %v", len(all), sources, lane.Missing)
	}
	for _, r := range all {
		r.mustRead()
	}
	do()
	columns := map[string]float64{}
	for _, r := range all {
		r.mustRead()
		found, _ := r.cut()
		for name, values := range found {
			columns[name] = values[0]
		}
	}
	return columns
}

func within(t *testing.T, columns map[string]float64, name string, least, most float64) {
	t.Helper()
	if got, there := columns[name]; !there || !(got >= least && got <= most) {
		t.Errorf("%s is %v, want %v to %v", name, got, least, most)
	}
}

// counted returns counters of the machine by column name, read by another parser.
func counted(t *testing.T) map[string]float64 {
	t.Helper()
	stat, err := procOf(t, "/").Stat()
	if err != nil {
		t.Fatal(err)
	}
	return map[string]float64{
		"stat.intr": float64(stat.IRQTotal), "stat.ctxt": float64(stat.ContextSwitches), "stat.processes": float64(stat.ProcessCreated),
		"stat.cpu.user": stat.CPUTotal.User, "stat.cpu.nice": stat.CPUTotal.Nice, "stat.cpu.system": stat.CPUTotal.System,
	}
}

// TestMachineIsCounted checks that the machine's counters grew by no less than was counted
// between the readings, and by no more than was counted around them.
func TestMachineIsCounted(t *testing.T) {
	w := startWorker(t)
	around, begin, end := counted(t), map[string]float64(nil), map[string]float64(nil)
	columns := twice(t, Options{Root: "/"}, func() {
		begin = counted(t)
		w.do("child 50ms")
		end = counted(t)
	}, "stat")
	for name, last := range counted(t) {
		const rounding = 1e-6
		within(t, columns, name, end[name]-begin[name]-rounding, last-around[name]+rounding)
	}
	within(t, columns, "stat.processes", 1, math.Inf(1))
}

func TestCPUTimeHasAnOwner(t *testing.T) {
	w := startWorker(t)
	o := Options{Root: "/", Owners: map[string]func() int{
		"generator": func() int { return w.Process.Pid },
		"plinth":    os.Getpid,
	}}
	const rounding = 0.02                            // user and system time in ticks
	for _, what := range []string{"burn", "child"} { // the child starts and exits between readings
		began := host.CPUTime()
		columns := twice(t, o, func() { w.do("%s 100ms", what) }, "stat", "process")
		all, err := watch.ReadProcesses()
		if err != nil {
			t.Fatal(err)
		}
		within(t, columns, "process.generator.cpu", 0.1-rounding, all.Tree(w.Process.Pid).CPU+rounding)
		within(t, columns, "process.plinth.cpu", 0, (host.CPUTime()-began).Seconds()+rounding)
		within(t, columns, "process.others.cpu", 0, math.Inf(1))
		within(t, columns, "process.generator.processes", 1, 1)
	}
}

// TestDiskOfItsOwn checks that a disk with a single writer is counted to the byte.
func TestDiskOfItsOwn(t *testing.T) {
	hosttest.NeedRoot(t)
	disk := loopDevice(t)
	w := startWorker(t)
	before := blockStat(t, disk)
	columns := twice(t, Options{Root: "/", Disks: []string{disk}}, func() { w.do("write /dev/%s", disk) }, "diskstats")
	after := blockStat(t, disk)
	const writes, sectors = 4, 6
	within(t, columns, "diskstats."+disk+".write_bytes", written, written)
	within(t, columns, "diskstats."+disk+".write_bytes", 512*(after[sectors]-before[sectors]), 512*(after[sectors]-before[sectors]))
	within(t, columns, "diskstats."+disk+".writes", after[writes]-before[writes], after[writes]-before[writes])
}

// blockStat returns the counters of a disk (Documentation/block/stat.rst).
func blockStat(t *testing.T, disk string) (all []float64) {
	t.Helper()
	text, err := os.ReadFile("/sys/block/" + disk + "/stat")
	if err != nil {
		t.Fatal(err)
	}
	for word := range strings.FieldsSeq(string(text)) {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	return all
}

// loopDevice returns a disk that only this test writes to.
func loopDevice(t *testing.T) (name string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "disk")
	if err := os.WriteFile(file, make([]byte, 2*written), 0o600); err != nil {
		t.Fatal(err)
	}
	return hosttest.LoopDevice(t, file)
}

// TestCPUTimeOfOneThread checks that the CPU time of a single thread is known to the
// nanosecond.
func TestCPUTimeOfOneThread(t *testing.T) {
	cmd := exec.Command("sh", "-c", "read go; i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo done; read end")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	o := Options{Root: "/", Owners: map[string]func() int{"server": func() int { return cmd.Process.Pid }}}
	columns := twice(t, o, func() {
		fmt.Fprintln(in, "go")
		if _, err := out.Read(make([]byte, 5)); err != nil {
			t.Fatal(err)
		}
	}, "process")
	got := columns["process.server.cpu"]
	if ticks := got * proc.Ticks; got <= 0 || ticks == math.Trunc(ticks) {
		t.Errorf("it used %v s", got)
	}
	_ = in.Close()
	if err := cmd.Wait(); err != nil {
		t.Logf("the shell ended: %v", err) // read fails at the end of its input
	}
	if all := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(); got > all.Seconds()+0.01 {
		t.Errorf("it used %v s of %v", got, all)
	}
}

func TestWritesAreSeen(t *testing.T) {
	dir := hosttest.OpenDir(t)
	w := startWorker(t)
	var disks []string
	for _, disk := range liveDisks(t) {
		if !strings.HasPrefix(disk, "loop") { // their I/O is repeated on the disks below
			disks = append(disks, disk)
		}
	}
	o := Options{Root: "/", Disks: disks, Owners: map[string]func() int{"server": func() int { return w.Process.Pid }}}
	columns := twice(t, o, func() { w.do("write %s", filepath.Join(dir, "file")) }, "process", "diskstats", "vmstat")
	const size = written
	within(t, columns, "process.server.write_bytes", size, 2*size)
	within(t, columns, "vmstat.pgpgout", size, math.Inf(1))
	// Each CPU holds back up to 125 counts before it adds them to the total (mm/vmstat.c,
	// calculate_normal_threshold).
	unseen := float64(125 * runtime.NumCPU())
	within(t, columns, "vmstat.nr_dirtied", size/float64(os.Getpagesize())-unseen, math.Inf(1))
	bytes, writes := 0.0, 0.0
	for _, disk := range disks {
		bytes += columns["diskstats."+disk+".write_bytes"]
		writes += columns["diskstats."+disk+".writes"]
	}
	if bytes < size || writes < 1 {
		t.Errorf("disks wrote %v bytes with %v writes", bytes, writes)
	}
}

// looker runs as an ordinary user, reads another user's process, and prints why its I/O is
// unknown.
func looker() {
	lane := Lane(Options{Root: "/", Owners: map[string]func() int{"server": func() int { return 1 }}})
	for _, source := range lane.Sources {
		if source.Name() == "process" {
			r := &reading{nil, source, telemetry.NewBoard("process"), time.Unix(1000, 0)}
			fmt.Println(r.read(), r.read())
			_, gaps := r.board.Columns(time.Unix(1000, 0), []float64{0})
			for _, gap := range gaps {
				fmt.Println(gap.Columns, gap.Why)
			}
		}
	}
}

func TestOtherUsersProcesses(t *testing.T) {
	if os.Getuid() != 0 {
		if os.Getenv("CI") != "" {
			t.Fatal("needs root")
		}
		t.Skip("needs root, to be somebody else")
	}
	user, err := launch.ServerUser()
	if err != nil {
		t.Fatal(err)
	}
	exe, err := os.Open("/proc/self/exe") // the user cannot enter its directory
	if err != nil {
		t.Fatal(err)
	}
	defer exe.Close()
	cmd := exec.Command("/proc/self/fd/3")
	cmd.ExtraFiles = []*os.File{exe}
	cmd.Env = []string{"PLINTH_TEST_HELPER=looker"}
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(user.UID), Gid: uint32(user.GID)}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	// The columns of PostgreSQL's kinds of processes are there if one of its servers runs on the machine.
	want := regexp.MustCompile(`^<nil> <nil>\n(?s:.*)\[process\.server\.read_bytes process\.server\.write_bytes( process\.server\.\w+\.write_bytes)*\] ` + regexp.QuoteMeta(notOurs))
	if !want.Match(out) {
		t.Errorf("an ordinary user sees %q, want %s", out, want)
	}
}

// TestMoreProcessesThanAreHeld checks that of a process with many children those beyond the
// limit of open files are read, too.
func TestMoreProcessesThanAreHeld(t *testing.T) {
	server := hundred(t)
	before := openFiles(t) // other tests may have left open files to the garbage collector
	opened, err := openProcesses(&machine{Options: Options{Root: "/", Owners: map[string]func() int{"server": func() int { return server }}}})
	if err != nil {
		t.Fatal(err)
	}
	s := opened.(*processes)
	s.most = 20
	defer s.close()
	r := &reading{t, source{kind{name: "process"}, s}, telemetry.NewBoard("process"), time.Unix(1000, 0)}
	r.mustRead()
	r.mustRead()
	columns, _ := r.cut()
	expect(t, columns, "process.server.processes", 101)
	expect(t, columns, "process.server.threads", 101)
	if more := openFiles(t) - before; s.held != 20 || more > 20*4+40 {
		t.Errorf("%d processes are held, with %d open files", s.held, more)
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// TestNothingStaysOpen checks that Close closes every file.
func TestNothingStaysOpen(t *testing.T) {
	o := everything(t)
	before := openFiles(t)
	lane := Lane(o)
	for _, source := range lane.Sources {
		r := &reading{t, source, telemetry.NewBoard(source.Name()), time.Unix(1000, 0)}
		r.mustRead()
		source.Close()
	}
	if after := openFiles(t); after > before {
		t.Errorf("%d files were open, and then %d", before, after)
	}
}

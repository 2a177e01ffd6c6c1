package probe

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"plinth/internal/device"
	"plinth/internal/emulator"
	"plinth/internal/host/hosttest"
	"plinth/internal/host/launch"
	"plinth/internal/journal"
	"plinth/internal/unit"
	"plinth/internal/volume"
)

func TestMain(m *testing.M) {
	launch.GuardMain()
	emulator.Main()
	// The probed files and devices are in memory: the tests measure plinth, not a busy disk.
	if _, err := os.Stat("/dev/shm"); err == nil {
		_ = os.Setenv("TMPDIR", "/dev/shm")
	}
	// A busy machine's path cost would be subtracted from the delays of emulated devices. All tests share
	// this, so it is set before they start side by side.
	volume.Uncalibrated(emulator.PathCost{ReadIOPS: 1, WriteIOPS: 1})
	flag.Parse()
	_ = flag.Set("test.parallel", "4") // probes mostly wait
	os.Exit(m.Run())
}

// lab is an environment for probes: a journal, and what was said.
type lab struct {
	*testing.T
	state   string
	options Options
	mu      sync.Mutex
	said    []string
	told    map[string]bool
}

func newLab(t *testing.T, path string) *lab {
	l := &lab{T: t, state: t.TempDir(), told: map[string]bool{}}
	j, err := journal.Open(l.state, "test")
	if err != nil {
		t.Fatal(err)
	}
	l.options = Options{Path: path, For: Shortest, Size: 32 * unit.MiB, Seed: 1, Launcher: launch.NewLocal(), Journal: j,
		Say: func(text string) { l.said = append(l.said, text) },
		Tell: func(step, _ string, left time.Duration) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.told[step] = true
			if left > time.Hour {
				t.Errorf("%s: %s left", step, left)
			}
		}}
	t.Cleanup(l.putBack)
	return l
}

func (l *lab) putBack() {
	if err := errors.Join(l.options.Journal.PutBack(context.Background(), volume.Undoers()), l.options.Journal.Close()); err != nil {
		l.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(l.state, "*")); len(left) > 0 {
		l.Errorf("left: %v", left)
	}
}

// TestProbeDirectory probes a real directory, for the shortest time possible.
func TestProbeDirectory(t *testing.T) {
	t.Parallel() // the test does not depend on time
	dir := hosttest.OpenDir(t)
	l := newLab(t, dir)
	l.options.Expect = &device.Device{Name: "x", Read: device.Latency{Median: unit.Duration(time.Millisecond)}, Write: device.Latency{Median: unit.Duration(time.Millisecond)}}
	r, err := Run(t.Context(), l.options)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Steps) != len(steps) || r.Slices != 1 || r.Target.Raw || r.Target.ReadOnly {
		t.Errorf("%d steps in %d slices of %+v", len(r.Steps), r.Slices, r.Target)
	}
	for _, m := range r.Steps {
		if m.Operations == 0 || m.IOPS.Value <= 0 || m.Rate.Value <= 0 || m.P50 <= 0 || m.P99 < m.P50 || m.P999 < m.P99 {
			t.Errorf("%+v", m)
		}
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
	if r.Device == nil || r.Device.Check() != nil {
		t.Errorf("device %+v", r.Device)
	}
	if len(r.Theory) < 5 || len(r.Meaning) < 5 || len(r.Notes) == 0 {
		t.Errorf("%d lines of theory, %d of meaning, %d notes", len(r.Theory), len(r.Meaning), len(r.Notes))
	}
	if !l.told["writing the test file"] || !l.told["slice 1 of 1"] {
		t.Errorf("told %v", l.told)
	}
	own, _ := filepath.Glob(filepath.Join(dir, "plinth-*-probe"))
	entries := l.options.Journal.Entries()
	if len(own) != 1 || len(entries) != 2 || !strings.Contains(entries[1].Describe()+entries[0].Describe(), own[0]) {
		t.Errorf("there is %v, in the journal %v", own, entries)
	}
	if err := l.options.Journal.PutBack(t.Context(), volume.Undoers()); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

// TestTimesOfSteps checks the times in which steps with one request at a time were running.
func TestTimesOfSteps(t *testing.T) {
	t.Parallel() // the test does not depend on time
	l := newLab(t, t.TempDir())
	l.options.Size, l.options.only = LeastSize, []Step{steps[3], steps[4], steps[7]}
	p, err := newProbe(l.options)
	if err != nil {
		t.Fatal(err)
	}
	p.program = foundFio(t)
	if err := p.prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	others := watchBeside([]*probe{p}, p.plan.step)
	defer others.host.Stop()
	begin := time.Now().Truncate(time.Millisecond) // as fio's clock
	if err := p.measure(t.Context()); err != nil {
		t.Fatal(err)
	}
	end := time.Now()
	last := begin
	for _, m := range p.alone {
		if m.from.Before(last) || !m.to.After(m.from) || m.to.After(end) || m.fio < 0 {
			t.Errorf("after %s and before %s: %+v", last, end, m)
		}
		last = m.to
	}
	if n := len(p.alone); n < 1 || n > 2*p.plan.slices {
		t.Errorf("%d times of 2 steps in %d slices", n, p.plan.slices)
	}
	if s := others.seen().alone; s.all <= 0 || s.idle > s.all {
		t.Errorf("CPU time %+v", s)
	}
}

func TestProbeIsInterrupted(t *testing.T) {
	t.Parallel() // the test does not depend on time
	l := newLab(t, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	l.options.For = time.Hour
	l.options.Tell = func(step, _ string, _ time.Duration) {
		if strings.HasPrefix(step, "slice") {
			cancel()
		}
	}
	if _, err := Run(ctx, l.options); !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
}

// loop creates a loop device over a file in memory, with a filesystem's signature.
func loop(t *testing.T) string {
	t.Helper()
	hosttest.NeedRoot(t)
	file := filepath.Join(t.TempDir(), "disk.img")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file, 64<<20); err != nil {
		t.Fatal(err)
	}
	run := func(name string, args ...string) string {
		out, err := exec.Command(name, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	path := run("losetup", "--find", "--show", file)
	t.Cleanup(func() { run("losetup", "--detach", path) })
	run("mkfs.ext4", "-q", "-L", "precious", path)
	return path
}

func TestProbeDeviceReadsOnly(t *testing.T) {
	t.Parallel() // the test does not depend on time
	path := loop(t)
	before := head(t, path)
	l := newLab(t, path)
	l.options.For = 2 * time.Second // there are few steps
	r, err := Run(t.Context(), l.options)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(head(t, path), before) {
		t.Error("it was written to")
	}
	if !r.Target.Raw || !r.Target.ReadOnly || len(r.Steps) != 5 || r.Device != nil {
		t.Errorf("%d steps of %+v; device %+v", len(r.Steps), r.Target, r.Device)
	}
	var rules []string
	for _, n := range r.Notes {
		rules = append(rules, n.Rule)
	}
	if !slices.Contains(rules, "read-only") || !slices.Contains(rules, "page-cache") {
		t.Errorf("notes %v", rules)
	}
	if len(l.said) != 0 {
		t.Errorf("said %v", l.said)
	}
}

func TestProbeDeviceErases(t *testing.T) {
	t.Parallel() // the test does not depend on time
	path := loop(t)
	before := head(t, path)
	l := newLab(t, path)
	l.options.Erase = true
	r, err := Run(t.Context(), l.options)
	if err != nil {
		t.Fatal(err)
	}
	if slices.Equal(head(t, path), before) {
		t.Error("it was not written to")
	}
	if r.Target.ReadOnly || len(r.Steps) != len(steps) || r.Device == nil {
		t.Errorf("%d steps of %+v", len(r.Steps), r.Target)
	}
	for _, want := range []string{"erasing " + path, "64MiB", "ext4"} {
		if len(l.said) != 1 || !strings.Contains(l.said[0], want) {
			t.Errorf("said %q, not %q", l.said, want)
		}
	}
}

// TestProbeSparesWhatIsInUse checks that --erase does not erase a mounted device.
func TestProbeSparesWhatIsInUse(t *testing.T) {
	path, at := loop(t), t.TempDir()
	if out, err := exec.Command("mount", path, at).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	defer func() {
		if out, err := exec.Command("umount", at).CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}()
	l := newLab(t, path)
	l.options.Erase = true
	_, err := Run(t.Context(), l.options)
	var target *TargetError
	if !errors.As(err, &target) || !strings.Contains(err.Error(), "it is in use") {
		t.Errorf("got %v", err)
	}
}

func head(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	head := make([]byte, 64<<10)
	if _, err := f.ReadAt(head, 0); err != nil {
		t.Fatal(err)
	}
	return head
}

// TestSustain sustains the loads of --sustained for some seconds.
func TestSustain(t *testing.T) {
	t.Parallel() // the test does not depend on time
	l := newLab(t, t.TempDir())
	l.options.Sustained = 4 * time.Second
	path := filepath.Join(l.options.Path, "probe.dat")
	if err := os.WriteFile(path, make([]byte, 16<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	p := &probe{Options: l.options, path: path, scratch: t.TempDir(), target: Target{Size: 16 * unit.MiB, Direct: takesDirect(path)}}
	p.program = foundFio(t)
	all, err := p.sustain(t.Context())
	if err != nil || len(all) != 2 {
		t.Fatalf("%v, %v", all, err)
	}
	for _, s := range all {
		if len(s.Seconds) < 1 || s.Baseline <= 0 {
			t.Errorf("%+v", s)
		}
	}
}

func TestDirect(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(file, make([]byte, page), 0o600); err != nil {
		t.Fatal(err)
	}
	if !takesDirect(file) {
		t.Errorf("%s takes no direct requests", file)
	}
	for _, path := range []string{file + ".gone", "/proc/version"} {
		if takesDirect(path) {
			t.Errorf("%s takes direct requests", path)
		}
	}
}

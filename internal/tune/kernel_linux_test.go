package tune

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"plinth/internal/host"
	"plinth/internal/host/hosttest"
	"plinth/internal/host/launch"
	"plinth/internal/journal/journaltest"
	"plinth/internal/knob"
	"plinth/internal/profile"
)

// TestMain checks that the tests leave every knob of this machine as they found it.
func TestMain(m *testing.M) {
	launch.GuardMain()
	if os.Getenv("PLINTH_TEST_TUNE") != "" {
		killed()
	}
	hosttest.TempInMemory()
	before := readings()
	code := m.Run()
	after := readings()
	for path, was := range before {
		if now, there := after[path]; there && now != was {
			fmt.Fprintf(os.Stderr, "the tests changed %s: %q, was %q\n", path, now, was)
			code = 1
		}
	}
	os.Exit(code)
}

// readings returns the content of all files of this machine that the catalog's knobs write, read
// while no other test tunes.
func readings() map[string]string {
	if lock, err := hosttest.HoldKernel(); err == nil {
		defer lock.Close()
	}
	all := map[string]string{}
	for _, k := range knob.All() {
		if k.File == "" || k.Binary || k.Scope == knob.OfIRQ { // irqbalance may move interrupts
			continue
		}
		files, _ := Kernel{}.Match(k.Path("*"))
		if k.Scope == knob.OfCPU {
			files, _ = Kernel{}.Match(k.Path("[0-9]*"))
		}
		for _, path := range files {
			if k.Scope == knob.OfDevice && !strings.HasPrefix(path, "/sys/block/vd") && !strings.HasPrefix(path, "/sys/block/nvme") && !strings.HasPrefix(path, "/sys/block/sd") {
				continue // loop devices of other tests come and go
			}
			if content, err := (Kernel{}).Read(path); err == nil {
				all[path] = content
			}
		}
	}
	return all
}

// needKernel requires root and a tunable kernel, and keeps other tests away from it.
func needKernel(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 || (Kernel{}).Writable(swappiness) != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("needs root, and a kernel that it may tune")
		}
		t.Skip("needs root, and a kernel that it may tune")
	}
	hosttest.LockKernel(t)
}

// loopDevice creates a loop device for the test, with a filesystem if one is named.
func loopDevice(t *testing.T, filesystem string) string {
	t.Helper()
	image := filepath.Join(t.TempDir(), "image")
	if err := os.WriteFile(image, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(image, 320<<20); err != nil { // the minimum for mkfs.xfs
		t.Fatal(err)
	}
	device := "/dev/" + hosttest.LoopDevice(t, image)
	if filesystem != "" {
		if out, err := exec.Command("mkfs."+filesystem, "-q", device).CombinedOutput(); err != nil {
			t.Fatalf("mkfs: %v: %s", err, out)
		}
	}
	return device
}

// other returns the first of the values that differs from now.
func other(now string, values ...string) string {
	i := slices.IndexFunc(values, func(v string) bool { return v != now })
	return values[i]
}

// TestRealKernel covers every kind of kernel file, from the journal to the last byte: kept, read
// by another plinth, rolled back.
func TestRealKernel(t *testing.T) {
	needKernel(t)
	device := filepath.Base(loopDevice(t, ""))
	queue := "/sys/block/" + device + "/queue/"
	r := Request{Machine: Kernel{}, Targets: Targets{Devices: map[string]string{"data": device}}}
	now := func(path string) string {
		value, err := read(r.Machine, path)
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	schedulers := offered(mustRead(t, queue+"scheduler"))
	want := map[string]string{
		"vm.swappiness":             other(now(swappiness), "59", "61"),
		"vm.dirty_bytes":            other(now(dirtyBytes), "3221225472", "3221229568"),
		"vm.dirty_background_ratio": other(now(bgRatio), "9", "11"),
		"vm.nr_hugepages":           other(now(hugePages), "2", "3"),
		"transparent_hugepage":      other(now(thp), "madvise", "always"),
		"scheduler@data":            other(now(queue+"scheduler"), schedulers...),
		"nr_requests@data":          "37",
		"read_ahead_kb@data":        "236",
		"wbt_lat_usec@data":         "1234",
	}
	if _, err := read(r.Machine, queue+"wbt_lat_usec"); err != nil {
		delete(want, "wbt_lat_usec@data") // this kernel has no write-back throttling
	}
	files := map[string]string{}
	for key, value := range want {
		r.Values = append(r.Values, profile.Value{Key: knob.ParseKey(key), Value: value})
	}
	p, err := Make(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range p.Changes {
		if c.State != ToChange {
			t.Fatalf("%s: %s: %s", c.Key, c.State, c.Problem)
		}
		for _, path := range c.Files {
			files[path] = mustRead(t, path)
		}
	}
	for _, path := range []string{dirtyRatio, minFree, queue + "wbt_lat_usec"} {
		files[path], _ = r.Machine.Read(path)
	}
	dir := t.TempDir()
	a, err := Keep(t.Context(), dir, UntilRollback, r, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { rollBack(t, dir) })
	checks, err := Verify(t.Context(), r, p)
	for _, c := range checks {
		if !c.OK {
			t.Errorf("%+v", c)
		}
	}
	if err != nil || len(checks) < len(want)+2 { // plus both effective limits of dirty pages
		t.Errorf("%d checks, %v", len(checks), err)
	}
	if len(a.Knobs()) != len(want) {
		t.Errorf("%d knobs are recorded", len(a.Knobs()))
	}
	for _, k := range a.Knobs() {
		if !same(k.Key, k.Value, want[k.Key]) || k.Was == k.Value {
			t.Errorf("recorded: %+v", k)
		}
	}
	rollBack(t, dir)
	for path, was := range files {
		if now, _ := r.Machine.Read(path); now != was {
			t.Errorf("%s is %q, and was %q", path, now, was)
		}
	}
}

func mustRead(t *testing.T, path string) string {
	t.Helper()
	content, err := Kernel{}.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func rollBack(t *testing.T, dir string) {
	t.Helper()
	kept, err := Kept(dir)
	if err != nil {
		t.Fatal(err)
	}
	if kept == nil {
		return
	}
	if _, err := kept.Rollback(context.Background(), Kernel{}); err != nil {
		t.Error(err)
	}
}

// TestRealInterrupt moves an interrupt, if any can be moved.
func TestRealInterrupt(t *testing.T) {
	needKernel(t)
	files, err := Kernel{}.Match("/proc/irq/[0-9]*/smp_affinity_list")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		was := mustRead(t, path)
		irq := filepath.Base(filepath.Dir(path))
		r := Request{Machine: Kernel{}, Values: []profile.Value{{Key: knob.Key{Knob: "smp_affinity_list", On: irq}, Value: other(was, "0", "1")}}}
		p, err := Make(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if _, err := Keep(t.Context(), dir, UntilReboot, r, p); err != nil {
			if now := mustRead(t, path); now != was {
				t.Fatalf("%s cannot be set (%v), and is %s now, not %s", path, err, now, was)
			}
			continue // the kernel manages it
		}
		rollBack(t, dir)
		if now := mustRead(t, path); now != was {
			t.Errorf("%s is %s, and was %s", path, now, was)
		}
		return
	}
	t.Log("no interrupt of this machine can be moved")
}

// TestRemountOfABoundDirectory changes the flags of a filesystem of which plinth has mounted a directory
// once more.
func TestRemountOfABoundDirectory(t *testing.T) {
	needKernel(t)
	device, dir := loopDevice(t, "ext4"), t.TempDir()
	if err := unix.Mount(device, dir, "ext4", unix.MS_RELATIME, ""); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	if err := os.MkdirAll(host.RunDir, 0o755); err != nil {
		t.Fatal(err)
	}
	bound, err := os.MkdirTemp(host.RunDir, "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Remove(bound) })
	if err := unix.Mount(filepath.Join(dir, "lost+found"), bound, "", unix.MS_BIND, ""); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Unmount(bound, unix.MNT_DETACH) })
	for _, option := range []string{"noatime", "relatime"} {
		if err := (Kernel{}).Remount(dir, []string{"rw", option}, nil); err != nil {
			t.Fatal(err)
		}
		for _, at := range []string{dir, bound} {
			if mount, _, err := mountAt(Kernel{}, at); err != nil || !slices.Contains(splitOptions(mount.Options), option) {
				t.Errorf("%s has %s, %v; want %s", at, mount.Options, err, option)
			}
		}
	}
}

// What a remount changes, a remount restores exactly; what it cannot change is refused
// beforehand, or found when it is read back.
func TestRealMount(t *testing.T) {
	needKernel(t)
	for _, tc := range []struct{ filesystem, with, options, fails string }{
		{"ext4", "relatime", "noatime,commit=30", ""},
		{"ext4", "strictatime,nosuid", "relatime", ""},
		{"ext4", "noatime,commit=15,lazytime", "relatime,commit=30,discard", ""},
		{"ext4", "nodiscard,barrier", "discard,noauto_da_alloc,stripe=16,max_batch_time=20000,nodiratime", ""},
		{"ext4", "discard,nodiratime,lazytime", "nodiscard,diratime,nolazytime,dioread_nolock", ""},
		{"ext4", "stripe=8", "stripe=16", ""},
		{"ext4", "noatime", "data=journal", "data=journal"},
		{"xfs", "relatime", "noatime,nodiratime", ""},
		{"xfs", "relatime", "allocsize=1m", "allocsize"},
	} {
		t.Run(tc.filesystem+" "+tc.options, func(t *testing.T) {
			if _, err := exec.LookPath("mkfs." + tc.filesystem); err != nil && os.Getenv("CI") == "" {
				t.Skip(err)
			}
			device, dir := loopDevice(t, tc.filesystem), t.TempDir()
			if out, err := exec.Command("mount", "-o", tc.with, device, dir).CombinedOutput(); err != nil {
				t.Fatalf("mount: %v: %s", err, out)
			}
			t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
			before, _, err := mountAt(Kernel{}, dir)
			if err != nil {
				t.Fatal(err)
			}
			r := Request{Machine: Kernel{}, Targets: Targets{Mounts: map[string]string{"data": dir}},
				Values: []profile.Value{{Key: knob.ParseKey("options@data"), Value: tc.options}}}
			p, err := Make(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			state := t.TempDir()
			_, err = Keep(t.Context(), state, UntilRollback, r, p)
			if (err != nil) != (tc.fails != "") || err != nil && !strings.Contains(err.Error(), tc.fails) {
				t.Fatalf("apply: %v (%s)", err, p.Changes[0].State)
			}
			if err == nil {
				if checks, err := Verify(t.Context(), r, p); err != nil || len(checks) != 1 || !checks[0].OK {
					t.Errorf("%+v, %v", checks, err)
				}
			}
			rollBack(t, state)
			after, _, _ := mountAt(Kernel{}, dir)
			if after.Options != before.Options {
				t.Errorf("the options are %s, and were %s", after.Options, before.Options)
			}
		})
	}
}

// The wake-up latency is held while the file is open; a command runs where the plan says.
func TestRealHeld(t *testing.T) {
	needKernel(t)
	r := Request{Machine: Kernel{}, Held: true, Values: valuesOf("cpu_dma_latency=100, cpus=0, mems=0")}
	p, err := Make(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	latency := p.find("cpu_dma_latency")
	if latency.State == NotApplicable {
		r.Values = r.Values[1:]
	} else if latency.State != ToChange {
		t.Fatalf("%+v", latency)
	}
	if _, err := os.Stat("/sys/devices/system/node/online"); err != nil {
		t.Skip("this kernel knows no memory nodes")
	}
	applied, err := Apply(t.Context(), journaltest.Open(t, Undoers(r.Machine)), r, p)
	if err != nil || len(applied.Knobs()) != 0 {
		t.Fatalf("%v; what is held is no change that is made: %+v", err, applied.Knobs())
	}
	h, err := Around(t.Context(), r, p)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = h.Close() }()
	if latency.State == ToChange && held(t) != 100 {
		t.Errorf("the latency that is asked for is %d", held(t))
	}
	var out strings.Builder
	command := h.Command(launch.Command{Path: "/bin/cat", Args: []string{"/proc/self/status", "/proc/self/numa_maps"}, Stdout: &out})
	if status, err := launch.Run(t.Context(), launch.NewLocal(), command); err != nil || status.Code != 0 {
		t.Fatal(status, err)
	}
	for _, want := range []string{"Cpus_allowed_list:\t0\n", " bind:0 "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in %s", want, out.String())
		}
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	if latency.State == ToChange && held(t) == 100 {
		t.Error("the latency is asked for still")
	}
}

// held returns the effective latency limit of all open requests, in microseconds.
func held(t *testing.T) uint32 {
	t.Helper()
	f, err := os.Open("/dev/cpu_dma_latency")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var raw [4]byte
	if _, err := f.Read(raw[:]); err != nil {
		t.Fatal(err)
	}
	return uint32(raw[0]) | uint32(raw[1])<<8 | uint32(raw[2])<<16 | uint32(raw[3])<<24
}

package host

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"plinth/internal/host/hosttest"
)

// The inventory of this machine agrees with other sources.
func TestInventoryOfThisMachine(t *testing.T) {
	dir := t.TempDir()
	began := time.Now()
	i, err := ReadInventory(t.Context(), map[string]string{"data": dir, "wal": "/nowhere", "here": "."})
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took < busyLook {
		t.Errorf("it took %v, and looks for %v who is busy", took, busyLook)
	}
	facts, err := ReadFacts()
	if err != nil || i.Facts != facts {
		t.Errorf("facts are %+v, want %+v (%v)", i.Facts, facts, err)
	}
	if i.CPU.Online < runtime.NumCPU() || i.CPU.Cores < 1 || i.CPU.Cores > i.CPU.Online ||
		i.CPU.Sockets < 1 || i.CPU.Sockets > i.CPU.Cores || i.CPU.ThreadsPerCore < 1 {
		t.Errorf("CPUs are %+v", i.CPU)
	}
	if i.Memory.Total != i.Facts.Memory || i.Memory.Available <= 0 || i.Memory.Available > i.Memory.Total {
		t.Errorf("memory is %+v", i.Memory)
	}
	if hostname, _ := os.Hostname(); i.Hostname != hostname {
		t.Errorf("hostname is %q, want %q", i.Hostname, hostname)
	}
	if len(i.Places) != 2 || i.Places[0].Role != "data" || i.Places[0].Path != dir || i.Places[1].Role != "here" {
		t.Errorf("places are %+v", i.Places)
	}
	gap := Gap{What: "places", Why: "cannot inspect the location of wal: cannot determine the filesystem of /nowhere: no such file or directory"}
	if !slices.Contains(i.Gaps, gap) {
		t.Errorf("gaps are %q, without %q", i.Gaps, gap)
	}
	for _, place := range i.Places {
		for _, name := range place.Disks {
			if !slices.ContainsFunc(i.Disks, func(d Disk) bool { return d.Name == name && d.Size > 0 }) {
				t.Errorf("%s of %s is not among the disks %+v", name, place.Role, i.Disks)
			}
		}
	}
	if nofile := valueOf(i.Limits, "max open files"); !strings.HasSuffix(nofile, " hard") {
		t.Errorf("limits are %v", i.Limits)
	}
	if valueOf(i.Sysctl, "vm.swappiness") == "" || i.Load.Threads == 0 || i.Clock == "" {
		t.Errorf("sysctl %v, load %v, clock %q", i.Sysctl, i.Load, i.Clock)
	}
	text, err := json.Marshal(i)
	if err != nil || i.Hostname != "" && strings.Contains(string(text), `"`+i.Hostname+`"`) {
		t.Errorf("a record would name the host: %s, %v", text, err)
	}
}

func valueOf(settings []Setting, name string) string {
	for _, s := range settings {
		if s.Name == name {
			return s.Value
		}
	}
	return ""
}

// An unprivileged user gets the same inventory: no figure needs root.
func TestInventoryNeedsNoRoot(t *testing.T) {
	user := needOtherUser(t)
	hosttest.LockKernel(t) // tests of other packages change settings
	whole, err := readInventory(os.DirFS("/"))
	if err != nil {
		t.Fatal(err)
	}
	var ordinary Inventory
	if failed := user.Do(func() { ordinary, err = readInventory(os.DirFS("/")) }); failed != nil || err != nil {
		t.Fatal(failed, err)
	}
	for _, i := range []*Inventory{&whole, &ordinary} { // these change on their own
		i.Load, i.Memory.Available, i.Memory.SwapUsed = LoadAverage{}, 0, 0
		i.Memory.HugePagesFree, i.Memory.HugePagesRsvd = 0, 0
		for n := range i.Nodes {
			i.Nodes[n].Free, i.Nodes[n].HugePagesFree = 0, 0
		}
		for n := range i.Swap {
			i.Swap[n].Used = 0
		}
		i.Sysctl = slices.DeleteFunc(i.Sysctl, func(s Setting) bool { return s.Name == "fs.aio-nr" }) // requests in use
	}
	want, _ := json.Marshal(whole)
	if got, _ := json.Marshal(ordinary); string(got) != string(want) {
		t.Errorf("an ordinary user sees\n%s, root\n%s", got, want)
	}
}

func TestInventoryIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	if _, err := ReadInventory(ctx, nil); !errors.Is(err, cause) {
		t.Errorf("a cancelled inventory: %v", err)
	}
}

// A machine that shows only /proc/meminfo and cpuinfo still has an inventory; the rest is gaps.
func TestInventoryOfLittle(t *testing.T) {
	root := machine(map[string]string{"proc/meminfo": "MemTotal: 1024 kB\n", "proc/cpuinfo": "processor : 0\nprocessor : 1\n"})
	i, err := readInventory(root)
	if err != nil {
		t.Fatal(err)
	}
	if i.Memory.Total != 1<<20 || i.CPU.Online != 2 {
		t.Errorf("memory %+v, CPU %+v", i.Memory, i.CPU)
	}
	var gaps []string
	for _, gap := range i.Gaps {
		gaps = append(gaps, gap.What)
	}
	want := []string{"container", "cpu", "numa_nodes", "sysctl", "clock_source", "cgroup", "limits", "disks", "load"}
	if !slices.Equal(gaps, want) {
		t.Errorf("gaps are %q, want %q", gaps, want)
	}
	for _, nothing := range []fs.FS{fstest.MapFS{}, os.DirFS(t.TempDir()), os.DirFS("/nowhere")} {
		if _, err := readInventory(nothing); err == nil {
			t.Error("a machine that tells nothing has an inventory")
		}
	}
}

// closedFS is a machine whose files are unreadable.
type closedFS struct{ fstest.MapFS }

func (c closedFS) ReadFile(name string) ([]byte, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
}

func (c closedFS) Open(name string) (fs.File, error) {
	if info, err := fs.Stat(c.MapFS, name); err == nil && !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return c.MapFS.Open(name)
}

func TestInventoryThatMayNotBeRead(t *testing.T) {
	i, err := readInventory(closedFS{machine(map[string]string{"proc/meminfo": "", "proc/swaps": "", "proc/loadavg": ""})})
	if err != nil {
		t.Fatal(err)
	}
	who := ""
	if os.Geteuid() != 0 {
		who = " (readable by root)"
	}
	for _, gap := range []Gap{{What: "memory", Why: "/proc/meminfo: permission denied"}, {What: "swap", Why: "/proc/swaps: permission denied"},
		{What: "load", Why: "/proc/loadavg: permission denied"}} {
		if gap.Why += who; !slices.Contains(i.Gaps, gap) {
			t.Errorf("gaps are %q, without %q", i.Gaps, gap)
		}
	}
}

package tune

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"plinth/internal/host/hosttest"
	"plinth/internal/host/launch"
	"plinth/internal/knob"
	"plinth/internal/profile"
)

// needNodes requires a tunable kernel with two memory nodes.
func needNodes(t *testing.T) {
	t.Helper()
	hosttest.NeedNodes(t)
	needKernel(t)
}

// hugePagesOf returns the file of a node's huge pages.
func hugePagesOf(node int) string {
	return fmt.Sprintf("/sys/devices/system/node/node%d/hugepages/hugepages-2048kB/nr_hugepages", node)
}

// pools sets the number of huge pages of each node for the duration of the test.
func pools(t *testing.T, each ...int) {
	t.Helper()
	for node, pages := range each {
		path := hugePagesOf(node)
		was := mustRead(t, path)
		if err := (Kernel{}).Write(path, strconv.Itoa(pages)); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = Kernel{}.Write(path, was) })
	}
}

func poolsNow(t *testing.T) string {
	t.Helper()
	return fmt.Sprintf("%s, %s of %s", mustRead(t, hugePagesOf(0)), mustRead(t, hugePagesOf(1)), mustRead(t, hugePages))
}

// A node's huge pages are set and restored on that node. The kernel spreads the machine's huge
// pages evenly over its nodes: restoring only their number would leave them on the wrong nodes.
func TestRealHugePagesByNode(t *testing.T) {
	needNodes(t)
	for _, tc := range []struct{ values, then string }{
		{"nr_hugepages@node1=5", "3, 5 of 8"},
		{"nr_hugepages@node0=0, nr_hugepages@node1=2", "0, 2 of 2"},
		{"vm.nr_hugepages=10", ""},
		{"vm.nr_hugepages=0", "0, 0 of 0"},
		{"vm.nr_hugepages=7, nr_hugepages@node0=3, nr_hugepages@node1=4", "3, 4 of 7"},
	} {
		t.Run(tc.values, func(t *testing.T) {
			pools(t, 3, 1)
			before := poolsNow(t)
			r := Request{Machine: Kernel{}, Values: valuesOf(tc.values)}
			p, err := Make(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			if _, err := Keep(t.Context(), dir, UntilRollback, r, p); err != nil {
				t.Fatal(err)
			}
			if now := poolsNow(t); now == before || tc.then != "" && now != tc.then {
				t.Errorf("they are %s, want %s", now, tc.then)
			}
			if checks, err := Verify(t.Context(), r, p); err != nil || slices.ContainsFunc(checks, func(c Check) bool { return !c.OK }) {
				t.Errorf("%+v, %v", checks, err)
			}
			rollBack(t, dir)
			if now := poolsNow(t); now != before {
				t.Errorf("they are %s, and were %s", now, before)
			}
		})
	}
}

// refusing is the kernel, except that it refuses the n-th write.
type refusing struct {
	Kernel
	left *int
}

func (r refusing) Write(path, value string) error {
	if *r.left--; *r.left == 0 {
		return errors.New("no more")
	}
	return r.Kernel.Write(path, value)
}

// An apply that fails at any of its writes leaves the pages where they were.
func TestRealHugePagesHalfWay(t *testing.T) {
	needNodes(t)
	pools(t, 3, 1)
	before := poolsNow(t)
	for n := 1; n <= 3; n++ {
		left := n
		r := Request{Machine: refusing{left: &left}, Values: valuesOf("vm.nr_hugepages=9, nr_hugepages@node0=2, nr_hugepages@node1=7")}
		p, err := Make(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Keep(t.Context(), t.TempDir(), UntilRollback, r, p)
		if err == nil || poolsNow(t) != before {
			t.Errorf("refused at write %d: %v; they are %s, and were %s", n, err, poolsNow(t), before)
		}
	}
}

// More huge pages than fit on a node are refused beforehand, by what is free on that node and not
// on the machine.
func TestRealNodeTooSmall(t *testing.T) {
	needNodes(t)
	r := Request{Machine: Kernel{}}
	m := r.meminfo("/sys/devices/system/node/node1/meminfo")
	all := r.meminfo("/proc/meminfo")
	pages := m["MemTotal"]/all["Hugepagesize"] + 1
	r.Values = []profile.Value{{Key: knob.ParseKey("nr_hugepages@node1"), Value: strconv.FormatInt(pages, 10)}}
	p, err := Make(t.Context(), r)
	if err != nil || len(p.Changes) != 1 {
		t.Fatal(p, err)
	}
	if c := p.Changes[0]; c.State != Cannot || !strings.Contains(c.Problem, "free on this node") {
		t.Errorf("%s: %s (%s)", c.Then, c.State, c.Problem)
	}
}

// A command's memory follows the planned policy and is on the planned node.
func TestRealMemoryPolicies(t *testing.T) {
	needNodes(t)
	for _, tc := range []struct{ values, policy, node string }{
		{"mems=1", " bind:1 ", " N1="},
		{"numa_policy=bind 1", " bind:1 ", " N1="},
		{"numa_policy=preferred 1", " prefer", " N1="}, // "prefer (many):1" since Linux 5.15
		{"numa_policy=interleave 0-1", " interleave:0-1 ", " N1="},
		{"numa_policy=local, cpus=1", " local ", " N1="},
		{"cpus=1, mems=0", " bind:0 ", " N0="},
		{"mems=0, numa_policy=bind 1", " bind:1 ", " N1="},
	} {
		t.Run(tc.values, func(t *testing.T) {
			r := Request{Machine: Kernel{}, Held: true, Values: valuesOf(tc.values)}
			p, err := Make(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			h, err := Around(t.Context(), r, p)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = h.Close() }()
			var out strings.Builder
			command := h.Command(launch.Command{Path: "/bin/cat", Args: []string{"/proc/self/numa_maps"}, Stdout: &out})
			if status, err := launch.Run(t.Context(), launch.NewLocal(), command); err != nil || status.Code != 0 {
				t.Fatal(status, err)
			}
			stack := ""
			for line := range strings.Lines(out.String()) {
				if strings.Contains(line, " stack ") || strings.Contains(line, " heap ") {
					stack += line
				}
			}
			if !strings.Contains(stack, tc.policy) || !strings.Contains(stack, tc.node) {
				t.Errorf("no%q or no%q in\n%s", tc.policy, tc.node, out.String())
			}
		})
	}
}

// The server's numa_maps shows where its memory is.
func TestRealMemoryOfServer(t *testing.T) {
	needNodes(t)
	// A dd with a full buffer blocks until the pipe is read.
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(pipe, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h := &Held{placement: &launch.Placement{Policy: launch.Bind, Nodes: []int{1}}}
	process, err := launch.NewLocal().Start(h.Command(launch.Command{Path: "/bin/dd", Args: []string{"if=/dev/zero", "of=" + pipe, "bs=64M", "count=1"}}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = process.Stop() })
	if _, err := f.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	server := newServer()
	server.pid = process.PID()
	r := Request{Machine: Kernel{}, Server: server}
	for node, there := range map[string]bool{"1": true, "0": false, "0-1": true} {
		checks := r.checkNodes(Change{Key: knob.ParseKey("mems"), Then: node})
		if len(checks) != 1 || checks[0].OK != there || !strings.Contains(checks[0].Have, "node 1: ") {
			t.Errorf("node %s: %+v", node, checks)
		}
	}
}

// Every knob of the catalog that is a file of this kernel accepts a neighbouring value, and has
// its old value after the undo. This may harm the machine: PLINTH_TEST_EVERY_KNOB allows it.
func TestRealEveryKnob(t *testing.T) {
	if os.Getenv("PLINTH_TEST_EVERY_KNOB") == "" {
		t.Skip("needs a machine that may come to harm: scripts/vm")
	}
	needKernel(t)
	device := filepath.Base(loopDevice(t, ""))
	r := Request{Machine: Kernel{}, Targets: Targets{Devices: map[string]string{"data": device}}}
	tried := 0
	for _, k := range knob.All() {
		if k.File == "" || k.Binary || k.Scope == knob.OfIRQ { // TestRealInterrupt covers interrupts
			continue
		}
		key := knob.Key{Knob: k.Name}
		switch k.Scope {
		case knob.OfDevice:
			key.On = "data"
		case knob.OfNode:
			key.On = "node0"
		}
		target, err := r.targetOf(k, key.On)
		if err != nil || len(target.files) == 0 {
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			now, err := read(r.Machine, target.files[0])
			if err != nil {
				t.Skip(err)
			}
			next, there := beside(r, k, target.files[0], now)
			if !there {
				t.Skipf("%s has no value beside %q", k.Name, now)
			}
			if tryKnob(t, r, key, next, target.files) {
				tried++
			}
		})
	}
	if tried < 50 {
		t.Errorf("only %d knobs took another value", tried)
	}
}

// beside returns a value that a knob may have instead: the next number, or another of its words.
func beside(r Request, k knob.Knob, file, now string) (string, bool) {
	content, _ := r.Machine.Read(file)
	words := r.offered(k, file, content)
	if words == nil {
		words = k.Words
	}
	if at := strings.LastIndexAny(now, "\t ") + 1; len(words) == 0 { // of several numbers, the last one
		n, _ := strconv.ParseInt(now[at:], 10, 64)
		for _, n := range []int64{n + 1, n - 1, 1 << 20} {
			words = append(words, now[:at]+strconv.FormatInt(n, 10))
		}
	}
	for _, word := range words {
		if canonical, err := k.Canonical(word); err == nil && !k.Same(canonical, now) {
			return canonical, true
		}
	}
	return "", false
}

// tryKnob sets a knob and undoes it; it reports whether the kernel accepted the value.
func tryKnob(t *testing.T, r Request, key knob.Key, value string, files []string) bool {
	t.Helper()
	before := readAll(t, files)
	r.Values = []profile.Value{{Key: key, Value: value}}
	p, err := Make(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if c := p.Changes[0]; c.State != ToChange {
		t.Skipf("%s: %s (%s)", value, c.State, c.Problem)
	}
	dir := t.TempDir()
	_, refused := Keep(t.Context(), dir, UntilRollback, r, p)
	if refused != nil {
		t.Logf("%s: %v", value, refused)
	} else if checks, err := Verify(t.Context(), r, p); err != nil || slices.ContainsFunc(checks, func(c Check) bool { return !c.OK }) {
		t.Errorf("%+v, %v", checks, err)
	}
	rollBack(t, dir)
	if after := readAll(t, files); after != before {
		t.Errorf("after %s it is %q, and was %q", value, after, before)
	}
	return refused == nil
}

func readAll(t *testing.T, files []string) string {
	t.Helper()
	var all []string
	for _, file := range files {
		all = append(all, mustRead(t, file))
	}
	return strings.Join(all, "\n")
}

package probe

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"plinth/internal/host"
	"plinth/internal/host/hosttest"
	"plinth/internal/unit"
)

// inventory returns a machine with the given nodes.
func inventory(cpus ...string) (m host.Inventory) {
	for i, list := range cpus {
		m.Nodes = append(m.Nodes, host.NUMANode{Node: i, CPUs: list, Memory: 1 << 30})
	}
	return m
}

func TestNodesThatCount(t *testing.T) {
	silent := func(string, string, time.Duration) {}
	for name, try := range map[string]struct {
		machine          host.Inventory
		workers, holders int
		note             string
	}{
		"no NUMA":      {host.Inventory{Memory: host.MemoryOf{Total: 1 << 30}}, 1, 1, "one-node"},
		"one":          {inventory("0-1023"), 1, 1, "one-node"},
		"two":          {inventory("0-1023", "0-1023"), 2, 2, ""},
		"memory only":  {inventory("0-1023", ""), 1, 2, ""},
		"not for us":   {inventory("0-511", "900-1023"), 1, 2, "cpus"},
		"only its CPU": {host.Inventory{Nodes: []host.NUMANode{{CPUs: "0-1023", Memory: 1}, {Node: 1, CPUs: "0-1023"}}}, 2, 1, ""},
	} {
		p := newMemoryProbe(try.machine, 1, silent)
		if len(p.workers) != try.workers || len(p.holders) != try.holders {
			t.Errorf("%s: %d nodes with CPUs, %d with memory", name, len(p.workers), len(p.holders))
		}
		note := ""
		if len(p.result.Notes) > 0 {
			note = p.result.Notes[0].Rule
		}
		if note != try.note {
			t.Errorf("%s: note %q, want %q", name, note, try.note)
		}
	}
}

func TestWithin(t *testing.T) {
	var allowed unix.CPUSet
	for _, cpu := range []int{0, 3, 17} {
		allowed.Set(cpu)
	}
	for list, want := range map[string]int{"0-7,16-23": 3, "3": 1, "1-2": 0, "": 0, "x": 0, "0-x": 0} {
		set := within(list, allowed)
		if set.Count() != want {
			t.Errorf("%q: %d CPUs, want %d", list, set.Count(), want)
		}
	}
}

func TestProbeMemory(t *testing.T) {
	told := 0
	before := allowedCPUs()
	m, err := ProbeMemory(t.Context(), 8*unit.MiB, 1, func(string, string, time.Duration) { told++ })
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Cells) < 2 || told < mostSlices {
		t.Errorf("%d cells, told %d times", len(m.Cells), told)
	}
	for _, c := range m.Cells {
		if c.Latency.Value <= 0 || c.Latency.Level != 0.95 {
			t.Errorf("%+v", c)
		}
	}
	if small, ok := m.Cell(0, 0, smallPage); !ok || small.Huge != 0 {
		t.Errorf("pages of 4 KiB: %+v", small)
	}
	if _, ok := m.Cell(99, 0, smallPage); ok {
		t.Error("there is no node 99")
	}
	if after := allowedCPUs(); after != before {
		t.Error("this thread may run on other CPUs than before")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ProbeMemory(ctx, 8*unit.MiB, 1, func(string, string, time.Duration) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("after ctx's end: %v", err)
	}
}

// TestBoundMemory binds memory to node 0, which always exists.
func TestBoundMemory(t *testing.T) {
	p := newMemoryProbe(inventory("0-1023", "0-1023"), 1, func(string, string, time.Duration) {})
	p.holders, p.result.Size = p.holders[:1], 4*unit.MiB
	if err := p.runAlone(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(p.result.Cells) != 4 { // two nodes with CPUs, two sizes of pages
		t.Errorf("%+v", p.result.Cells)
	}
}

// TestMemoryOfEachNode measures every pair of nodes, and checks that the memory is on the right
// nodes.
func TestMemoryOfEachNode(t *testing.T) {
	hosttest.NeedNodes(t)
	m, err := ProbeMemory(t.Context(), 8*unit.MiB, 1, func(string, string, time.Duration) {})
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Cells) != m.Nodes*m.Nodes*2 {
		t.Errorf("%d cells for %d nodes", len(m.Cells), m.Nodes)
	}
	for node := range m.Nodes {
		for _, page := range []unit.Size{smallPage, hugePage} {
			for cpu := range m.Nodes {
				if c, ok := m.Cell(cpu, node, page); !ok || c.Latency.Value <= 0 {
					t.Errorf("from node %d to %d, pages of %s: %+v", cpu, node, page, c)
				}
			}
			if at := placeOf(t, node, page); slices.ContainsFunc(at, func(on int) bool { return on != node }) {
				t.Errorf("memory of node %d in pages of %s is on %v", node, page, at)
			}
		}
	}
}

// placeOf returns the nodes of the first, the middle and the last page of a buffer, on a thread
// that ends with its policy.
func placeOf(t *testing.T, node int, page unit.Size) (nodes []int) {
	t.Helper()
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		b, err := newBuffer(node, page, 8*unit.MiB, true, rand.New(rand.NewPCG(1, 2)))
		if err != nil {
			done <- err
			return
		}
		for _, at := range []int{0, len(b.memory) / 2, len(b.memory) - 1} {
			var on int32
			_, _, errno := unix.RawSyscall6(unix.SYS_GET_MEMPOLICY, uintptr(unsafe.Pointer(&on)), 0, 0,
				uintptr(unsafe.Pointer(&b.memory[at])), unix.MPOL_F_NODE|unix.MPOL_F_ADDR, 0)
			if errno != 0 {
				err = errno
			}
			nodes = append(nodes, int(on))
		}
		done <- errors.Join(err, unix.Munmap(b.memory))
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	return nodes
}

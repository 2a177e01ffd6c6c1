package probe

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/unit"
)

// ProbeMemory measures memory. It takes a second or two, and longer with each further pair of
// nodes. size is the size of each buffer; 0 for one that exceeds all caches.
func ProbeMemory(ctx context.Context, size unit.Size, seed uint64, tell func(step, detail string, left time.Duration)) (*Memory, error) {
	machine, err := host.ReadInventory(ctx, nil)
	if err != nil {
		return nil, err
	}
	available, err := host.AvailableMemory()
	if err != nil {
		return nil, err
	}
	p := newMemoryProbe(machine, seed, tell)
	p.result.Size = memorySize(size, machine.CPU.Caches, available, 2*len(p.holders))
	if p.result.Size == 0 {
		return nil, fmt.Errorf("cannot measure memory: only %s are available", unit.Size(available))
	}
	if err := p.runAlone(ctx); err != nil {
		return nil, err
	}
	return p.result, nil
}

// memoryProbe is the state of a memory probe.
type memoryProbe struct {
	result  *Memory
	workers []worker
	holders []host.NUMANode // with memory
	buffers []buffer
	random  *rand.Rand
	tell    func(step, detail string, left time.Duration)
}

func newMemoryProbe(machine host.Inventory, seed uint64, tell func(string, string, time.Duration)) *memoryProbe {
	p := &memoryProbe{tell: tell, random: rand.New(rand.NewPCG(seed, 2))}
	p.result = &Memory{Schema: MemorySchema, Taken: time.Now().UTC().Truncate(time.Second), Machine: machine.Facts,
		Nodes: max(len(machine.Nodes), 1), Slice: unit.Duration(memorySlice), Slices: mostSlices, Notes: []Note{}}
	nodes := machine.Nodes
	if len(nodes) == 0 { // a kernel without NUMA
		nodes = []host.NUMANode{{Memory: machine.Memory.Total}}
	}
	allowed := allowedCPUs()
	for _, n := range nodes {
		if n.Memory > 0 {
			p.holders = append(p.holders, n)
		}
		cpus := within(n.CPUs, allowed)
		if len(machine.Nodes) == 0 {
			cpus = allowed
		}
		switch {
		case cpus.Count() > 0:
			p.workers = append(p.workers, worker{n.Node, cpus})
		case n.CPUs != "":
			p.note("cpus", fmt.Sprintf("plinth is not allowed to run on any CPU of node %d", n.Node), "")
		}
	}
	if len(nodes) == 1 {
		p.note("one-node", "this machine has one node: all of its memory is equally near to all of its CPUs", "")
	}
	return p
}

func (p *memoryProbe) note(rule, text, hint string) {
	p.result.Notes = append(p.result.Notes, Note{rule, text, hint})
}

// runAlone runs the probe on a separate thread. The goroutine stays locked to the thread, so the
// thread ends with it, and with the thread its CPU affinity and memory policy: nothing has to be
// restored.
func (p *memoryProbe) runAlone(ctx context.Context) error {
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		done <- p.run(ctx)
	}()
	return <-done
}

func (p *memoryProbe) run(ctx context.Context) error {
	defer p.release()
	if err := p.fill(ctx); err != nil {
		return err
	}
	pairs := len(p.workers) * len(p.buffers)
	values := make([][]float64, pairs)
	left := time.Duration(pairs*mostSlices) * memorySlice
	for range mostSlices {
		for _, i := range p.random.Perm(pairs) {
			if err := ctx.Err(); err != nil {
				return err
			}
			p.tell("measuring memory", "", left)
			left -= memorySlice
			if err := p.workers[i/len(p.buffers)].run(); err != nil {
				return err
			}
			b := &p.buffers[i%len(p.buffers)]
			var seconds float64
			seconds, b.at = chase(b.memory, b.at, memorySlice)
			values[i] = append(values[i], seconds)
		}
	}
	for i := range pairs {
		b := p.buffers[i%len(p.buffers)]
		p.result.Cells = append(p.result.Cells, MemoryCell{CPU: p.workers[i/len(p.buffers)].node, Memory: b.node,
			Page: b.page, Huge: b.huge, Latency: newFigure(values[i], 1)})
	}
	return nil
}

// fill creates a buffer for each page size on each node.
func (p *memoryProbe) fill(ctx context.Context) error {
	if hugePage > p.result.Size {
		p.note("no-huge-pages", fmt.Sprintf("buffers of %s are smaller than a huge page of %s, so that huge pages are not measured", p.result.Size, hugePage),
			fmt.Sprintf("use --size %s if there is enough memory", hugePage))
	}
	for _, n := range p.holders {
		for _, page := range pageSizes(p.result.Size) {
			if err := ctx.Err(); err != nil {
				return err
			}
			p.tell("filling memory", "", time.Duration(len(p.holders)*2*len(p.workers)*mostSlices)*memorySlice)
			b, err := newBuffer(n.Node, page, p.result.Size, p.result.Nodes > 1, p.random)
			if err != nil {
				return fmt.Errorf("cannot measure the memory of node %d: %w", n.Node, err)
			}
			p.buffers = append(p.buffers, b)
			if page == hugePage && b.huge < 0.9 {
				p.note("no-huge-pages", fmt.Sprintf("only %.0f %% of the memory of node %d could be allocated in pages of %s", 100*b.huge, n.Node, hugePage),
					"set transparent huge pages to madvise or always; fragmented memory also prevents huge pages")
			}
		}
	}
	return nil
}

func (p *memoryProbe) release() {
	for _, b := range p.buffers {
		_ = unix.Munmap(b.memory)
	}
}

// buffer is memory on one node, with pages of one size, linked into a ring.
type buffer struct {
	node   int
	page   unit.Size
	memory []byte
	huge   float64 // the share in huge pages
	at     uint64  // the current offset in the ring
}

// newBuffer allocates memory on a node through this thread's memory policy, which applies when a
// page is touched for the first time (set_mempolicy(2)).
func newBuffer(node int, page, size unit.Size, bind bool, random *rand.Rand) (buffer, error) {
	b := buffer{node: node, page: page}
	if bind {
		var nodes unix.CPUSet // used as a set of nodes
		nodes.Set(node)
		if err := unix.SetMemPolicy(unix.MPOL_BIND, &nodes); err != nil {
			return b, hint.Errorf("allow set_mempolicy, as docker does with --cap-add SYS_NICE", "cannot bind memory to a node: %w", err)
		}
	}
	memory, err := unix.Mmap(-1, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return b, err
	}
	b.memory = memory
	advice := unix.MADV_NOHUGEPAGE
	if page == hugePage {
		advice = unix.MADV_HUGEPAGE
	}
	// A kernel without huge pages refuses both; the actual share is read below.
	_ = unix.Madvise(memory, advice)
	thread(memory, random)
	text, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		_ = unix.Munmap(memory)
		return b, err
	}
	address, _ := strconv.ParseUint(strings.TrimPrefix(fmt.Sprintf("%p", memory), "0x"), 16, 64)
	b.huge = hugeShare(string(text), address)
	return b, nil
}

// allowedCPUs returns the CPUs on which plinth may run.
func allowedCPUs() unix.CPUSet {
	var set unix.CPUSet
	_ = unix.SchedGetaffinity(0, &set) // of this thread: it cannot fail
	return set
}

// within returns the allowed CPUs of a list such as "0-7,16".
func within(list string, allowed unix.CPUSet) unix.CPUSet {
	var set unix.CPUSet
	for part := range strings.SplitSeq(list, ",") {
		first, last, isRange := strings.Cut(part, "-")
		begin, err := strconv.Atoi(first)
		end := begin
		if isRange && err == nil {
			end, err = strconv.Atoi(last)
		}
		for cpu := begin; err == nil && cpu <= end; cpu++ {
			if allowed.IsSet(cpu) {
				set.Set(cpu)
			}
		}
	}
	return set
}

// worker is a node with CPUs that may be used.
type worker struct {
	node int
	cpus unix.CPUSet
}

// run binds this thread to the CPUs of the node.
func (w worker) run() error {
	if err := unix.SchedSetaffinity(0, &w.cpus); err != nil {
		return fmt.Errorf("cannot run on the CPUs of node %d: %w", w.node, err)
	}
	return nil
}

package kernel

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"plinth/internal/host/proc"
	"plinth/internal/telemetry"
)

// groupCPU reads the CPU time of a control group.
type groupCPU struct {
	usage  *file   // version 1 only: cpuacct.usage, in nanoseconds
	stats  []*file // cpu.stat of the group and its ancestors
	keys   proc.Keyed
	values [3]proc.Value // usage, nr_throttled, throttled
	scale  float64       // units per second in cpu.stat
	idle   idlers        // those that the usage includes
	last   float64       // usage at the last reading, without those
	slots  []telemetry.Slot
}

func openGroupCPU(tree groupTree, idle idlers) (*groupCPU, error) {
	dirs, first := tree.dirs("cpu")
	g := &groupCPU{keys: proc.NewKeyed("usage_usec", "nr_throttled", "throttled_usec"), scale: 1e6}
	var err error
	if first {
		g.keys, g.scale = proc.NewKeyed("", "nr_throttled", "throttled_time"), 1e9
		accounted, _ := tree.dirs("cpuacct")
		if g.usage, err = tree.nearest(accounted, "cpuacct.usage"); err != nil {
			return nil, err
		}
	}
	if g.stats, err = tree.files(dirs, "cpu.stat"); err != nil {
		g.close()
		return nil, err
	}
	if g.usage != nil {
		g.idle = idle.in(tree.holds("cpuacct", g.usage))
	} else {
		g.idle = idle.in(tree.holds("cpu", g.stats[0]))
	}
	return g, nil
}

func (g *groupCPU) close() {
	closeAll(g.stats)
	if g.usage != nil {
		g.usage.close()
	}
}

// readTo adds up the throttling of the group and its ancestors: each group counts what its
// own quota caused. A group that cannot have a quota, such as the root, has no counters and
// counts as zero.
func (g *groupCPU) readTo(b *telemetry.Board) error {
	var usage proc.Value
	var periods, throttled uint64
	for i, f := range g.stats {
		text, err := f.readShort()
		if err != nil {
			return err
		}
		_ = g.keys.Parse(text, g.values[:]) // no counters count as zero
		if i == 0 {
			usage = g.values[0]
		}
		periods, throttled = periods+g.values[1].N, throttled+g.values[2].N
	}
	ran := float64(g.idle.runs()) / 1e9
	seconds, err := g.seconds(usage)
	if err != nil {
		return err
	}
	g.last = max(g.last, seconds-ran) // the readings are some microseconds apart
	if g.slots == nil {
		g.slots = []telemetry.Slot{b.Column(groupUsage), b.Column(groupNrThrottled), b.Column(groupThrottled)}
	}
	b.Put(g.slots[0], g.last)
	b.Put(g.slots[1], float64(periods))
	b.Put(g.slots[2], float64(throttled)/g.scale)
	return nil
}

// seconds returns the CPU time of the group; inStat is the value in cpu.stat.
func (g *groupCPU) seconds(inStat proc.Value) (float64, error) {
	if g.usage == nil && inStat.There {
		return float64(inStat.N) / 1e6, nil
	}
	if g.usage == nil {
		return 0, fmt.Errorf("%s has no usage_usec", g.stats[0].path)
	}
	n, ok, err := g.usage.readNumber()
	if err == nil && !ok {
		err = fmt.Errorf("%s is not a number", g.usage.path)
	}
	return float64(n) / 1e9, err
}

// groupMemoryPart reads the memory use of a control group.
type groupMemoryPart struct {
	current *file
	limits  []*file // of the group and its ancestors
	slots   []telemetry.Slot
	limited bool // whether a limit existed at the last reading
}

// noLimit exceeds any memory size. Version 1 has no keyword for "no limit": it shows the
// greatest number of whole pages.
const noLimit = 1 << 62

func openGroupMemory(tree groupTree) (*groupMemoryPart, error) {
	dirs, first := tree.dirs("memory")
	current, limit := "memory.current", "memory.max"
	if first {
		current, limit = "memory.usage_in_bytes", "memory.limit_in_bytes"
	}
	f, err := tree.nearest(dirs, current)
	if err != nil {
		return nil, err
	}
	limits, _ := tree.files(dirs, limit) // no such files: no limit
	return &groupMemoryPart{current: f, limits: limits}, nil
}

func (g *groupMemoryPart) close() {
	g.current.close()
	closeAll(g.limits)
}

var errNoNumber = errors.New("the memory of the control group is not a number")

func (g *groupMemoryPart) readTo(b *telemetry.Board) error {
	current, ok, err := g.current.readNumber()
	if err == nil && !ok {
		err = errNoNumber
	}
	if err != nil {
		return err
	}
	limit, err := g.limit()
	if err != nil {
		return err
	}
	g.bind(b, limit < noLimit)
	b.Put(g.slots[0], float64(current))
	if g.limited {
		b.Put(g.slots[1], float64(limit))
	}
	return nil
}

// limit returns the tightest limit.
func (g *groupMemoryPart) limit() (least uint64, err error) {
	least = noLimit
	for _, f := range g.limits {
		limit, ok, err := f.readNumber()
		if err != nil {
			return 0, err
		}
		if ok {
			least = min(least, limit)
		}
	}
	return least, nil
}

// bind creates the columns. A missing limit is a known state, not a gap.
func (g *groupMemoryPart) bind(b *telemetry.Board, limited bool) {
	if g.slots == nil {
		g.slots = []telemetry.Slot{b.Column(groupMemory), b.Column(groupLimit)}
		g.limited = !limited
	}
	switch {
	case limited && !g.limited:
		b.Absent(groupLimit, "")
	case !limited && g.limited:
		b.Absent(groupLimit, "the control group has no memory limit")
	}
	g.limited = limited
}

// ioSum is the I/O of a control group on all disks: bytes read and written, reads and
// writes.
type ioSum [4]uint64

// groupIOPart reads the I/O counters of a control group.
type groupIOPart struct {
	files []*file // io.stat; in version 1, the files of bytes and of requests
	parse func(g *groupIOPart, file int, text []byte)
	sum   ioSum // at the last reading
	root  string
	upper map[string]bool // devices, and whether they are stacked on others
	slots []telemetry.Slot
}

func openGroupIO(tree groupTree) (*groupIOPart, error) {
	g := &groupIOPart{root: tree.root, upper: map[string]bool{}, parse: (*groupIOPart).parseBlkio}
	dirs, first := tree.dirs("blkio")
	names := []string{"blkio.throttle.io_service_bytes", "blkio.throttle.io_serviced"}
	if !first {
		dirs, _ = tree.dirs("io")
		names, g.parse = []string{"io.stat"}, (*groupIOPart).parseIOStat
	}
	for _, name := range names {
		f, err := tree.nearest(dirs, name+"_recursive") // includes child groups; since 4.16
		if err != nil {
			f, err = tree.nearest(dirs, name)
		}
		if err != nil {
			g.close()
			return nil, err
		}
		g.files = append(g.files, f)
	}
	return g, nil
}

func (g *groupIOPart) close() { closeAll(g.files) }

func (g *groupIOPart) readTo(b *telemetry.Board) error {
	g.sum = ioSum{}
	for i, f := range g.files {
		text, err := f.read()
		if err != nil {
			return err
		}
		g.parse(g, i, text)
	}
	if g.slots == nil {
		for _, m := range groupIO {
			g.slots = append(g.slots, b.Column(m))
		}
	}
	for i, slot := range g.slots {
		b.Put(slot, float64(g.sum[i]))
	}
	return nil
}

// ioKeys are the keys of io.stat, in the order of ioSum.
var ioKeys = [...][]byte{[]byte("rbytes="), []byte("wbytes="), []byte("rios="), []byte("wios=")}

// parseIOStat adds up lines such as "8:0 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=0 dios=0".
func (g *groupIOPart) parseIOStat(_ int, text []byte) {
	for len(text) > 0 {
		var line, word []byte
		line, text = proc.CutLine(text)
		device, line := proc.CutWord(line)
		if g.standsOnOthers(device) {
			continue
		}
		for word, line = proc.CutWord(line); len(word) > 0; word, line = proc.CutWord(line) {
			for i, key := range ioKeys {
				if digits, found := bytes.CutPrefix(word, key); found {
					n, _ := proc.Number(digits)
					g.sum[i] += n
				}
			}
		}
	}
}

// parseBlkio adds up lines such as "8:0 Read 1" and "8:0 Write 2", of the file of bytes (0)
// or of requests (1).
func (g *groupIOPart) parseBlkio(file int, text []byte) {
	for len(text) > 0 {
		var line []byte
		line, text = proc.CutLine(text)
		device, rest := proc.CutWord(line)
		operation, rest := proc.CutWord(rest)
		word, _ := proc.CutWord(rest)
		n, ok := proc.Number(word)
		if !ok || g.standsOnOthers(device) {
			continue
		}
		switch string(operation) {
		case "Read":
			g.sum[2*file] += n
		case "Write":
			g.sum[2*file+1] += n
		}
	}
}

// standsOnOthers reports whether the I/O of a device ("253:0") is counted again by the
// devices below it: dm, md, and loop devices over files.
func (g *groupIOPart) standsOnOthers(device []byte) bool {
	upper, known := g.upper[string(device)]
	if !known {
		name := string(device)
		dir := filepath.Join(g.root, "sys/dev/block", name)
		slaves, _ := os.ReadDir(filepath.Join(dir, "slaves"))
		_, loop := os.Stat(filepath.Join(dir, "loop"))
		upper = len(slaves) > 0 || loop == nil
		g.upper[name] = upper
	}
	return upper
}

package kernel

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"plinth/internal/host"
	"plinth/internal/host/perf"
	"plinth/internal/telemetry"
)

// events is the source of the processor's events.
type events struct {
	groups  [][]perfEvent
	cpus    []int
	awake   bool // plinth keeps CPUs awake
	oneNode bool // the machine has a single NUMA node
	set     *perf.Set
	columns []eventColumn // of the events that are counted; nil before the first reading
}

var errOtherMachine = errors.New("events of the processor can only be counted on the running machine")

func openEvents(m *machine) (reader, error) { return openEventsOf(m, perfGroups) }

func openEventsOf(m *machine, groups [][]perfEvent) (reader, error) {
	if m.Root != "/" {
		return nil, errOtherMachine
	}
	text, err := os.ReadFile(filepath.Join(m.Root, "sys/devices/system/cpu/online"))
	if err != nil {
		return nil, err
	}
	cpus, err := host.ParseRanges(string(text))
	if err != nil {
		return nil, fmt.Errorf("online CPUs: %w", err)
	}
	nodes := numbered(filepath.Join(m.Root, "sys/devices/system/node"), "node")
	e := &events{
		groups: groups, cpus: cpus,
		awake: len(m.Idle) > 0, oneNode: len(nodes) < 2,
	}
	if err := e.fit(); err != nil {
		return nil, err
	}
	return e, e.open()
}

// fit returns an error if the events would take so many open files that other sources lack them.
func (e *events) fit() error {
	const share = 4
	var limit unix.Rlimit
	need := uint64(len(e.cpus) * len(slices.Concat(e.groups...)))
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err == nil && need > limit.Cur/share {
		return fmt.Errorf("events on %d CPUs need %d open files, more than a quarter of the limit (ulimit -n is %d)", len(e.cpus), need, limit.Cur)
	}
	return nil
}

// open starts to count. CPUs that come online later are not counted.
func (e *events) open() (err error) {
	var groups [][]perf.Event
	for _, g := range e.groups {
		var group []perf.Event
		for _, event := range g {
			if !event.nodes || !e.oneNode {
				group = append(group, event.Event)
			}
		}
		groups = append(groups, group)
	}
	e.set, err = perf.Open(e.cpus, groups...)
	return err
}

func (e *events) close() { e.set.Close() }

func (e *events) readTo(b *telemetry.Board) error {
	if err := e.set.Read(); err != nil {
		return err
	}
	if e.columns == nil {
		e.bind(b)
	}
	for i := range e.columns {
		c := &e.columns[i]
		c.put(b, e.set.Count(c.Event))
	}
	return nil
}

// Package limit gives a server a part of its machine: control groups that its
// processes are started in, with CPUs, a CPU quota, and memory. The load generator,
// the emulator and plinth itself stay outside.
//
// What the limits mean, and what they do not:
//
//   - cpus is a cpuset: the server runs on these CPUs and on no others. Others may
//     run on them too; Rest says which CPUs are left for those.
//   - cpu_quota is CPU seconds in a second. The server runs on all CPUs until it has
//     used up its part of a period of 100 ms, and then on none until the period ends:
//     throughput may be higher than with a cpuset, and the tail is far longer.
//   - memory counts what the server's processes use and the page cache of what they
//     read and write. Swap gives no more of it. Huge pages lie outside of it: they
//     are another controller's (hugetlb). Version 1 counts the page cache, but how
//     much of it may be dirty follows from the machine's memory; a note
//     says what would do.
//
// A group is made below the one that plinth is in (version 1), or beside it
// (version 2, where a group with processes can't have groups with limits below):
// limits from above, such as a container's, hold for it as well.
//
// Nothing is removed but directories that the journal names, by rmdir, which the
// kernel refuses while anything is in a group. No process is ever ended for it.
package limit

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/journal"
	"plinth/internal/record"
	"plinth/internal/unit"
)

// Group is the control groups of one server, one in each hierarchy that its limits
// need.
type Group struct {
	directories []string
	facts       *record.Limits
	cpus        []int // that it has as a cpuset
	rest        []int
	notes       []record.Note

	journal *journal.Journal
	entries []journal.Entry
}

// Where says where a server is put, within its limits.
type Where struct {
	CPUs  []int  // the CPUs that it has; none: as many as its limits say are chosen
	Nodes string // the memory nodes that it may use, as the kernel writes them: "0-1"; "" for all
	// DirtyByLimit says that vm.dirty_* of the machine were set in proportion to the
	// memory limit, so that there is nothing to warn of.
	DirtyByLimit bool
}

// Make makes control groups with these limits, each noted in the journal before it
// is made. The name is for people who look at them: that of the environment. Without
// any limit or place nothing is made, and Facts are nil.
//
// The error says what Check would have said, or which limit the kernel refused.
// What was made until then is removed.
func Make(j *journal.Journal, name string, l experiment.Limits, where Where) (*Group, error) {
	if l == (experiment.Limits{}) && len(where.CPUs) == 0 && where.Nodes == "" {
		return &Group{journal: j}, nil
	}
	m, err := look("/")
	if err != nil {
		return nil, fmt.Errorf("cannot limit the server: %w", err)
	}
	return m.makeGroup(j, name, l, where)
}

func (m machine) makeGroup(j *journal.Journal, name string, l experiment.Limits, where Where) (*Group, error) {
	g := &Group{journal: j}
	if err := g.make(m, name, l, where); err != nil {
		err = fmt.Errorf("cannot limit the server: %w", err)
		return nil, errors.Join(err, g.Remove(context.Background()))
	}
	return g, nil
}

func (g *Group) make(m machine, name string, l experiment.Limits, where Where) error {
	cpus := where.CPUs
	if where.Nodes != "" && len(cpus) == 0 && l.CPUs == 0 {
		cpus = allOf(m.cores) // a cpuset needs both
	}
	if l.CPUs == 0 {
		l.CPUs = len(cpus)
	}
	l.Memory -= l.Memory % unit.Size(os.Getpagesize()) // as the kernel does
	if err := m.check(l); err != nil {
		return err
	}
	if err := m.own(l, cpus); err != nil {
		return err
	}
	if len(cpus) == 0 {
		cpus = choose(m.cores, l.CPUs)
	}
	cpus = slices.Sorted(slices.Values(cpus))
	parents, err := m.parents(controllersFor(l))
	if err != nil {
		return err
	}
	id := directoryName(name)
	for _, p := range parents {
		if err := g.add(p, id, l, target{p.version, len(allOf(m.cores)), host.Ranges(cpus), where.Nodes}); err != nil {
			return err
		}
	}
	g.describe(m, l, cpus, parents)
	if where.DirtyByLimit {
		g.notes = slices.DeleteFunc(g.notes, func(n record.Note) bool { return n.Rule == dirtyRule })
	}
	return nil
}

// own is an error unless the CPUs that were given are plinth's to give, each once.
func (m machine) own(l experiment.Limits, cpus []int) error {
	all := allOf(m.cores)
	given := slices.Compact(slices.Sorted(slices.Values(cpus)))
	foreign := slices.ContainsFunc(given, func(cpu int) bool { return !slices.Contains(all, cpu) })
	if len(cpus) > 0 && (foreign || len(given) != l.CPUs) {
		return hint.Errorf("let plinth choose the CPUs",
			"%v are not %d of the CPUs that plinth may run on (%s)", cpus, l.CPUs, host.Ranges(all))
	}
	return nil
}

// add makes the group below one parent, and sets its limits.
func (g *Group) add(p parent, name string, l experiment.Limits, t target) error {
	for _, e := range p.enable {
		if err := g.note(controllersKind, e); err != nil {
			return err
		}
		if err := e.write("+"); err != nil {
			return fmt.Errorf("cannot enable %s in %s: %w", strings.Join(e.Controllers, ", "), e.Path, err)
		}
	}
	dir := filepath.Join(p.dir, name)
	if err := g.note(groupKind, directory{dir}); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return fmt.Errorf("cannot create a control group: %w", err)
	}
	g.directories = append(g.directories, dir)
	if p.version == 1 && t.nodes == "" && slices.Contains(p.controllers, cpusetController) {
		nodes, err := memoryNodes(p.dir)
		if err != nil {
			return err
		}
		t.nodes = nodes
	}
	for _, controller := range p.controllers {
		for _, s := range settingsOf(t, controller, l) {
			if err := s.set(dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// directoryName tells people whose group it is, and plinth that it made it.
func directoryName(name string) string {
	plain := strings.Map(func(r rune) rune {
		if r == '-' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
	return namePrefix + plain[:min(len(plain), 64)] + "-" + rand.Text()[:12]
}

const namePrefix = "plinth-"

// Directories are the groups' directories, for launch.Command.Groups.
func (g *Group) Directories() []string { return slices.Clone(g.directories) }

// Facts are the limits as the kernel has them; nil without any.
func (g *Group) Facts() *record.Limits { return g.facts }

// Rest are the CPUs that plinth may run on and that are not the server's: for the
// load generator and the emulator. All of them where the server has other limits only,
// none where it has all CPUs, or no limits at all.
func (g *Group) Rest() []int { return slices.Clone(g.rest) }

// CPUs are those that the server runs on; none where it has no cpuset, and so all.
func (g *Group) CPUs() []int { return slices.Clone(g.cpus) }

// Notes are what weakens numbers under these limits.
func (g *Group) Notes() []record.Note { return slices.Clone(g.notes) }

// note writes to the journal what is about to be changed.
func (g *Group) note(kind string, args any) error {
	e, err := g.journal.Note(kind, args)
	if err == nil {
		g.entries = append(g.entries, e)
	}
	return err
}

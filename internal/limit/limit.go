// Package limit restricts a server to a part of its machine with control groups: CPUs, a CPU
// quota, and memory. The load generator, the emulator and plinth itself stay outside.
//
// The limits:
//
//   - cpus is a cpuset: the server runs on these CPUs only. Other processes may run on
//     them, too; Rest returns the CPUs that remain for the load generator and the emulator.
//   - cpu_quota is CPU seconds per second. The server runs on all CPUs until it has used
//     its share of a period of 100 ms, and then on none until the period ends: throughput
//     may be higher than with a cpuset, but the tail latency is far higher.
//   - memory includes the memory of the server's processes and the page cache of the files
//     that they read and write. Swap does not extend this limit. CountHugePages makes it
//     include huge pages. In cgroup version 1, the limit on dirty pages depends on the
//     machine's memory; Notes suggests settings.
//
// A group is created below plinth's own group (version 1) or as its sibling (version 2, in
// which a group with processes cannot have child groups with limits). Limits of the parent
// groups, such as a container's, apply to it as well.
//
// Only directories recorded in the journal are removed, by rmdir, which the kernel refuses
// while a group has processes. This package never ends a process.
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

// Group holds the control groups of one server, one in each hierarchy that its limits need.
type Group struct {
	directories []string
	facts       *record.Limits
	memory      limited
	cpus        []int // its cpuset
	rest        []int
	notes       []record.Note
	credits     experiment.CPUCredits

	journal *journal.Journal
	entries []journal.Entry
}

// limited is the group that limits memory; its directory is "" without a limit.
type limited struct {
	dir     string
	version int
}

// Where selects the CPUs and memory nodes of a server, within its limits.
type Where struct {
	CPUs  []int  // its CPUs; if empty, as many as the limits require are chosen
	Nodes string // its memory nodes in the kernel's format: "0-1"; "" for all
	// DirtyByLimit means that the machine's vm.dirty_* are set in proportion to the memory
	// limit, so that no warning is needed.
	DirtyByLimit bool
}

// Make creates control groups with these limits. Each is noted in the journal before it is
// created. The name, that of the environment, becomes part of the directory name. Without
// limits, CPUs and nodes it creates nothing, and Facts returns nil.
//
// The errors are those of Check, or a limit that the kernel refused. On an error all groups
// created so far are removed.
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
	if l.CPUCredits.There() {
		account, err := l.CPUCredits.Account()
		if err != nil {
			return err
		}
		g.credits, l.CPUQuota = l.CPUCredits, float64(account.Credits.VCPUs)
	}
	if err := m.own(l, cpus); err != nil {
		return err
	}
	if len(cpus) == 0 {
		cpus = choose(m.cores, l.CPUs)
	}
	cpus = slices.Sorted(slices.Values(cpus))
	parents, err := m.parents(append(controllersFor(l), m.accounting(l)...))
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

// own returns an error unless plinth may use all given CPUs and none is given twice.
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

// add creates the group below one parent and sets its limits.
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
		if controller == memoryController && l.Memory > 0 {
			g.memory = limited{dir, p.version}
		}
		for _, s := range settingsOf(t, controller, l) {
			if err := s.set(dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// directoryName returns a unique name that identifies the environment to users, and the
// group as plinth's.
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

// Directories returns the groups' directories, for launch.Command.Groups.
func (g *Group) Directories() []string { return slices.Clone(g.directories) }

// Facts returns the effective limits; nil without any.
func (g *Group) Facts() *record.Limits {
	if g.facts == nil {
		return nil
	}
	facts := *g.facts
	return &facts
}

// Rest returns the CPUs that plinth may run on and that are not the server's, for the load
// generator and the emulator: all if the server has no cpuset but other limits, none if it
// has all CPUs or no limits.
func (g *Group) Rest() []int { return slices.Clone(g.rest) }

// CPUs returns the server's cpuset; empty if it has none and runs on all CPUs.
func (g *Group) CPUs() []int { return slices.Clone(g.cpus) }

// Notes returns what weakens numbers measured under these limits.
func (g *Group) Notes() []record.Note { return slices.Clone(g.notes) }

// note records a change in the journal before it is made.
func (g *Group) note(kind string, args any) error {
	e, err := g.journal.Note(kind, args)
	if err == nil {
		g.entries = append(g.entries, e)
	}
	return err
}

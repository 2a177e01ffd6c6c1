package tune

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/host"
	"plinth/internal/host/proc"
	"plinth/internal/knob"
	"plinth/internal/unit"
)

// Check is one item of a plan, and whether it is in force.
type Check struct {
	Key      knob.Key `json:"key"`
	Want     string   `json:"want"`
	Have     string   `json:"have"`
	OK       bool     `json:"ok"`
	Evidence string   `json:"evidence"` // where it was read
}

// Verify reads the values that are really in force, and their effects: the huge pages that the
// running server has mapped, the CPUs and memory nodes that it may use, the nodes of its
// memory, and the effective limits on dirty pages.
func Verify(ctx context.Context, r Request, p *Plan) ([]Check, error) {
	var checks []Check
	var domain map[string]string
	var err error
	if slices.ContainsFunc(p.Changes, func(c Change) bool { return c.Layer == knob.Hypervisor }) {
		if domain, err = r.domainValues(ctx); err != nil {
			return nil, err
		}
	}
	for _, c := range p.Changes {
		if c.State == NotApplicable || secret(c.Key.Knob) {
			continue
		}
		one, err := r.check(ctx, c, domain)
		if err != nil && c.State != Cannot { // what cannot be set may be in force all the same
			return nil, err
		}
		checks = append(checks, one...)
	}
	checks = append(checks, r.dirtyLimits(p)...)
	return append(checks, r.serverMemoryMapped(p)...), nil
}

// Unchecked returns the items of a plan that are not among its checks, each with the problem: what
// is not readable, or needs the server.
func Unchecked(r Request, p *Plan, checks []Check) []Change {
	var all []Change
	for _, c := range p.Changes {
		if c.State == NotApplicable || slices.ContainsFunc(checks, func(one Check) bool { return one.Key == c.Key }) {
			continue
		}
		switch {
		case c.Problem != "":
		case c.Layer == knob.Server && r.Server == nil: // of a tuning that is kept
			c.Problem = "no server is given"
		default:
			c.Problem = "it cannot be read from here"
		}
		all = append(all, c)
	}
	return all
}

// check returns whether one value is in force; nothing if that cannot be read.
func (r Request) check(ctx context.Context, c Change, domain map[string]string) ([]Check, error) {
	k := c.Knob()
	one := Check{Key: c.Key, Want: c.Then}
	switch {
	case c.Layer == knob.Server:
		if r.Server == nil {
			return nil, nil
		}
		setting, there, err := r.Server.Setting(ctx, c.Key.Knob)
		if err != nil {
			return nil, err
		}
		one.Have, one.Evidence = setting.Value, r.Server.Name()
		if there {
			one.OK, err = setting.Same(c.Then)
		}
		return []Check{one}, err
	case k.Scope == knob.OfDomain:
		one.Have, one.Evidence = domain[k.Name], "the definition of "+c.Target+", in force from its next start"
		one.OK = same(k.Name, one.Have, c.Then)
		return []Check{one}, nil
	case k.Scope == knob.OfMount:
		mount, _, err := mountAt(r.Machine, c.Target)
		one.Have, one.Evidence = mount.Options, "/proc/self/mountinfo"
		one.OK = missingOf(mount.Type, splitOptions(mount.Options), splitOptions(c.Then)) == nil
		return []Check{one}, err
	case heldOnly(k):
		return r.checkPlace(c), nil
	}
	return r.checkFiles(k, c), nil
}

func (r Request) checkFiles(k knob.Knob, c Change) []Check {
	one := Check{Key: c.Key, Want: c.Then, OK: len(c.Files) > 0}
	var values []string
	for _, path := range c.Files {
		content, err := r.Machine.Read(path)
		value := k.Reading(content)
		switch {
		case errors.Is(err, fs.ErrPermission):
			return nil
		case err != nil:
			value = errno(err)
		}
		values = append(values, value)
		one.OK = one.OK && err == nil && k.Same(value, c.Then)
	}
	one.Have, one.Evidence = wordsOf(values), strings.Join(c.Files, ", ")
	if len(c.Files) > 2 {
		one.Evidence = fmt.Sprintf("%s and %d more", c.Files[0], len(c.Files)-1)
	}
	return []Check{one}
}

// pid returns the pid of the server's first process; 0 if none can be examined.
func (r Request) pid() int {
	if r.Server == nil {
		return 0
	}
	return r.Server.PID()
}

// status returns a line of /proc/PID/status.
func (r Request) status(name string) (value, path string) {
	path = fmt.Sprintf("/proc/%d/status", r.pid())
	text, err := r.Machine.Read(path)
	if err != nil {
		return "", path
	}
	return proc.Field(text, name), path
}

// checkPlace checks which CPUs and memory nodes the running server may use, and where its memory
// is.
func (r Request) checkPlace(c Change) []Check {
	line := map[string]string{"cpus": "Cpus_allowed_list", "mems": "Mems_allowed_list"}[c.Key.Knob]
	if r.pid() == 0 || line == "" {
		return nil
	}
	one := Check{Key: c.Key, Want: c.Then}
	one.Have, one.Evidence = r.status(line)
	one.OK = same(c.Key.Knob, one.Have, c.Then)
	one.Evidence += ": " + line
	if c.Key.Knob == "cpus" {
		return []Check{one}
	}
	return append([]Check{one}, r.checkNodes(c)...)
}

// elsewhere is the share of a server's memory that may be on other nodes than planned: its
// program and libraries may have been in the page cache before.
const elsewhere = 0.05

// checkNodes checks on which nodes the server's memory is.
func (r Request) checkNodes(c Change) []Check {
	path := fmt.Sprintf("/proc/%d/numa_maps", r.pid())
	text, err := r.Machine.Read(path)
	if err != nil {
		return nil // a kernel without NUMA, or a server of another user
	}
	byNode := nodeBytes(text)
	wanted, _ := host.ParseRanges(c.Then)
	var total, there int64
	var have []string
	for _, node := range slices.Sorted(maps.Keys(byNode)) {
		total += byNode[node]
		if slices.Contains(wanted, node) {
			there += byNode[node]
		}
		if byNode[node] > 0 {
			have = append(have, fmt.Sprintf("node %d: %s", node, unit.Size(byNode[node])))
		}
	}
	return []Check{{Key: c.Key, Want: "memory on node " + c.Then, Have: strings.Join(have, ", "),
		OK: total > 0 && float64(total-there) <= elsewhere*float64(total), Evidence: path}}
}

// nodeBytes adds up the memory on each node in a numa_maps: "N0=12 kernelpagesize_kB=4".
func nodeBytes(text string) map[int]int64 {
	byNode := map[int]int64{}
	for line := range strings.Lines(text) {
		pages := map[int]int64{}
		var size int64
		for field := range strings.FieldsSeq(line) {
			name, value, _ := strings.Cut(field, "=")
			n, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				continue
			}
			if name == "kernelpagesize_kB" {
				size = n << 10
			} else if node, err := strconv.ParseUint(strings.TrimPrefix(name, "N"), 10, 16); err == nil && strings.HasPrefix(name, "N") {
				pages[int(node)] = n
			}
		}
		for node, n := range pages {
			byNode[node] += n * size
		}
	}
	return byNode
}

// serverMemoryMapped checks whether the running server has huge pages if the plan wants them.
func (r Request) serverMemoryMapped(p *Plan) []Check {
	c := p.wanted("huge_pages")
	if c == nil || r.pid() == 0 || strings.EqualFold(c.Then, "off") {
		return nil
	}
	text, path := r.status("HugetlbPages")
	number, _, _ := strings.Cut(text, " ")
	kB, err := strconv.ParseInt(number, 10, 64)
	one := Check{Key: c.Key, Want: "huge pages mapped by the server", Have: "none", Evidence: path + ": HugetlbPages"}
	if err == nil && kB > 0 {
		one.Have, one.OK = unit.Size(kB<<10).String(), true
	}
	return []Check{one}
}

// dirtyLimits checks the effective limits of dirty pages: the kernel computes them from the
// dirtyable memory, and keeps the background limit below the other.
func (r Request) dirtyLimits(p *Plan) []Check {
	text, err := r.Machine.Read("/proc/vmstat")
	if err != nil {
		return nil
	}
	var checks []Check
	page := int64(os.Getpagesize())
	for _, d := range []struct{ knob, line string }{
		{"vm.dirty_bytes", "nr_dirty_threshold"}, {"vm.dirty_ratio", "nr_dirty_threshold"},
		{"vm.dirty_background_bytes", "nr_dirty_background_threshold"}, {"vm.dirty_background_ratio", "nr_dirty_background_threshold"},
	} {
		c := p.wanted(d.knob)
		pages, there := vmstat(text, d.line)
		if c == nil || c.Then == "0" || !there {
			continue
		}
		one := Check{Key: c.Key, Have: unit.Size(pages * page).String(), Evidence: "/proc/vmstat: " + d.line}
		want, err := strconv.ParseInt(c.Then, 10, 64)
		if err != nil {
			continue
		}
		if strings.HasSuffix(d.knob, "_bytes") {
			one.Want = unit.Size(want).String() + " dirty"
			off := pages*page - want
			one.OK = max(off, -off) <= 2*page // it is rounded to pages
		} else {
			// A ratio applies to dirtyable memory, which changes all the time and is less than
			// the total.
			total := r.meminfo("/proc/meminfo")["MemTotal"]
			one.Want = fmt.Sprintf("%d %% of the dirtyable memory", want)
			one.OK = pages > 0 && pages*page <= total*want/100
		}
		checks = append(checks, one)
	}
	return checks
}

func vmstat(text, name string) (int64, bool) {
	var n [1]proc.Value
	err := proc.NewKeyed(name).Parse([]byte(text), n[:])
	return int64(n[0].N), err == nil
}

package tune

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"plinth/internal/host/proc"
	"plinth/internal/knob"
	"plinth/internal/record"
	"plinth/internal/unit"
)

// addConflicts notes values that conflict with one another, with the machine, or with the
// database's guarantees. It refuses values that cannot be intended, so that the plan cannot be
// applied.
func (r Request) addConflicts(ctx context.Context, p *Plan) error {
	r.pairs(p)
	r.durability(p)
	r.persistence(p)
	r.hugePagesInMemory(p)
	r.serverMemory(p)
	r.committed(p)
	r.standby(p)
	r.domainAdvice(ctx, p)
	return r.hugePagesEnough(ctx, p)
}

func (p *Plan) conflict(rule, hint, format string, args ...any) {
	p.Conflicts = append(p.Conflicts, record.Note{Rule: rule, Text: fmt.Sprintf(format, args...), Hint: hint})
}

// wanted returns the change of a knob, unless it is not applicable or cannot be set.
func (p *Plan) wanted(name string) *Change {
	for i := range p.Changes {
		c := &p.Changes[i]
		if c.Key.Knob == name && c.State != NotApplicable && c.State != Cannot {
			return c
		}
	}
	return nil
}

// pairs refuses a plan that sets both knobs of an exclusive pair, and leaves the one that is to
// be zero to the kernel.
func (r Request) pairs(p *Plan) {
	for i := range p.Changes {
		c := &p.Changes[i]
		k := c.Knob()
		if k.Excludes == "" || c.State == NotApplicable {
			continue
		}
		other := p.find(k.Excludes)
		switch {
		case other == nil || other.State == NotApplicable:
		case c.Then == "0" && other.Then != "0":
			c.State, c.Problem, c.Hint = InForce, "", "" // setting the other one zeroes it
		case c.Then != "0" && other.Then != "0" && c.State != Cannot:
			both := fmt.Sprintf("%s %s and %s %s cannot be set together: the kernel zeroes one when the other is written",
				c.Key, c.Then, other.Key, other.Then)
			p.conflict("exclusive", "leave one of them out", "%s", both)
			c.refuse("it cannot be set together with "+other.Key.String(), "leave one of them out")
			other.refuse("it cannot be set together with "+c.Key.String(), "leave one of them out")
		}
	}
}

// refuse marks a value that must not be set here by any means: rendered files leave it out, too.
func (c *Change) refuse(problem, hint string) {
	c.cannot(problem, hint)
	c.Refused = true
}

func (p *Plan) find(name string) *Change {
	for i := range p.Changes {
		if p.Changes[i].Key.Knob == name {
			return &p.Changes[i]
		}
	}
	return nil
}

// durability refuses values that weaken durability, unless the request allows them; then it notes
// them.
func (r Request) durability(p *Plan) {
	for i := range p.Changes {
		c := &p.Changes[i]
		k, err := knob.Resolve(r.Engine, c.Key)
		if err != nil || c.State == NotApplicable || c.State == InForce || !k.Weakens(c.Then) {
			continue
		}
		risk := k.Risk
		if risk == "" {
			risk = "a crash may lose or damage acknowledged data"
		}
		if r.Unsafe {
			p.conflict("durability", "", "%s %s is weaker than the default, as allowed: %s", c.Key, c.Then, risk)
			continue
		}
		p.conflict("durability", "leave it out, or allow it with unsafe: true", "%s %s is weaker than the default: %s", c.Key, c.Then, risk)
		c.refuse("it weakens durability", "leave it out, or allow it with unsafe: true")
	}
}

// persistence notes values with which Redis would lose more than it does now.
func (r Request) persistence(p *Plan) {
	for _, c := range p.Changes {
		k, err := knob.Resolve(r.Engine, c.Key)
		if err != nil || c.State != ToChange && c.State != Later || !k.LosesMore(c.Then, c.Now) {
			continue
		}
		p.conflict("persistence", "", "%s %s keeps less than the current %s: %s", c.Key, c.Then, cmp.Or(c.Now, `""`), k.Risk)
	}
}

// hugePagesInMemory refuses more huge pages than memory allows: to allocate as many as it can,
// the kernel would drop the page cache and swap out other processes.
func (r Request) hugePagesInMemory(p *Plan) {
	for i := range p.Changes {
		c := &p.Changes[i]
		if c.State != ToChange || !filledInPart[c.Key.Knob] {
			continue
		}
		m := r.meminfo("/proc/meminfo")
		where, free := "available", m["MemAvailable"]
		if c.Key.Knob == "nr_hugepages" && len(c.Files) == 1 {
			dir, _, _ := strings.Cut(c.Files[0], "/hugepages/")
			where, free = "free on this node", r.meminfo(dir + "/meminfo")["MemFree"]
		}
		page := m["Hugepagesize"]
		then, err1 := strconv.ParseInt(c.Then, 10, 64)
		now, err2 := strconv.ParseInt(c.Now, 10, 64)
		if err1 != nil || err2 != nil || page == 0 || free == 0 || (then-now)*page <= free {
			continue
		}
		text := fmt.Sprintf("%d huge pages of %s take %s, and %s are %s", then-now, unit.Size(page), unit.Size((then-now)*page), unit.Size(free), where)
		p.conflict("huge-pages-memory", "request fewer, or free memory first", "%s", text)
		c.refuse(text, "request fewer, or free memory first")
	}
}

// serverMemory refuses shared memory that exceeds the machine's memory.
func (r Request) serverMemory(p *Plan) {
	for _, name := range []string{"shared_buffers", "maxmemory"} {
		c := p.wanted(name)
		total := r.meminfo("/proc/meminfo")["MemTotal"]
		if c == nil || total == 0 {
			continue
		}
		size, known := r.bytes(c)
		if !known || size <= total {
			continue
		}
		text := fmt.Sprintf("%s %s is more than the %s of this machine", name, c.Then, unit.Size(total))
		p.conflict("server-memory", "", "%s", text)
		c.refuse(text, "lower it: a quarter of the memory is a common starting point")
	}
}

// committed refuses strict overcommit if the processes have allocated more than the limit would be: all further
// allocations would fail at once, those of plinth's undo among them.
// https://docs.kernel.org/mm/overcommit-accounting.html
func (r Request) committed(p *Plan) {
	mode := p.wanted("vm.overcommit_memory")
	if mode == nil || mode.State != ToChange || mode.Then != "2" {
		return
	}
	ratio := 50.0
	if text, err := r.Machine.Read("/proc/sys/vm/overcommit_ratio"); err == nil {
		ratio, _ = strconv.ParseFloat(strings.TrimSpace(text), 64)
	}
	if c := p.wanted("vm.overcommit_ratio"); c != nil {
		ratio, _ = strconv.ParseFloat(c.Then, 64)
	}
	m := r.meminfo("/proc/meminfo")
	pages := m["HugePages_Total"]
	if c := p.wanted("vm.nr_hugepages"); c != nil {
		pages, _ = strconv.ParseInt(c.Then, 10, 64)
	}
	limit := int64(float64(m["MemTotal"]-pages*m["Hugepagesize"])*ratio/100) + m["SwapTotal"]
	if ratio == 0 || m["MemTotal"] == 0 || m["Committed_AS"] <= limit { // a ratio of zero: vm.overcommit_kbytes is set
		return
	}
	text := fmt.Sprintf("processes have allocated %s, more than the limit of %s: further allocations would fail at once", unit.Size(m["Committed_AS"]), unit.Size(limit))
	p.conflict("overcommit-committed", "free memory, add swap or raise vm.overcommit_ratio", "%s %s: %s", mode.Key, mode.Then, text)
	mode.refuse(text, "free memory, add swap or raise vm.overcommit_ratio")
}

// primarysLimits are the parameters that a standby needs at least as high as its primary.
// https://www.postgresql.org/docs/current/hot-standby.html#HOT-STANDBY-ADMIN
var primarysLimits = []string{"max_connections", "max_prepared_transactions", "max_locks_per_transaction", "max_wal_senders", "max_worker_processes"}

// standby refuses lower limits on a standby: its primary may have the present ones, and it would not start.
func (r Request) standby(p *Plan) {
	for _, name := range primarysLimits {
		c := p.wanted(name)
		if c == nil || !r.Standby {
			continue
		}
		now, err := strconv.ParseInt(c.Now, 10, 64)
		then, bad := strconv.ParseInt(c.Then, 10, 64)
		if err != nil || bad != nil || then >= now {
			continue
		}
		text := fmt.Sprintf("a standby with a lower %s than its primary does not start", name)
		p.conflict("standby-limits", "lower it on the primary first", "%s %s: %s", c.Key, c.Then, text)
		c.refuse(text, "leave it out, or lower it on the primary first")
	}
}

// hugePagesEnough notes a server that requires huge pages when too few are available: it would
// not start.
func (r Request) hugePagesEnough(ctx context.Context, p *Plan) error {
	c := p.wanted("huge_pages")
	if c == nil || !strings.EqualFold(c.Then, "on") {
		return nil
	}
	m := r.meminfo("/proc/meminfo")
	need, from, err := r.hugePagesNeeded(ctx, p, m["Hugepagesize"])
	if err != nil || need == 0 {
		return err
	}
	there := m["HugePages_Free"] - m["HugePages_Rsvd"] // counts in meminfo, not sizes
	if c.State == InForce {
		there = m["HugePages_Total"] // the running server uses some of them
	}
	if pages := p.wanted("vm.nr_hugepages"); pages != nil {
		then, _ := strconv.ParseInt(pages.Then, 10, 64)
		now, _ := strconv.ParseInt(pages.Now, 10, 64)
		there += then - now
	}
	if there < need {
		p.conflict("huge-pages-few", "set vm.nr_hugepages first",
			"huge_pages on needs %d huge pages (%s), but %d are free: the server would not start", need, from, there)
	}
	return nil
}

// hugePagesNeeded returns the number that the server itself reports, unless the plan changes
// shared_buffers; then it adds 3 % and 32 MiB to that for the rest of shared memory.
func (r Request) hugePagesNeeded(ctx context.Context, p *Plan, page int64) (pages int64, from string, err error) {
	buffers := p.wanted("shared_buffers")
	if r.Server != nil && (buffers == nil || buffers.State == InForce) {
		setting, there, err := r.Server.Setting(ctx, "shared_memory_size_in_huge_pages")
		if err != nil {
			return 0, "", err
		}
		if n, bad := strconv.ParseInt(setting.Value, 10, 64); there && bad == nil && n > 0 {
			return n, "shared_memory_size_in_huge_pages", nil
		}
	}
	if buffers == nil || page == 0 {
		return 0, "", nil
	}
	size, known := r.bytes(buffers)
	if !known {
		return 0, "", nil
	}
	return (size + size*3/100 + 32<<20 + page - 1) / page, "shared_buffers " + buffers.Then + " plus 3 % and 32 MiB", nil
}

// meminfo parses a meminfo file. The map is empty if the file cannot be read.
func (r Request) meminfo(path string) map[string]int64 {
	text, _ := r.Machine.Read(path)
	return proc.Meminfo(text)
}

// unitBytes holds the size units of server settings, in bytes. PostgreSQL's are binary.
var unitBytes = map[string]int64{"B": 1, "bytes": 1, "kB": 1 << 10, "8kB": 8 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}

// bytes returns the value of a change in bytes; false if it is not a size.
func (r Request) bytes(c *Change) (int64, bool) {
	k, err := knob.Resolve(r.Engine, c.Key)
	if err != nil {
		return 0, false
	}
	text, err := k.Canonical(c.Then)
	digits := strings.TrimRight(text, "BkMGT")
	suffix := text[len(digits):]
	if suffix == "" {
		suffix = k.Unit
	}
	size, known := unitBytes[suffix]
	n, bad := strconv.ParseInt(digits, 10, 64)
	return n * size, err == nil && known && bad == nil
}

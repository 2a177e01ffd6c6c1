package procps

import (
	"fmt"
	"regexp"
	"strings"

	"plinth/internal/record"
)

// column is one column of dstat.
type column struct {
	name   string  // as in docs/metrics.md, or "dstat.{title}.{name}"
	factor float64 // to the unit of name
	base   float64 // of the suffixes k, M, G in a text; 0 if unknown
	bits   bool    // --bits changes the unit in a text
	time   bool
}

// group is one statistic of dstat's header, with the names of its columns.
type group struct {
	title string // "dsk/sda", "total cpu usage"
	// whole says that the title is certain to be complete: a text cuts it to the width of its columns.
	whole   bool
	columns []string
}

// dstatMetrics are the columns that state the same quantity as a metric, by title and name; * in a title
// stands for a device, * in the name of the metric for the same. The quantities are those of the plugins
// in dstat 0.7.4 and dool 1.3: "minpf" is pgfault, which includes major faults; "free" of memory is
// MemFree. "csw" and "int" are rates, but a difference in PCP's dstat, whose header has "total usage".
var dstatMetrics = map[string]struct {
	name   string
	factor float64
}{
	"dsk/*:read":           {"diskstats.*.read_bytes", 1},
	"dsk/*:writ":           {"diskstats.*.write_bytes", 1},
	"io/*:read":            {"diskstats.*.reads", 1},
	"io/*:writ":            {"diskstats.*.writes", 1},
	"*:util":               {"diskstats.*.utilisation", 0.01},
	"net/*:recv":           {"netdev.*.rx_bytes", 1},
	"net/*:send":           {"netdev.*.tx_bytes", 1},
	"system:int":           {"stat.intr", 1},
	"system:csw":           {"stat.ctxt", 1},
	"procs:new":            {"stat.processes", 1},
	"memory usage:free":    {"meminfo.MemFree", 1},
	"memory usage:buff":    {"meminfo.Buffers", 1},
	"memory usage:buf":     {"meminfo.Buffers", 1},
	"memory usage:cach":    {"meminfo.Cached", 1},
	"memory usage:avai":    {"meminfo.MemAvailable", 1},
	"virtual memory:majpf": {"vmstat.pgmajfault", 1},
	"virtual memory:minpf": {"vmstat.pgfault", 1},
}

// bases are the bases of suffixes by the beginning of a title: 1024 for bytes, 1000 for counts.
var bases = []struct {
	title string
	base  float64
}{
	{"memory usage", 1024}, {"advanced memory usage", 1024}, {"swap", 1024}, {"paging", 1024},
	{"dsk/", 1024}, {"net/", 1024},
	{"io/", 1000}, {"system", 1000}, {"virtual memory", 1000}, {"advanced virtual memory", 1000}, {"filesystem", 1000},
}

// familiar are titles by which a header is recognised, apart from those of devices.
var familiar = map[string]bool{
	"total cpu usage": true, "total usage": true, "memory usage": true, "advanced memory usage": true, "system": true, "paging": true,
	"load avg": true, "procs": true, "virtual memory": true, "epoch": true, "swap": true,
}

var device = regexp.MustCompile(`^(?:nvme\d+n\d+|(?:[shv]|xv)d[a-z]{1,3}|md\d+|dm-\d+|mmcblk\d+|loop\d+|zram\d+)$`)

// nic is the name of an interface as the kernel and systemd give them; another one may be shortened.
var nic = regexp.MustCompile(`^(?:eth\d+|en[ospx][a-z0-9]+|ib\d+|wl[a-z0-9]+|lo|br\d+|bond\d+|team\d+)$`)

// subject divides the title of a device into its beginning and the device.
func subject(title string) (before, name string) {
	if before, name, ok := strings.Cut(title, "/"); ok {
		return before + "/", name
	}
	return "", title
}

func (g group) isFamiliar() bool {
	before, _ := subject(g.title)
	return familiar[g.title] || before == "dsk/" || before == "io/" || before == "net/"
}

// resolve returns the columns of all groups, and notes on those that have the same name.
func resolve(groups []group) ([]column, []record.Note) {
	pcp, count := false, map[string]int{}
	for _, g := range groups {
		pcp = pcp || g.title == "total usage"
		for _, name := range g.columns {
			count[g.title+":"+name]++
		}
	}
	var columns []column
	number := map[string]int{}
	for _, g := range groups {
		for _, name := range g.columns {
			key := g.title + ":" + name
			number[key]++
			position := 0
			if count[key] > 1 {
				position = number[key]
			}
			columns = append(columns, g.column(name, position, pcp))
		}
	}
	var notes []record.Note
	reported := map[string]bool{}
	for _, g := range groups {
		for _, name := range g.columns {
			key := g.title + ":" + name
			if n := count[key]; n > 1 && !reported[key] {
				reported[key] = true
				notes = append(notes, unclear("%d columns are all called %q, because dstat cuts names off: they are numbered from left to right", n, g.title+" "+name))
			}
		}
	}
	return columns, notes
}

func (g group) column(name string, position int, pcp bool) column {
	c := column{factor: 1, name: "dstat." + g.title + "." + name}
	for _, b := range bases {
		if strings.HasPrefix(g.title, b.title) {
			c.base = b.base
			break
		}
	}
	before, on := subject(g.title)
	c.bits = before == "dsk/" || before == "net/"
	c.time = name == "epoch" || g.title == "system" && name == "time"
	if position > 0 {
		c.name = fmt.Sprintf("dstat.%s.%d.%s", g.title, position, name)
		return c
	}
	if metric, ok := dstatMetrics[g.title+":"+name]; ok && (g.title != "system" || !pcp) {
		c.name, c.factor = metric.name, metric.factor
	} else if metric, ok := dstatMetrics[before+"*:"+name]; ok && g.whole && g.names(before, on) {
		c.name, c.factor = strings.Replace(metric.name, "*", on, 1), metric.factor
	}
	return c
}

// names reports whether the title has the complete name of a device of that sort.
func (g group) names(before, on string) bool {
	if before == "net/" {
		return nic.MatchString(on)
	}
	return device.MatchString(on)
}

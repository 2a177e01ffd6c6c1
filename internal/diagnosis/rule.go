package diagnosis

import (
	"fmt"
	"math"
	"strings"
	"time"

	"plinth/internal/diagnosis/share"
)

// rule decides whether a cause is there.
type rule struct {
	Cause
	name    string
	servers []string
	needs   []string // the columns without which it cannot be examined
	examine func(*observation) claim
}

// claim holds the result of a rule.
type claim struct {
	skip     string             // why it cannot be examined; "" if it can
	not      string             // why the cause is not there; "" if it is
	claims   map[string]float64 // the fraction that it explains of what is left of each part
	excess   bool               // whether transactions need this in addition to other seconds
	text     string
	during   *episode // when it was there, if the rule knows
	basis    Basis    // if another one than usual
	usual    bool     // whether all runs have it: the work that requests need
	evidence []Evidence
}

// episode is when something was there.
type episode struct {
	from    *float64
	seconds int
}

func not(format string, args ...any) claim { return claim{not: fmt.Sprintf(format, args...)} }

func skip(format string, args ...any) claim { return claim{skip: fmt.Sprintf(format, args...)} }

// all claims the whole of parts.
func all(parts ...string) map[string]float64 { return some(1, parts...) }

// some claims a fraction of parts.
func some(fraction float64, parts ...string) map[string]float64 {
	claims := map[string]float64{}
	if math.IsNaN(fraction) { // what it is a fraction of is not known
		fraction = 0
	}
	for _, p := range parts {
		claims[p] = min(max(fraction, 0), 1)
	}
	return claims
}

var postgres = []string{"PostgreSQL"}

// forPostgres returns a rule for PostgreSQL.
func forPostgres(cause string, examine func(*observation) claim, needs ...string) rule {
	return rule{name: cause, Cause: causes[cause], servers: postgres, needs: needs, examine: examine}
}

// rules are in the order in which they claim: from the specific to the general.
var rules = []rule{
	forPostgres("cpu-quota", throttled, "cgroup.cpu.nr_throttled"),
	forPostgres("cpu-credits", spent),
	forPostgres("cpu-steal", stolen, "stat.cpu.steal"),
	forPostgres("cpu-neighbour", crowded, "process.others.cpu", "process.server.cpu"),
	forPostgres("cpu-frequency", slowed, "cpufreq.mean"),
	forPostgres("numa", remote),
	forPostgres("swap", swapped, "vmstat.pswpin"),
	forPostgres("reclaim", reclaimed, "vmstat.pgscan_direct"),
	forPostgres("thp", compacted, "vmstat.compact_stall"),
	forPostgres("connections", churned, "stat.processes"),
	forPostgres("stall", stalled),
	forPostgres("standby", waited("commits wait for the synchronous standby", share.Standby)),
	forPostgres("archiver", archived, "archiver.archived"),
	forPostgres("autovacuum", during("autovacuum runs", vacuums, "autovacuum.workers"), "autovacuum.workers"),
	forPostgres("disk-burst", burst),
	forPostgres("disk-neighbour", shared),
	forPostgres("checkpoint", checkpointed, "buffers_written.checkpointer"),
	forPostgres("full-page-images", imaged, "wal.fpi", "wal.bytes"),
	forPostgres("wal-segments", newSegments),
	forPostgres("write-back", during("the kernel writes back", writesBack, "meminfo.Writeback"), "meminfo.Writeback"),
	forPostgres("wal-disk-iops", limited("wal", "iops")),
	forPostgres("wal-disk-throughput", limited("wal", "throughput")),
	forPostgres("data-disk-iops", limited("data", "iops")),
	forPostgres("data-disk-throughput", limited("data", "throughput")),
	forPostgres("temp-files", spilled, "pg_stat_database.temp_bytes"),
	forPostgres("backend-writes", evicted, "buffers_written.backend"),
	forPostgres("cache", missed),
	forPostgres("wal-flush", flushed),
	forPostgres("wal-write", waited("transactions wait for the WAL to be written", share.WALWrite)),
	forPostgres("row-lock", waited("transactions wait for rows that others have locked", share.RowLock)),
	forPostgres("lock", waited("transactions wait for heavyweight locks", share.Lock)),
	forPostgres("extension", waited("transactions wait for files to be extended", share.Extension)),
	forPostgres("wal-insert", waited("transactions wait to insert WAL", share.WALInsert)),
	forPostgres("buffer-mapping", waited("transactions wait for the buffer mapping table", share.Mapping)),
	forPostgres("buffer-content", waited("transactions wait for pages that others change", share.Content)),
	forPostgres("lwlock", waited("transactions wait for lightweight locks", share.LWLock)),
	forPostgres("sleep", waited("transactions sleep, as the workload asks", share.Sleep)),
	forPostgres("network", waited("statements cross the network", share.Network)),
	forPostgres("generator", generated),
	forPostgres("cpu", saturated, "stat.cpu.user"),
	forPostgres("cpu-work", worked),
	forPostgres("outside", outside, "stat.cpu.user"),
}

// waited returns the rule of parts that are their own cause.
func waited(text string, parts ...string) func(*observation) claim {
	return func(o *observation) claim {
		if o.part(parts...) <= 0 {
			if why := o.missing(parts...); why != "" {
				return skip("%s", why)
			}
			return not("no transaction was seen waiting for it")
		}
		return claim{claims: all(parts...), text: text + o.named(parts...), evidence: o.seen(parts...)}
	}
}

// seen returns the wait events of parts as evidence.
func (o *observation) seen(parts ...string) (all []Evidence) {
	for _, part := range parts {
		for _, c := range o.division.Part(part).Columns {
			if v := o.mean(c); v > 0 {
				all = append(all, Evidence{Metric: c, Value: v, Unit: "1", Against: o.division.InFlight, Of: "transactions in flight"})
			}
		}
	}
	return all
}

// named returns the wait event of some parts for which most transactions wait: " (LWLock.SubtransSLRU)".
func (o *observation) named(parts ...string) string {
	name, most := "", 0.0
	for _, part := range parts {
		for _, c := range o.division.Part(part).Columns {
			event, is := strings.CutPrefix(c, "wait.")
			if v := o.mean(c); is && v > most {
				name, most = event, v
			}
		}
	}
	if name == "" {
		return ""
	}
	return " (" + name + ")"
}

// Duration prints a time in nanoseconds: "1.9 ms".
func Duration(ns float64) string {
	if ns < 0 {
		return "-" + Duration(-ns)
	}
	d := time.Duration(ns)
	switch {
	case d >= 10*time.Second:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d >= time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d >= 10*time.Millisecond:
		return fmt.Sprintf("%.0f ms", 1e3*d.Seconds())
	case d >= time.Millisecond:
		return fmt.Sprintf("%.1f ms", 1e3*d.Seconds())
	case d >= 10*time.Microsecond:
		return fmt.Sprintf("%.0f µs", 1e6*d.Seconds())
	}
	return fmt.Sprintf("%.1f µs", ns/1e3)
}

// percent prints a share.
func percent(share float64) string {
	if share != 0 && share < 0.095 && share > -0.095 {
		return fmt.Sprintf("%.1f %%", 100*share)
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}

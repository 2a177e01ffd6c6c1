package figure_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"plinth/internal/metric"
	"plinth/internal/record"
	"plinth/internal/telemetry/kernel"
	"plinth/internal/telemetry/postgres"
)

// TestColumnsThatAreRead are columns that telemetry writes, in the units that figures
// take them in: of the eight seconds, which are all that figures are made of.
func TestColumnsThatAreRead(t *testing.T) {
	units := map[string]string{
		"wal.sync_latency": "s", "wal.write_latency": "s", "wal.bytes": "bytes/s", "wal.syncs": "1/s",
		"meminfo.Dirty": "bytes", "stat.cpu.user": "s/s", "process.server.cpu": "s/s", "pressure.cpu.some": "s/s",
		"diskstats.sda.read_latency": "s", "diskstats.sda.utilisation": "1", "diskstats.sda.queue": "1",
		"diskstats.sda.reads": "1/s", "diskstats.sda.write_bytes": "bytes/s", "buffers_alloc": "1/s",
		"wait.active": "1", "wait.CPU": "1", "wait.IO.WALSync": "1", "checkpoints.timed": "1/s",
		"perf.cycles": "1/s", "perf.node-load-misses": "1/s",
	}
	all := append(kernel.Metrics(), postgres.Metrics()...)
	for column := range eight() {
		m, known := metricOf(all, column)
		if !known && column != "tps" {
			t.Errorf("nobody writes %s", column)
		}
		if unit, given := units[column]; given && m.Unit != unit {
			t.Errorf("%s is in %s, want %s", column, m.Unit, unit)
		}
	}
	for _, column := range []string{"cgroup.cpu.usage", "cgroup.memory.current", "diskstats.sda.flushes", "diskstats.sda.flush_latency", "diskstats.sdc.read_latency"} {
		if _, known := metricOf(all, column); !known {
			t.Errorf("nobody writes %s", column)
		}
	}
}

var label = regexp.MustCompile(`\\\{[a-z_]+\\\}`)

// metricOf is the metric that a column is of.
func metricOf(all []metric.Metric, column string) (metric.Metric, bool) {
	for _, m := range all {
		pattern := label.ReplaceAllString(regexp.QuoteMeta(m.Name), `.+`)
		if regexp.MustCompile("^" + pattern + "$").MatchString(column) {
			return m, true
		}
	}
	return metric.Metric{}, false
}

// TestASourceThatIsNotThere is the reason of all figures that need its columns, by
// the name that telemetry gives the gap.
func TestASourceThatIsNotThere(t *testing.T) {
	config, err := pgx.ParseConfig("host=localhost")
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range postgres.Lane(postgres.Options{Config: config}).Sources {
		left := eight()
		missing := 0
		for column := range left {
			if _, its := metricOf(source.Metrics(), column); its {
				delete(left, column)
				missing++
			}
		}
		in := input(left)
		in.Run.Telemetry.Gaps = []record.TelemetryGap{{Columns: []string{source.Name() + ".*"}, From: -2, To: 7, Why: "there is none"}}
		told := 0
		_, gaps := of(t, in)
		for name, why := range gaps {
			if strings.HasPrefix(why, "nothing is recorded for") {
				t.Errorf("without %s: %s: %s", source.Name(), name, why)
			}
			if why == "there is none" {
				told++
			}
		}
		if (missing > 0) != (told > 0) {
			t.Errorf("without %s: %d columns are missing, and %d figures say so", source.Name(), missing, told)
		}
	}
}

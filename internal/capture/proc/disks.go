package proc

import (
	"regexp"
	"strconv"
	"strings"

	"plinth/internal/capture"
)

// diskColumns are the numbers of /proc/diskstats after the name, as in Documentation/admin-guide/iostats.rst:
// 11, from Linux 4.18 on 15 and from 5.5 on 17. Sectors have 512 bytes, times are in milliseconds. The first
// four have the names of metrics once they are rates.
var diskColumns = []string{
	"reads", "reads_merged", "read_sectors", "read_ms", "writes", "writes_merged", "write_sectors", "write_ms",
	"in_flight", "io_ms", "weighted_ms", "discards", "discards_merged", "discard_sectors", "discard_ms", "flushes", "flush_ms",
}

// diskRates are the counters that become rates, with the factor to the metric's unit.
var diskRates = []struct {
	counter, metric string
	factor          float64
}{
	{"reads", "reads", 1},
	{"reads_merged", "reads_merged", 1},
	{"read_sectors", "read_bytes", 512},
	{"writes", "writes", 1},
	{"writes_merged", "writes_merged", 1},
	{"write_sectors", "write_bytes", 512},
	{"io_ms", "utilisation", 0.001},
	{"weighted_ms", "queue", 0.001},
	{"discards", "discards", 1},
	{"flushes", "flushes", 1},
}

// diskRatios are the mean times per operation, in seconds.
var diskRatios = []struct{ time, count, metric string }{
	{"read_ms", "reads", "read_latency"},
	{"write_ms", "writes", "write_latency"},
	{"flush_ms", "flushes", "flush_latency"},
}

// dropped are counters that have no metric of their own.
var dropped = []string{"read_ms", "write_ms", "flush_ms", "discards_merged", "discard_sectors", "discard_ms"}

var diskLine = regexp.MustCompile(`^ *\d+ +\d+ ([A-Za-z][\w!.-]*)((?: +\d+){11}|(?: +\d+){15}|(?: +\d+){17})$`)

func diskOf(line string) (string, bool) {
	found := diskLine.FindStringSubmatch(line)
	if found == nil {
		return "", false
	}
	return found[1], true
}

var diskstats = file{
	starts: func(line string) bool { return diskLine.MatchString(line) },
	take: func(r *reader, line string) bool {
		found := diskLine.FindStringSubmatch(line)
		if found == nil {
			return false
		}
		r.disk(found[1], strings.Fields(found[2]))
		return true
	},
}

func (r *reader) disk(name string, fields []string) {
	if !r.disks[name] {
		idle := fields[0] == "0" && fields[4] == "0" // loop devices and the like
		if idle && !r.stamped {
			r.understood()
			return
		}
		if len(r.disks) == maxDisks {
			r.left++
			return
		}
		r.disks[name] = true
	}
	for i, field := range fields {
		value, _ := strconv.ParseFloat(field, 64) // digits
		r.set("/proc/diskstats", "diskstats."+name+"."+diskColumns[i], field, value)
	}
}

// finishDisks turns the counters of disks into the metrics of docs/metrics.md.
func finishDisks(series *capture.Series) {
	var disks []string
	for _, column := range series.Columns {
		if name, ok := strings.CutSuffix(column.Name, ".io_ms"); ok && isOf(name, "diskstats.") {
			disks = append(disks, name)
		}
	}
	for _, disk := range disks {
		for _, ratio := range diskRatios {
			series.Ratio(disk+"."+ratio.time, disk+"."+ratio.count, disk+"."+ratio.metric, 0.001)
		}
		for _, rate := range diskRates {
			series.Rate(disk+"."+rate.counter, disk+"."+rate.metric, rate.factor)
		}
		for _, counter := range dropped {
			series.Drop(disk + "." + counter)
		}
	}
}

package advice

import (
	"regexp"
	"slices"
	"strings"

	"plinth/internal/experiment"
)

// The kinds of workloads.
const (
	writes = "writes"
	reads  = "reads"
	mixed  = "mixed"
)

// changes matches SQL that changes data.
var changes = regexp.MustCompile(`(?i)\b(insert|update|delete|merge|copy|truncate|nextval)\b`)

// names tell the kind of a workload of which a record has the name alone, as in imports: those of sysbench,
// fio and redis-benchmark.
var names = []struct{ part, kind string }{
	{"read_only", reads}, {"read-only", reads}, {"readonly", reads}, {"select", reads}, {"randread", reads}, {"point", reads},
	{"read_write", writes}, {"read-write", writes}, {"readwrite", writes}, {"write", writes}, {"update", writes}, {"insert", writes},
	{"delete", writes}, {"tpcb", writes}, {"tpc-b", writes}, {"tpcc", writes},
}

// kindOf returns whether a workload writes or only reads; "" if that is not known.
func (s *study) kindOf(workload string) string {
	at := slices.IndexFunc(s.Experiment.Workloads, func(w experiment.Workload) bool { return w.Name == workload })
	var scripts []experiment.Script
	if at >= 0 {
		scripts = s.Experiment.Workloads[at].Scripts
	}
	if len(scripts) == 0 {
		scripts = []experiment.Script{{Builtin: workload}}
	}
	kind := ""
	for _, script := range scripts {
		switch s.scriptKind(script) {
		case writes:
			return writes
		case reads:
			kind = reads
		default:
			return ""
		}
	}
	return kind
}

func (s *study) scriptKind(script experiment.Script) string {
	switch {
	case script.SQL != "" && changes.MatchString(script.SQL):
		return writes
	case script.SQL != "":
		return reads
	case s.Record.Summary.Engine == experiment.EngineRedis && slices.Contains(experiment.ScriptsOf(experiment.EngineRedis), script.Builtin):
		return map[bool]string{script.Writes(): writes, script.Reads(): reads}[true]
	}
	for _, n := range names {
		if strings.Contains(strings.ToLower(script.Builtin), n.part) {
			return n.kind
		}
	}
	return s.observed(script.Builtin)
}

// observed returns the kind of a workload by what the server counted in its runs: rows read and written.
func (s *study) observed(workload string) string {
	kind := ""
	for _, run := range s.counted {
		share, known := run.Figures["rows-read-share"]
		switch {
		case run.Workload != workload || !known:
		case share < onlyReads:
			return writes
		default:
			kind = reads
		}
	}
	return kind
}

// onlyReads is the share of rows that are read from which on a workload only reads: the server's own work, such
// as statistics, writes some.
const onlyReads = 0.999

package metric

import (
	"slices"
	"strings"
)

// Better is the direction of an improvement.
type Better string

// Figures that only describe have Neither.
const (
	Higher  Better = "higher"
	Lower   Better = "lower"
	Neither Better = ""
)

// Figure is one number of a whole run, computed from its points. Experiments and comparisons
// accept its name as a metric, unless it is a Moment.
type Figure struct {
	Name   string // "tps-peak", "wal-sync-latency", "wait.{type}.{event}"
	Title  string // in tables: "peak TPS"
	Unit   string // "1/s", "bytes", "ns", "s", "1"; a Share is printed in per cent
	Better Better
	Share  bool   // a share, which may be 0: compared by difference, else by ratio
	Moment bool   // the second at which something happened: shown, and never compared
	Help   string // how it is computed: one or two sentences

	// Servers are those that report its input, as records name them; nil means all. Runs of
	// other servers do not have the figure, and it is not missing.
	Servers []string
}

// Of reports whether runs of a server have the figure; "" is an unknown server, which may have
// it.
func (f Figure) Of(server string) bool {
	return server == "" || len(f.Servers) == 0 || slices.Contains(f.Servers, server)
}

// Servers returns the servers that have figures, as records name them.
func Servers() []string { return slices.Concat(postgres, redis) }

// only restricts figures to servers.
func only(servers []string, figures []Figure) []Figure {
	for i := range figures {
		figures[i].Servers = servers
	}
	return figures
}

// Wait names the figures of all wait events.
const Wait = "wait.{type}.{event}"

// Figures returns all figures of a run, in the order in which they are shown. Those of disks
// and of wait events depend on the run: Wait represents the latter.
func Figures() []Figure {
	return slices.Concat(throughputFigures, walFigures, rowFigures, cacheFigures, bufferFigures, memoryFigures,
		cpuFigures, processorFigures, diskFigures("data"), diskFigures("wal"), pressureFigures, waitFigures, redisFigures, replicaFigures)
}

// FigureNamed returns the figure of a name: "tps-peak", "wait.IO.WALSync".
func FigureNamed(name string) (Figure, bool) {
	all := Figures()
	if i := slices.IndexFunc(all, func(f Figure) bool { return f.Name == name }); i >= 0 && name != Wait {
		return all[i], true
	}
	rest, isWait := strings.CutPrefix(name, "wait.")
	kind, event, both := strings.Cut(rest, ".")
	if !isWait || !both || kind == "" || event == "" || strings.ContainsAny(rest, "{}") {
		return Figure{}, false
	}
	f := all[slices.IndexFunc(all, func(f Figure) bool { return f.Name == Wait })]
	f.Name, f.Title = name, "waits for "+event+" ("+kind+")"
	return f, true
}

// FigureNames returns the names of the figures that can be compared, except those of wait
// events.
func FigureNames() []string {
	var names []string
	for _, f := range Figures() {
		if f.Name != Wait && !f.Moment {
			names = append(names, f.Name)
		}
	}
	return names
}

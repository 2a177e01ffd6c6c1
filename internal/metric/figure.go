package metric

import (
	"slices"
	"strings"
)

// Better says which way a figure should go.
type Better string

// Some figures describe, and are neither good nor bad.
const (
	Higher  Better = "higher"
	Lower   Better = "lower"
	Neither Better = ""
)

// Figure is one number of a whole run, made from its points. Experiments and
// comparisons take its name as a metric, but for that of a Moment.
type Figure struct {
	Name   string // "tps-peak", "wal-sync-latency", "wait.{type}.{event}"
	Title  string // as tables have it: "peak TPS"
	Unit   string // "1/s", "bytes", "ns", "s", "1"; a Share is printed in per cent
	Better Better
	Share  bool   // of something, zero included: compared by difference, else by ratio
	Moment bool   // the second at which something happened: shown, and never compared
	Help   string // how it is made, in one or two sentences

	// Servers are those that tell what it is made from, as records name them; none where
	// any may. A run of another server has no such figure, and lacks none.
	Servers []string
}

// Of says whether a figure is one of runs of a server; "" is a server that is not
// known, of which it may be.
func (f Figure) Of(server string) bool {
	return server == "" || len(f.Servers) == 0 || slices.Contains(f.Servers, server)
}

// Servers are those that figures may be of, as records name them.
func Servers() []string { return slices.Concat(postgres, redis) }

// only are figures of some servers.
func only(servers []string, figures []Figure) []Figure {
	for i := range figures {
		figures[i].Servers = servers
	}
	return figures
}

// Wait is the figure that stands for those of all wait events.
const Wait = "wait.{type}.{event}"

// Figures are all figures of a run, in the order in which they are shown. Those of
// disks and of wait events depend on the run: Wait stands for the latter.
func Figures() []Figure {
	return slices.Concat(throughputFigures, walFigures, rowFigures, cacheFigures, bufferFigures, memoryFigures,
		cpuFigures, diskFigures("data"), diskFigures("wal"), pressureFigures, waitFigures, redisFigures, replicaFigures)
}

// FigureNamed is the figure of a name: "tps-peak", "wait.IO.WALSync".
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

// FigureNames are the names of the figures that can be compared, but for those of
// wait events.
func FigureNames() []string {
	var names []string
	for _, f := range Figures() {
		if f.Name != Wait && !f.Moment {
			names = append(names, f.Name)
		}
	}
	return names
}

package diagnosis

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"plinth/internal/diagnosis/share"
	"plinth/internal/figure"
	"plinth/internal/figure/window"
	"plinth/internal/record"
	"plinth/internal/unit"
)

// observation is a run as the rules see it: the whole window, or what comes after a cliff.
type observation struct {
	Input
	all       *window.Window // of the whole run
	w         *window.Window
	timeline  *share.Timeline
	from      float64 // the second from which it is seen
	figures   map[string]float64
	resources []record.Resource
	division  share.Division
	left      map[string]float64 // sessions of each part that no rule has claimed
	fell      map[string]float64 // the share that rules have explained of what each part is larger after a fall
}

// observe returns the observation of a run from a second on. Its figures are those of the run, or, after a
// cliff, computed again.
func observe(in Input, timeline *share.Timeline, from float64, w *window.Window) *observation {
	o := &observation{Input: in, all: w, w: w, timeline: timeline, from: from, figures: in.Run.Figures, resources: in.Run.Resources, left: map[string]float64{}, fell: map[string]float64{}}
	if from > 0 {
		o.Points = since(in.Points, from)
		o.w = window.New(in.Run, o.Points)
	}
	if from > 0 || o.figures == nil {
		o.figures, _, o.resources = figure.Of(figure.Input{Run: in.Run, Points: o.Points, Environment: in.Environment, Inventory: in.Inventory})
	}
	return o
}

// since returns the points from a second on.
func since(points record.Points, from float64) record.Points {
	var rows []int
	for _, c := range points.Columns {
		if c.Name == "second" {
			for i, second := range c.Values {
				if second >= from {
					rows = append(rows, i)
				}
			}
		}
	}
	var some record.Points
	for _, c := range points.Columns {
		values := make([]float64, len(rows))
		for at, i := range rows {
			values[at] = math.NaN()
			if i < len(c.Values) {
				values[at] = c.Values[i]
			}
		}
		some.Columns = append(some.Columns, record.Column{Name: c.Name, Values: values})
	}
	return some
}

// divided sets the division of the response time.
func (o *observation) divided(d share.Division) {
	o.division = d
	for _, p := range d.Parts {
		o.left[p.Name] = max(0, p.Sessions)
	}
}

// worth returns the sessions that claims come to.
func (o *observation) worth(claims map[string]float64) (sessions float64) {
	for part, fraction := range claims {
		sessions += o.left[part] * fraction
	}
	return sessions
}

// take takes claims off what is left.
func (o *observation) take(claims map[string]float64) {
	for part, fraction := range claims {
		o.left[part] *= 1 - fraction
	}
}

// unclaimed returns the share of the response time that no rule has claimed.
func (o *observation) unclaimed() (of float64) {
	if o.division.InFlight == 0 {
		return 0
	}
	for _, sessions := range o.left {
		of += sessions / o.division.InFlight
	}
	return of
}

// lacks returns why a rule cannot be applied; "" if it can.
func (o *observation) lacks(r rule) string {
	if o.division.InFlight == 0 {
		return "the response time is not divided"
	}
	for _, column := range r.needs {
		if o.Environment.Elsewhere && ofMachine(column) {
			return column + " is of the machine that plinth reads, and the server runs on another one"
		}
		if _, why := o.w.Known(column); why != "" {
			if strings.HasPrefix(why, window.NotRecorded) {
				return why
			}
			return column + ": " + why
		}
	}
	return ""
}

// ofMachine reports whether a column is of the machine that plinth reads, instead of the server's sessions and counters.
func ofMachine(column string) bool {
	return slices.ContainsFunc([]string{"stat.", "vmstat.", "meminfo.", "pressure.", "cgroup.", "cpufreq.", "process.others."},
		func(prefix string) bool { return strings.HasPrefix(column, prefix) })
}

// missing returns why none of some parts of the response time is known; "" if one is.
func (o *observation) missing(parts ...string) (why string) {
	for _, part := range parts {
		if o.timeline.Parts[part] != nil {
			return ""
		}
		for _, gap := range o.division.Missing {
			if gap.What == part && why == "" {
				why = gap.Why
			}
		}
	}
	return why
}

// mean returns the mean of a sum of columns over the window; 0 if it is not known.
func (o *observation) mean(columns ...string) float64 {
	n := o.w.Of(columns...).Mean()
	if n.Why != "" {
		return 0
	}
	return n.Value
}

// anyOf returns the sum of the means of columns that are known: of names that differ between versions, a server has one.
func (o *observation) anyOf(columns ...string) (sum float64) {
	for _, c := range columns {
		sum += o.mean(c)
	}
	return sum
}

// part returns the sessions of parts, claimed or not.
func (o *observation) part(names ...string) (sessions float64) {
	for _, name := range names {
		sessions += max(0, o.division.Part(name).Sessions)
	}
	return sessions
}

// busy returns the CPU time of the machine, in CPUs.
func (o *observation) busy() float64 {
	return o.mean("stat.cpu.user", "stat.cpu.nice", "stat.cpu.system", "stat.cpu.irq", "stat.cpu.softirq")
}

// cpus returns the number of CPUs of the machine. Where plinth keeps them awake, idle is all time in which they
// have nothing to do, and iowait is not known.
func (o *observation) cpus() float64 {
	online := slices.DeleteFunc(o.w.ColumnsLike("stat.cpu", ".busy"), func(column string) bool { // others have columns without values
		_, why := o.w.Known(column)
		return why != ""
	})
	if len(online) > 0 {
		return float64(len(online))
	}
	// The time that a CPU waits for a disk may be unknown, as some kernels count it backwards.
	return math.Round(o.busy() + o.mean("stat.cpu.idle") + o.mean("stat.cpu.iowait") + o.mean("stat.cpu.steal"))
}

// headroom returns the resources with a known limit.
func (o *observation) headroom() (all []Headroom) {
	for _, r := range o.resources {
		use, ceiling, from := r.Use, r.Ceiling, r.From
		if cpus := o.cpus(); r.Name == "cpu" && ceiling == 0 && cpus > 0 {
			use, ceiling, from = o.busy()/cpus, cpus, unit.Count(int(cpus), "CPU")
		}
		if ceiling > 0 && use > 0 {
			all = append(all, Headroom{Resource: r.Name, Use: use, Limit: ceiling, Unit: r.Unit, From: from})
		}
	}
	slices.SortStableFunc(all, func(a, b Headroom) int { return cmp.Compare(b.Use, a.Use) })
	return all
}

// when returns since when, and in how many seconds, transactions were in the parts of a claim; nothing if
// they were in most of the window.
func (o *observation) when(claims map[string]float64) (from *float64, seconds int) {
	var in, at []float64
	for i, second := range o.timeline.Seconds {
		if second < o.from {
			continue
		}
		sum := 0.0
		for part, fraction := range claims {
			if values := o.timeline.Parts[part]; values != nil && !math.IsNaN(values[i]) {
				sum += fraction * values[i]
			}
		}
		in, at = append(in, sum), append(at, second)
	}
	most := 0.0
	for _, v := range in {
		most = max(most, v)
	}
	for i, v := range in {
		if v > most/3 {
			seconds++
			if from == nil {
				from = &at[i]
			}
		}
	}
	if most == 0 || float64(seconds) > steady*float64(len(in)) {
		return o.since(), 0
	}
	return from, seconds
}

// steady is the share of the window from which something is there all the time.
const steady = 0.7

// since returns the second from which the run is seen; nil for the whole window.
func (o *observation) since() *float64 {
	if o.from == 0 {
		return nil
	}
	return &o.from
}

// applicable returns the suggestions that may help with the filesystem of the data.
func (o *observation) applicable(all []Try) []Try {
	return slices.DeleteFunc(append([]Try{}, all...), func(t Try) bool {
		return t.Filesystem != "" && !slices.ContainsFunc(o.Environment.Volumes, func(v record.Volume) bool {
			return v.Role == "data" && v.Filesystem == t.Filesystem
		})
	})
}

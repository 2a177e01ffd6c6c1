package diagnosis

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"plinth/internal/figure/window"
)

// What makes the seconds in which something happened comparable with the others.
const (
	fewestAside = 3    // seconds on either side
	leastSlower = 0.1  // the loss of throughput in them that is examined
	byChance    = 0.01 // the probability that they are as slow by chance, above which they are not
)

// during returns the rule of what comes and goes: transactions need longer while it is there than otherwise.
// What they need in addition is claimed, part by part.
func during(text string, on func(*observation, string) func(int) bool, column string) func(*observation) claim {
	return func(o *observation) claim {
		in, out := o.divide(on(o, column), column)
		switch {
		case len(in) == 0:
			return not("it did not happen")
		case len(in) < fewestAside || len(out) < fewestAside:
			return not("it happened in %d of %d seconds: there is nothing to compare with", len(in), len(in)+len(out))
		}
		slow, fast := pick(o.timeline.TPS, in), pick(o.timeline.TPS, out)
		before, then := average(fast), average(slow)
		switch {
		case then > (1-leastSlower)*before:
			return not("throughput was %.0f in these seconds, and %.0f in the others", then, before)
		case slower(slow, fast) > byChance:
			return not("throughput was %.0f in these seconds, and %.0f in the others: that may be chance", then, before)
		}
		first := o.timeline.Seconds[in[0]]
		return claim{
			claims: o.excess(in, out), excess: true, during: &episode{from: &first, seconds: len(in)},
			text: text + ", and throughput falls by " + percent(1-then/before),
			evidence: []Evidence{
				{Metric: column, Value: o.mean(column), Unit: ""},
				{Metric: "tps", Value: then, Unit: "1/s", Against: before, Of: "other seconds"},
			},
		}
	}
}

// proportion examines what goes on for a part of nearly every second: transactions need longer the longer it goes on in
// a second. What they need in addition to a second without it, by linear regression, is claimed, part by part.
func (o *observation) proportion(text, column string) claim {
	var rows []int
	var x []float64
	share := o.values(column)
	for i, second := range o.timeline.Seconds {
		if second >= o.from && !math.IsNaN(share[i]) && !math.IsNaN(o.timeline.TPS[i]) && o.complete(i) {
			rows, x = append(rows, i), append(x, share[i])
		}
	}
	if len(rows) < 2*fewestAside {
		return not("it is known in %d seconds", len(rows))
	}
	at := func(values []float64) (without, mean float64) {
		without, _ = stat.LinearRegression(x, values, nil, false)
		return without, average(values)
	}
	tps := pick(o.timeline.TPS, rows)
	without, mean := at(tps)
	r := stat.Correlation(x, tps, nil)
	chance := math.Erfc(math.Abs(math.Atanh(r)) * math.Sqrt(float64(len(x)-3)) / math.Sqrt2) // Fisher's transformation
	switch {
	case mean > (1-leastSlower)*without:
		return not("throughput was %.0f, and would be %.0f without it", mean, without)
	case !(r < 0 && chance < byChance):
		return not("throughput does not vary with the share of each second that it takes")
	}
	before := func(part string) (without, mean float64) { return at(o.levels(part, rows)) }
	return claim{
		claims: o.beyond(before, mean/without, 1), excess: true,
		text: text + ", and throughput falls by " + percent(1-mean/without),
		evidence: []Evidence{
			{Metric: column, Value: average(x), Unit: "1", Against: 1, Of: "the time"},
			{Metric: "tps", Value: mean, Unit: "1/s", Against: without, Of: "without it"},
		},
	}
}

// divide divides the timeline's seconds into those in which something was on, and the others, without those in which one of
// its columns is unknown. After a cliff, the seconds before it are among the others.
func (o *observation) divide(on func(i int) bool, columns ...string) (in, out []int) {
	unknown := make([]bool, len(o.timeline.Seconds))
	for _, column := range columns {
		for i, v := range o.values(column) {
			unknown[i] = unknown[i] || math.IsNaN(v)
		}
	}
	for i, second := range o.timeline.Seconds {
		switch {
		case unknown[i]:
		case on(i) && second >= o.from:
			in = append(in, i)
		case !on(i):
			out = append(out, i)
		}
	}
	return in, out
}

// excess returns the fraction of each part that transactions needed in some seconds beyond what they needed in
// others.
func (o *observation) excess(in, out []int) map[string]float64 {
	rate := average(pick(o.timeline.TPS, in)) / average(pick(o.timeline.TPS, out))
	return o.beyond(func(part string) (before, then float64) { return o.level(part, out), o.level(part, in) }, rate,
		float64(len(in))/float64(o.division.Seconds))
}

// beyond returns the fraction of each part that transactions need beyond what they needed before. The rate is that of
// throughput, compared with what it was before, and the weight the share of the time.
func (o *observation) beyond(levels func(part string) (before, then float64), rate, weight float64) map[string]float64 {
	more, sum := map[string]float64{}, 0.0
	for _, p := range o.division.Parts {
		before, then := levels(p.Name)
		if extra := (then - before*rate) * weight; extra > 0 {
			more[p.Name] = extra
			sum += extra
		}
	}
	// A part that needs less is not another cause's: together they cannot exceed the loss of throughput.
	scale := min(1, o.division.InFlight*(1-rate)*weight/max(sum, 1e-9))
	for part, extra := range more {
		more[part] = min(1, scale*extra/max(o.division.Part(part).Sessions, 1e-9))
	}
	return more
}

// fall returns the share that a claim explains of a fall of throughput, beyond what others did; 0 for less than a
// tenth.
func (o *observation) fall(cliff Cliff, c claim) float64 {
	var in, out []int
	for i, second := range o.timeline.Seconds {
		switch {
		case second < cliff.Second:
			out = append(out, i)
		case cliff.Until == nil || second < *cliff.Until:
			in = append(in, i)
		}
	}
	rate := average(pick(o.timeline.TPS, in)) / max(average(pick(o.timeline.TPS, out)), 1e-9)
	lost := average(pick(o.timeline.InFlight, in)) * (1 - rate)
	more := 0.0
	for part, fraction := range c.claims {
		left := (o.level(part, in) - o.level(part, out)*rate) * (1 - o.fell[part])
		of := fraction * o.left[part] / max(o.division.Part(part).Sessions, 1e-9) // other rules have claimed the rest
		if c.excess && left > 0 {
			of = min(1, fraction*o.left[part]*float64(o.division.Seconds)/(left*float64(len(in))))
		}
		more += of * left
		o.fell[part] += of * (1 - o.fell[part])
	}
	if more < 0.1*lost || lost <= 0 {
		return 0
	}
	return min(1, more/lost)
}

// level returns the mean sessions of a part in some seconds.
func (o *observation) level(part string, rows []int) float64 { return average(o.levels(part, rows)) }

// complete reports whether all parts of a second are known.
func (o *observation) complete(i int) bool {
	left := o.timeline.InFlight[i]
	for _, values := range o.timeline.Parts {
		left -= values[i]
	}
	return !math.IsNaN(left)
}

// levels returns the sessions of a part in each of some seconds, without those in which they are unknown.
func (o *observation) levels(part string, rows []int) []float64 {
	if values := o.timeline.Parts[part]; values != nil {
		return pick(values, rows)
	}
	var rest []float64 // not explained
	for _, i := range rows {
		if !o.complete(i) {
			continue
		}
		left := o.timeline.InFlight[i]
		for _, values := range o.timeline.Parts {
			left -= values[i]
		}
		rest = append(rest, max(0, left))
	}
	return rest
}

func pick(values []float64, rows []int) (some []float64) {
	for _, i := range rows {
		if !math.IsNaN(values[i]) {
			some = append(some, values[i])
		}
	}
	return some
}

func average(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	return window.Total(values) / float64(len(values))
}

// slower returns the probability that values are as much below others by chance (Mann and Whitney, "On a Test
// of Whether one of Two Random Variables is Stochastically Larger than the Other", 1947, with the normal
// approximation).
func slower(values, others []float64) float64 {
	u := 0.0
	for _, a := range values {
		for _, b := range others {
			switch {
			case a < b:
				u++
			case a == b:
				u += 0.5
			}
		}
	}
	n, m := float64(len(values)), float64(len(others))
	z := (u - n*m/2) / math.Sqrt(n*m*(n+m+1)/12)
	return 0.5 * math.Erfc(z/math.Sqrt2)
}

// above returns whether a column is above a value in a second of the timeline.
func (o *observation) above(column string, value float64) func(i int) bool {
	values := o.values(column)
	return func(i int) bool { return values[i] > value }
}

// values returns a column in the seconds of the timeline.
func (o *observation) values(column string) []float64 {
	known := map[float64]float64{}
	for i, second := range o.all.Seconds {
		known[second] = o.all.At(column, i)
	}
	values := make([]float64, len(o.timeline.Seconds))
	for i, second := range o.timeline.Seconds {
		values[i] = known[second]
	}
	return values
}

// peak returns the greatest value of a column in the whole window.
func (o *observation) peak(column string) float64 {
	most, _ := o.all.Of(column).Most()
	return most.Value
}

// vacuums reports whether autovacuum runs.
func vacuums(o *observation, column string) func(int) bool { return o.above(column, 0.5) }

// checkpoints reports whether a checkpoint writes pages or syncs files. The time of syncing is counted when the
// checkpoint ends, and is that before it.
func checkpoints(o *observation, column string) func(int) bool {
	writes, syncs := o.above(column, max(8, 0.05*o.peak(column))), make([]bool, len(o.timeline.Seconds))
	for end, time := range o.values("checkpoints.sync_time") {
		for i := end; i >= 0 && o.timeline.Seconds[end]-o.timeline.Seconds[i] < math.Floor(time); i-- {
			syncs[i] = true
		}
	}
	return func(i int) bool { return writes(i) || syncs[i] }
}

// writesBack reports whether the kernel writes back much more than usual.
func writesBack(o *observation, column string) func(int) bool {
	return o.above(column, max(1<<20, 0.3*o.peak(column)))
}

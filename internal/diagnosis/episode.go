package diagnosis

import (
	"math"

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
		in, out := o.divide(on(o, column))
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

// divide divides the timeline's seconds into those in which something was on, and the others. After a cliff,
// the seconds before it are among the others.
func (o *observation) divide(on func(i int) bool) (in, out []int) {
	for i, second := range o.timeline.Seconds {
		switch {
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
	weight := float64(len(in)) / float64(o.division.Seconds)
	more, sum := map[string]float64{}, 0.0
	for _, p := range o.division.Parts {
		then, before := o.level(p.Name, in), o.level(p.Name, out)
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
func (o *observation) level(part string, rows []int) float64 {
	if values := o.timeline.Parts[part]; values != nil {
		return average(pick(values, rows))
	}
	rest := average(pick(o.timeline.InFlight, rows)) // not explained
	for _, values := range o.timeline.Parts {
		rest -= average(pick(values, rows))
	}
	return max(0, rest)
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
	known := map[float64]float64{}
	for i, second := range o.all.Seconds {
		known[second] = o.all.At(column, i)
	}
	return func(i int) bool { return known[o.timeline.Seconds[i]] > value }
}

// peak returns the greatest value of a column in the whole window.
func (o *observation) peak(column string) float64 {
	most, _ := o.all.Of(column).Most()
	return most.Value
}

// vacuums reports whether autovacuum runs.
func vacuums(o *observation, column string) func(int) bool { return o.above(column, 0.5) }

// checkpoints reports whether a checkpoint writes.
func checkpoints(o *observation, column string) func(int) bool {
	return o.above(column, max(8, 0.05*o.peak(column)))
}

// writesBack reports whether the kernel writes back much more than usual.
func writesBack(o *observation, column string) func(int) bool {
	return o.above(column, max(1<<20, 0.3*o.peak(column)))
}

package stats

// Word is what can be said of a comparison.
type Word string

// The words. Equal wins over Up and Down: a difference inside the margin does not
// matter, however sure it is.
const (
	Up      Word = "up"      // the other is higher
	Down    Word = "down"    // the other is lower
	Equal   Word = "equal"   // the whole interval lies inside the margin
	Unknown Word = "unknown" // neither is known
)

// Decision is the word for one comparison of a family, and what it rests on.
type Decision struct {
	Word  Word
	Alpha float64 // granted to this comparison of what the family shares
	// Low and High are the interval shown. Its Level is 1 - Alpha wherever a word is
	// possible; with too few units for that it is lower, or 0: Low and High are
	// the range of the units then.
	Low, High float64
	Level     float64
	P         float64 // of no difference, not corrected; 1 where there are no numbers
}

// usual is the alpha above which an interval is not worth the name: where even the
// smallest possible is above, only the range is shown.
const usual = 0.05

// Decide gives words to the comparisons of one family, which share alpha by Holm's
// procedure. Margin is on the scale of the units: differences in [-margin, +margin]
// do not matter. A nil test is a comparison without numbers: it counts, and is
// Unknown.
//
// Holm steps over the differences only. Word and interval always agree: both are
// read at the alpha of the comparison's own step.
func Decide(tests []*Test, alpha, margin float64) []Decision {
	p := make([]float64, len(tests))
	for i, t := range tests {
		p[i] = 1
		if t != nil {
			p[i] = t.P(0)
		}
	}
	decisions := make([]Decision, len(tests))
	for i, step := range Holm(p, alpha) {
		decisions[i] = Decision{Word: Unknown, Alpha: step.Alpha, P: p[i]}
		if tests[i] != nil {
			decisions[i].read(tests[i], alpha, margin)
		}
	}
	return decisions
}

// read fills in the interval, and the word if there can be one.
func (d *Decision) read(t *Test, alpha, margin float64) {
	if d.show(t, d.Alpha) {
		d.Word = word(d.Low, d.High, margin)
		return
	}
	if d.show(t, alpha) {
		return
	}
	if least := t.leastAlpha(); least <= usual && d.show(t, least) {
		return
	}
	d.Low, d.High = t.Range()
}

func (d *Decision) show(t *Test, alpha float64) bool {
	low, high, ok := t.Interval(alpha)
	if ok {
		d.Low, d.High, d.Level = low, high, 1-alpha
	}
	return ok
}

// word is what an interval says.
func word(low, high, margin float64) Word {
	switch {
	case low >= -margin && high <= margin:
		return Equal
	case low > 0:
		return Up
	case high < 0:
		return Down
	}
	return Unknown
}

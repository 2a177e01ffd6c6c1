package stats

// Outcome is the result of a comparison.
type Outcome string

// The words. Equal wins over Up and Down: a difference inside the margin does not
// matter, however sure it is.
const (
	Up      Outcome = "up"      // the other is higher
	Down    Outcome = "down"    // the other is lower
	Equal   Outcome = "equal"   // the whole interval lies inside the margin
	Unknown Outcome = "unknown" // neither is known
)

// Decision is the word for one comparison of a family, and what it rests on.
type Decision struct {
	Outcome Outcome
	Alpha   float64 // of what the family shares, that it was read at
	// Decidable says that there is an interval at Alpha, and so that a word was
	// possible. Without one the word is Unknown, whatever the interval shown says.
	Decidable bool
	// Low and High are the interval shown. Its Level is 1 - Alpha where Decidable; with
	// too few units for that it is lower, or 0: Low and High are the range of the units
	// then.
	Low, High float64
	Level     float64
	P         float64 // of no difference, not corrected; 1 where there are no numbers
}

// usual is the alpha above which an interval is not worth the name: where even the
// smallest possible is above, only the range is shown.
const usual = 0.05

// Decide gives words to the comparisons of one family, which share alpha. Margin is
// on the scale of the units: differences in [-margin, +margin] do not matter. A nil
// test is a comparison without numbers: it counts, and is Unknown.
//
// Up and Down are read by Holm's procedure, each at the alpha of its own step. Holm
// steps over the differences only: where all of them are found, and lie at the
// margin, the last of many steps would be read at the whole alpha, and most of the
// others at far more than their share. So Equal is read at the strictest share,
// alpha by the size of the family, which holds whatever is true (Bonferroni).
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
		decisions[i] = Decision{Outcome: Unknown, Alpha: step.Alpha, P: p[i]}
		if tests[i] != nil {
			decisions[i].read(tests[i], alpha, alpha/float64(len(tests)), margin)
		}
	}
	return decisions
}

// read fills in the interval, and the word if there can be one.
func (d *Decision) read(t *Test, alpha, strictest, margin float64) {
	if d.Decidable = d.show(t, d.Alpha); !d.Decidable {
		d.showLess(t, alpha)
		return
	}
	d.Outcome = d.direction()
	if d.inside(margin) { // if not, the wider one is not either
		d.readStrictly(t, strictest, margin)
	}
}

// readStrictly reads the interval at the strictest share where that of the step lies
// inside the margin: Equal depends on it, so it is the one that is shown. Only where
// the step has found a difference that the wider interval would hide, the step's
// stays: a difference that is known, beside an interval inside the margin that is
// too narrow to be called Equal.
func (d *Decision) readStrictly(t *Test, strictest, margin float64) {
	strict := *d
	strict.Alpha = strictest
	possible := strict.show(t, strictest)
	switch {
	case possible && strict.inside(margin):
		*d = strict
		d.Outcome = Equal
	case possible && strict.direction() == d.Outcome:
		*d = strict
	case d.Outcome == Unknown: // too few units to be Equal, and no difference
		d.Decidable = false
	}
}

// showLess shows the interval that there is with too few units for a word, or the
// range.
func (d *Decision) showLess(t *Test, alpha float64) {
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

func (d *Decision) inside(margin float64) bool { return d.Low >= -margin && d.High <= margin }

// direction returns the sign of a difference as the interval shows it.
func (d *Decision) direction() Outcome {
	switch {
	case d.Low > 0:
		return Up
	case d.High < 0:
		return Down
	}
	return Unknown
}

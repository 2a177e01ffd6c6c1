package stats

// Outcome is the result of a comparison.
type Outcome string

// Equal takes precedence over Up and Down: a difference inside the margin does not matter,
// however certain it is.
const (
	Up      Outcome = "up"      // the other is higher
	Down    Outcome = "down"    // the other is lower
	Equal   Outcome = "equal"   // the whole interval lies inside the margin
	Unknown Outcome = "unknown" // undecided
)

// Decision is the outcome of one comparison of a family, with its numbers.
type Decision struct {
	Outcome Outcome
	Alpha   float64 // share of the family's alpha used here
	// Decidable reports whether there is an interval at Alpha, so that an outcome is possible.
	// If not, the outcome is Unknown, whatever interval is shown.
	Decidable bool
	// Low and High are the interval shown. Its Level is 1 - Alpha if Decidable; with too few
	// units it is lower, or 0 if Low and High are the range of the units.
	Low, High float64
	Level     float64
	P         float64 // p-value for no difference, uncorrected; 1 without numbers
}

// usual is the largest alpha of an interval: if even the smallest possible is larger, only the
// range is shown.
const usual = 0.05

// Decide decides the comparisons of one family, which share alpha. Margin is on the scale of
// the units: differences in [-margin, +margin] do not matter. A nil test is a comparison
// without numbers: it counts, and is Unknown.
//
// Up and Down are decided by Holm's procedure, each at the alpha of its own step. Equal is
// decided at the strictest share, alpha over the size of the family (Bonferroni), because
// Holm's bound covers only differences: if every effect lies at the margin and is found to
// be a difference, the last of many steps has the whole alpha, and most others have far more
// than their share.
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

// read fills in the interval, and the outcome if one is possible.
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

// readStrictly replaces an interval that lies inside the margin by that at the strictest share,
// on which Equal depends. It keeps the step's interval if that shows a difference that the
// wider one would hide: such a difference is known, but its interval is too narrow to be called
// Equal.
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

// showLess shows the interval possible with too few units for an outcome, or the range.
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

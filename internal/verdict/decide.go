package verdict

import (
	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/stats"
)

// family is comparisons by one metric that share alpha, each with its test: nil
// where there is none to go by. Such a comparison takes its share like all others.
type family struct {
	metric        experiment.Metric
	alpha, margin float64
	verdicts      []*record.Verdict
	tests         []*stats.Test
}

func (f *family) add(v *record.Verdict, test *stats.Test) {
	f.verdicts, f.tests = append(f.verdicts, v), append(f.tests, test)
}

// ask says that a word is due on each.
func (f *family) ask() {
	for _, v := range f.verdicts {
		v.Asked = true
	}
}

// decide gives each its word, and the interval at the alpha that it was granted.
// TooFew is the word where there is no such interval. Where it is one, the range is
// all that is shown, for a looser interval may contradict it; where it is none, and a
// workload carries the verdict, the looser one stays.
func (f *family) decide(tooFew record.Word) {
	for i, d := range stats.Decide(f.tests, f.alpha, allowed(f.margin, f.metric)) {
		v := f.verdicts[i]
		switch {
		case v.Word == record.Unfit:
		case f.tests[i] == nil:
			v.Word = record.Inconclusive
		case d.Decidable:
			enter(v, f.metric, d)
			v.Word = word(d.Word, f.metric)
		case tooFew == "":
			enter(v, f.metric, d)
		default:
			v.Word, v.P = tooFew, d.P
		}
	}
}

// show gives each its interval, as if it were alone, and no word.
func (f *family) show() {
	for i, test := range f.tests {
		if test != nil {
			enter(f.verdicts[i], f.metric, stats.Decide(f.tests[i:i+1], f.alpha, allowed(f.margin, f.metric))[0])
		}
	}
}

package stats

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func rules(t *Test) []string {
	var rules []string
	for _, note := range t.Notes() {
		rules = append(rules, note.Rule)
	}
	return rules
}

func TestNotes(t *testing.T) {
	calm := []float64{0.11, 0.09, 0.12, 0.08, 0.105, 0.095}
	walk := make([]float64, 16)
	for i := range walk {
		walk[i] = math.Sin(float64(i) / 3)
	}
	outliers := noise(2, 28)
	outliers[3], outliers[9], outliers[10], outliers[20] = 9, -9, 8, -8
	for _, c := range []struct {
		name string
		test *Test
		want []string
	}{
		{"nothing to say", paired(t, calm...), []string{RuleExact}},
		{"drawn", paired(t, plus(noise(1, 30), 1)...), []string{RuleDrawn}},
		{"five units", paired(t, calm[:5]...), []string{RuleExact, RuleFewUnits}},
		{"one unit", paired(t, 1), []string{RuleExact, RuleFewUnits}},
		{"three against three", independent(t, calm[:3], calm[3:]), []string{RuleExact, RuleFewUnits}},
		{"one outlier makes it up", paired(t, append(slices.Clone(calm), 5)...), []string{RuleExact, RuleOneUnit}},
		{"one outlier turns it", paired(t, append(slices.Clone(calm), -2)...), []string{RuleExact, RuleOneUnit}},
		{"an outlier among many that carry the result", paired(t, append(plus(noise(1, 30), 10), 20)...), []string{RuleDrawn, RuleHeavyTails}},
		{"an outlier among many, and no effect to be carried", paired(t, append(centred(noise(1, 200)), 6)...), []string{RuleDrawn}},
		{"no effect, no outlier", paired(t, plus(calm, -0.1)...), []string{RuleExact}},
		{"all the same", paired(t, 2, 2, 2, 2, 2, 2), []string{RuleExact, RuleTies}},
		{"half the same", paired(t, 2, 2, 2, 1, 3, 4), []string{RuleExact, RuleTies}},
		{"the same but for rounding", paired(t, 0.3, 0.1+0.2, 0.3, 0.7, 0.9, 1.1), []string{RuleExact, RuleTies}},
		{"outliers both ways", paired(t, plus(outliers, 3)...), []string{RuleDrawn, RuleHeavyTails}},
		{"a walk", paired(t, walk...), []string{RuleExact, RuleAutocorrelation}},
		{"turn and turn about", paired(t, 1, 2, 1.1, 2.1, 1.2, 2.2, 1.05, 2.05, 1.15, 2.15, 1.25, 2.25), []string{RuleExact, RuleAutocorrelation}},
		{"a calm and a wild sample", independent(t, calm, plus(noise(1, 9), 2)), []string{RuleExact, RuleUnequalSpread}},
		{"a calm and a wild sample of one size", independent(t, calm, plus(noise(1, 6), 2)), []string{RuleExact}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := rules(c.test); !slices.Equal(got, c.want) {
				t.Errorf("%v, not %v", got, c.want)
			}
		})
	}
}

// centred shifts values to a mean of 0.
func centred(values []float64) []float64 {
	_, deviations := centre(values)
	return deviations
}

func TestNotesSayWhatTheyRestOn(t *testing.T) {
	for _, c := range []struct {
		test *Test
		rule string
		say  []string
	}{
		{paired(t, noise(1, 30)...), RuleDrawn, []string{"100000", "seed 1", "sign flips"}},
		{independent(t, noise(1, 5), noise(2, 5)), RuleExact, []string{"unpaired"}},
		{paired(t, 1, 2, 3, 4), RuleFewUnits, []string{"4 units"}},
		{paired(t, 1, 1.1, 0.9, 30, 1.2, 0.8), RuleOneUnit, []string{"unit 4 of 6 is an outlier"}},
		{independent(t, []float64{1, 1.2, 1.1, 0.9}, []float64{1, 30, 1.1, 0.9, 1.3}), RuleOneUnit, []string{"unit 2 of 5 in the second sample"}},
		{paired(t, 1, 2, 2, 2, 1.2, 0.8), RuleTies, []string{"3 of 6"}},
	} {
		at := slices.IndexFunc(c.test.Notes(), func(n Note) bool { return n.Rule == c.rule })
		if at < 0 {
			t.Errorf("no note %s", c.rule)
			continue
		}
		note := c.test.Notes()[at]
		for _, say := range c.say {
			if !strings.Contains(note.Text, say) {
				t.Errorf("%q does not say %q", note.Text, say)
			}
		}
		if note.Warning() != (c.rule != RuleDrawn && c.rule != RuleExact) {
			t.Errorf("%s as a warning: %v", c.rule, note.Warning())
		}
	}
}

// TestNotesAreRareOnGoodNumbers: a constant warning warns of nothing.
func TestNotesAreRareOnGoodNumbers(t *testing.T) {
	const trials = 300
	for _, n := range []int{6, 8, 12, 20} {
		for _, effect := range []float64{0, 2} {
			warned := map[string]int{}
			for trial := range trials {
				mean, deviations := centre(plus(noise(uint64(trial), n), effect))
				test := &Test{samples: [][]float64{deviations}, mean: mean, orders: flipOrders(n)}
				for _, rule := range rules(test)[1:] {
					warned[rule]++
				}
			}
			for rule, count := range warned {
				if share := float64(count) / trials; share > 0.09 {
					t.Errorf("%d units, effect %v: %s in %.3f of trials", n, effect, rule, share)
				}
			}
		}
	}
}

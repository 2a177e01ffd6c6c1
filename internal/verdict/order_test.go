package verdict

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plinth/internal/record"
)

// TestOrder checks the places of up to five environments, of which some pairs are not separated. "a>b" says
// that a is better, "a=b" that they are equivalent, "a?b" that the verdict is inconclusive.
func TestOrder(t *testing.T) {
	for _, c := range []struct{ verdicts, want string }{
		{"a>b a>c b>c", "1. a, 2. b, 3. c"},
		{"a>b a?c b>c", "1. a, 2. b, 3. c"}, // follows
		{"a>b b>c a=c", "1. a, 2. b, 3. c"}, // the difference is known, and within the margin
		{"a>b a?c b?c", "1. a = c, 2. b = c"},
		{"a=b b=c a>c", "1. a = b, 2. c = b"},
		{"a>b c>d a?c a?d b?c b?d", "1. a = c, 2. b = d"},
		{"a>b c>d d>e a?c a?d a?e b?c b?d b?e", "1. a = c, 2. b = d, 3. e = b"},
		{"a?b a?c b?c", ""},
		{"a>b b>c c>a", ""}, // a contradiction
		{"a>b", "1. a, 2. b"},
		{"a=b", ""},
		{"", ""},
	} {
		var verdicts []record.Verdict
		for _, text := range strings.Fields(c.verdicts) {
			outcome := map[byte]record.Outcome{'>': record.Worse, '=': record.Equivalent, '?': record.Inconclusive}[text[1]]
			verdicts = append(verdicts, record.Verdict{Baseline: text[:1], Other: text[2:], Outcome: outcome})
		}
		var places []string
		for _, r := range orderOf([]string{"a", "b", "c", "d", "e"}, verdicts).ranks("tpcb-like") {
			places = append(places, fmt.Sprintf("%d. %s", r.Place, strings.Join(r.Environments, " = ")))
		}
		if got := strings.Join(places, ", "); got != c.want {
			t.Errorf("%s: %s, want %s", c.verdicts, got, c.want)
		}
	}
}

// TestOrderFollowsVerdicts checks that an environment never ranks above one that a verdict says is
// better, nor shares a place with it, whatever the other verdicts are.
func TestOrderFollowsVerdicts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := []string{"a", "b", "c", "d", "e", "f"}[:rapid.IntRange(2, 6).Draw(t, "environments")]
		agree := rapid.Bool().Draw(t, "agree")
		fastest := rapid.Permutation(names).Draw(t, "order")
		var verdicts []record.Verdict
		for i, baseline := range names {
			for _, other := range names[i+1:] {
				outcome := rapid.SampledFrom([]record.Outcome{
					record.Better, record.Worse, record.Equivalent, record.Inconclusive, record.Unfit, "",
				}).Draw(t, baseline+other)
				if better := outcome == record.Better; agree && (better || outcome == record.Worse) && better != (slices.Index(fastest, other) < slices.Index(fastest, baseline)) {
					outcome = record.Inconclusive
				}
				verdicts = append(verdicts, record.Verdict{Baseline: baseline, Other: other, Outcome: outcome})
			}
		}
		ranks := orderOf(names, verdicts).ranks("tpcb-like")
		first, last, before := map[string]int{}, map[string]int{}, 0
		for _, r := range ranks {
			if r.Place <= before || len(r.Environments) == 0 || before == 0 && r.Place != 1 {
				t.Fatalf("%+v", ranks)
			}
			before = r.Place
			for _, name := range r.Environments {
				if first[name] == 0 {
					first[name] = r.Place
				}
				last[name] = r.Place
			}
		}
		for _, v := range verdicts {
			better, worse := v.Other, v.Baseline
			switch v.Outcome {
			case record.Worse:
				better, worse = worse, better
			case record.Better:
			default:
				continue
			}
			switch {
			case ranks == nil && agree:
				t.Fatalf("%s is better than %s, and there is no ranking", better, worse)
			case ranks != nil && (first[better] == 0 || first[better] >= first[worse] || last[better] >= last[worse]):
				t.Fatalf("%s is better than %s: %+v", better, worse, ranks)
			}
		}
	})
}

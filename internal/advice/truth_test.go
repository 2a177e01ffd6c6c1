package advice

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestFalseDecisions: of experiments with four environments of which one is truly better by less than the noise
// shows, at most 5 % are decided for another one. With n experiments, the share may exceed that by chance; three
// standard deviations are allowed. The seed is fixed, so the result does not vary.
func TestFalseDecisions(t *testing.T) {
	const n, blocks = 300, 10
	random := rand.New(rand.NewPCG(25, 1))
	wrong, decided := 0, 0
	for range n {
		tps := values{}
		for name, mean := range map[string]float64{"a": 1001, "b": 1000, "c": 1000, "d": 1000} {
			for range blocks {
				tps[name] = append(tps[name], mean)
			}
		}
		for _, name := range []string{"a", "b", "c", "d"} {
			for i := range tps[name] {
				tps[name][i] *= math.Exp(0.1 * random.NormFloat64())
			}
		}
		in := input(t, "tpcb-like", "  a: {}\n  b: {}\n  c: {}\n  d: {}\n", tps)
		s, err := newStudy(in)
		if err != nil {
			t.Fatal(err)
		}
		c, why, err := s.choose(Rule{Rank: "metric"}, "tpcb-like", nil)
		if err != nil || why != "" {
			t.Fatal(why, err)
		}
		if c.Sure == Decided {
			if decided++; c.Environment != "a" {
				wrong++
			}
		}
	}
	if most := n*0.05 + 3*math.Sqrt(n*0.05*0.95); float64(wrong) > most {
		t.Errorf("%d of %d experiments were decided for the wrong environment", wrong, n)
	}
	t.Logf("%d decided, %d of them wrong", decided, wrong)
}

// TestFalseBetweenRecords: likewise for four environments in two records of machines that did not change.
func TestFalseBetweenRecords(t *testing.T) {
	const n, blocks = 200, 10
	random := rand.New(rand.NewPCG(25, 3))
	writing, err := FindRule("writes")
	if err != nil {
		t.Fatal(err)
	}
	wrong, likely := 0, 0
	for range n {
		tps := values{}
		for _, name := range []string{"a", "b", "c", "d"} {
			for range blocks {
				tps[name] = append(tps[name], map[bool]float64{true: 1001, false: 1000}[name == "a"]*math.Exp(0.1*random.NormFloat64()))
			}
		}
		studies, err := studied([]Input{
			named(t, "one", "tpcb-like", "  a: {}\n  b: {}\n", values{"a": tps["a"], "b": tps["b"]}),
			named(t, "two", "tpcb-like", "  c: {}\n  d: {}\n", values{"c": tps["c"], "d": tps["d"]}),
		})
		if err != nil {
			t.Fatal(err)
		}
		choices, err := groups(studies)[0].answer(writing)
		if err != nil || len(choices) != 1 {
			t.Fatal(choices, err)
		}
		if c := choices[0]; c.Sure != Open {
			if likely++; c.Environment != "a" {
				wrong++
			}
		}
	}
	if most := n*0.05 + 3*math.Sqrt(n*0.05*0.95); float64(wrong) > most {
		t.Errorf("%d of %d pairs of records were decided for the wrong environment", wrong, n)
	}
	t.Logf("%d likely, %d of them wrong", likely, wrong)
}

// TestTrueDecisions: a difference of several times the noise is decided for the right environment every time.
func TestTrueDecisions(t *testing.T) {
	random := rand.New(rand.NewPCG(25, 2))
	for range 30 {
		tps := values{}
		for i, name := range []string{"a", "b", "c"} {
			for range 10 {
				tps[name] = append(tps[name], 1000*math.Pow(1.3, float64(i))*math.Exp(0.02*random.NormFloat64()))
			}
		}
		c := only(t, advise(t, input(t, "tpcb-like", "  a: {}\n  b: {}\n  c: {}\n", tps)), "writes")
		if c.Environment != "c" || c.Sure != Decided {
			t.Fatalf("%+v", c)
		}
	}
}

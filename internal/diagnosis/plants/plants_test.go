package plants

import (
	"bytes"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"plinth/internal/diagnosis"
	"plinth/internal/experiment/decode"
	"plinth/internal/record"
)

// TestPlants checks that plants.yaml fits the experiments: each plant is in one, and names causes that exist.
func TestPlants(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]bool{}
	for _, name := range Experiments(all) {
		e, _, err := decode.Load(name+".yaml", nil)
		if err != nil {
			t.Fatal(err)
		}
		if e.Name != "plant-"+name || e.Repeats != 6 {
			t.Errorf("%s.yaml: name %s, %d repeats", name, e.Name, e.Repeats)
		}
		names := []string{}
		for _, env := range e.Environments {
			names = append(names, env.Name)
		}
		if len(names) == 1 {
			for _, w := range e.Workloads {
				names = append(names, w.Name)
			}
		}
		for _, p := range all {
			if p.Experiment != name {
				continue
			}
			kinds[p.Kind] = true
			if !slices.Contains(names, p.In) || p.Clean != "" && !slices.Contains(names, p.Clean) || len(p.Causes) == 0 {
				t.Errorf("%+v: the experiment has %s", p, names)
			}
			for _, cause := range p.Causes {
				if !diagnosis.Known(cause) {
					t.Errorf("%s, %s: there is no cause %s", name, p.In, cause)
				}
			}
		}
	}
	if len(kinds)-1 < 20 {
		t.Errorf("there are %d kinds of plants", len(kinds)-1)
	}
}

// TestKinds: plants that cost too little do not count, clean runs have a row of their own, and what came first
// instead is listed.
func TestKinds(t *testing.T) {
	judged := []Judged{
		{Plant: Plant{In: "a", Kind: "slow", Causes: []string{"wal-flush"}}, Runs: 6, Right: 5, Cost: 0.5, First: map[string]int{"wal-flush": 5, "cpu": 1}},
		{Plant: Plant{In: "b", Kind: "slow", Causes: []string{"wal-flush"}}, Runs: 6, Right: 0, Cost: 0.1, First: map[string]int{"cpu": 6}},
		{Plant: Plant{In: "c", Kind: "lock", Causes: []string{"lock"}}, Runs: 6, Right: 6, Cost: math.NaN(), First: map[string]int{"lock": 6}},
		{Plant: Plant{In: "clean", Causes: []string{"cpu"}}, Runs: 6, Right: 5, Cost: math.NaN(), First: map[string]int{"cpu": 4, "": 1, "lock": 1}},
	}
	kinds := Kinds(judged)
	if len(kinds) != 4 || kinds[0].Runs != 6 || kinds[0].Right != 5 || kinds[2].Kind != "clean" || kinds[3].Runs != 12 || kinds[3].Right != 11 {
		t.Errorf("%+v", kinds)
	}
	text := Markdown(judged)
	for _, want := range []string{
		"| slow | a | 6 | 50 % | 5 | 83 % | 44 to 97 % | cpu 1 |\n", "| lock | c | 6 |  | 6 | 100 % | 61 to 100 % |  |\n",
		"| clean |  | 6 |  | 5 | 83 % | 44 to 97 % | lock 1 |\n", "| all |  | 12 |  | 11 | 92 % |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in:\n%s", want, text)
		}
	}
}

// TestWilson compares intervals with published ones (Brown, Cai, DasGupta, "Interval Estimation for a Binomial
// Proportion", 2001, use the same formula).
func TestWilson(t *testing.T) {
	for _, c := range []struct {
		k, n      int
		low, high float64
	}{{0, 0, 0, 1}, {0, 10, 0, 0.2775}, {10, 10, 0.7225, 1}, {5, 10, 0.2366, 0.7634}, {95, 100, 0.8882, 0.9785}} {
		if low, high := Wilson(c.k, c.n); math.Abs(low-c.low) > 1e-3 || math.Abs(high-c.high) > 1e-3 {
			t.Errorf("%d of %d: %.4f to %.4f, want %.4f to %.4f", c.k, c.n, low, high, c.low, c.high)
		}
	}
}

// TestNumbers: a captured value keeps four digits, and a gap stays one.
func TestNumbers(t *testing.T) {
	var b bytes.Buffer
	in := []Captured{{Run: record.Run{Number: 3}, Columns: map[string][]number{"x": {12345.6, number(math.NaN()), 0, -0.000123456}}}}
	if err := Write(&b, in); err != nil {
		t.Fatal(err)
	}
	out, err := Read(&b)
	if err != nil || len(out) != 1 || out[0].Run.Number != 3 {
		t.Fatalf("%v, %v", out, err)
	}
	x := out[0].Columns["x"]
	if x[0] != 12350 || !math.IsNaN(float64(x[1])) || x[2] != 0 || math.Abs(float64(x[3])+0.0001235) > 1e-12 {
		t.Errorf("%v", x)
	}
}

// TestCaptured diagnoses captured runs of all plants that cost enough to count: the planted cause comes first.
func TestCaptured(t *testing.T) {
	file, err := os.Open("testdata/captured.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	runs, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for i := range runs {
		c := &runs[i]
		at := slices.IndexFunc(all, func(p Plant) bool { return p.Experiment == c.Experiment && p.In == c.In })
		if at < 0 {
			t.Errorf("%s has no plant %s", c.Experiment, c.In)
			continue
		}
		d := c.Diagnose()
		if len(d.Findings) == 0 || !slices.Contains(all[at].Causes, d.Findings[0].Cause) {
			t.Errorf("%s, %s: %s; want %s", c.Experiment, c.In, texts(d), all[at].Causes)
		}
	}
	if len(runs) < 40 {
		t.Errorf("%d runs were captured", len(runs))
	}
}

func texts(d diagnosis.Diagnosis) string {
	all := []string{d.Undivided}
	for _, f := range d.Findings {
		all = append(all, f.Cause+": "+f.Text)
	}
	return strings.Join(all, "; ")
}

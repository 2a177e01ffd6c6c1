// Package plants has experiments that plant causes, and judges whether a diagnosis of their runs names them.
package plants

import (
	"cmp"
	"embed"
	"fmt"
	"math"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"plinth/internal/diagnosis"
	"plinth/internal/record"
)

// Files holds the experiments, with the device models that they use, and plants.yaml.
//
//go:embed *.yaml device/*.yaml
var Files embed.FS

// Plant is an environment, or a workload, with a planted cause; without Kind, one without any.
type Plant struct {
	Experiment string   `yaml:"experiment"`
	In         string   `yaml:"in"`
	Kind       string   `yaml:"kind"`
	Causes     []string `yaml:"causes"` // of which one should come first
	Clean      string   `yaml:"clean"`  // the environment or workload of the experiment that it is compared with
}

// All returns all plants.
func All() ([]Plant, error) {
	text, err := Files.ReadFile("plants.yaml")
	if err != nil {
		return nil, err
	}
	var all []Plant
	if err := yaml.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("plants.yaml: %w", err)
	}
	return all, nil
}

// Experiments returns the names of the experiments, in the order of plants.yaml.
func Experiments(all []Plant) (names []string) {
	for _, p := range all {
		if !slices.Contains(names, p.Experiment) {
			names = append(names, p.Experiment)
		}
	}
	return names
}

// costs is the loss of throughput from which a plant counts.
const costs = 0.2

// Judged is a plant with what was found in its runs.
type Judged struct {
	Plant
	Runs  int
	Cost  float64        // of throughput: 0.3 is 30 % less; NaN without anything to compare with
	First map[string]int // how often each cause came first; "" is none
	Right int
	Fell  []float64 // the seconds in which throughput fell, of the runs in which it did
	// Share is the share of the response time that the planted causes were found to take, less what they took
	// of it where nothing was planted. In a closed loop it should be Cost.
	Share float64
}

// Off is by how much the share that was found differs from the one that was planted; NaN without anything to
// compare with.
func (j Judged) Off() float64 { return j.Share - j.Cost }

// Counts reports whether the plant costs enough to count.
func (j Judged) Counts() bool { return j.Runs > 0 && (math.IsNaN(j.Cost) || j.Cost >= costs) }

// Judge diagnoses the runs of records.
func Judge(all []Plant, records []*record.Record) ([]Judged, error) {
	var judged []Judged
	for _, p := range all {
		j := Judged{Plant: p, Cost: math.NaN(), First: map[string]int{}}
		var tps, clean, share, before []float64
		for _, rec := range records {
			for i := range rec.Runs {
				run := &rec.Runs[i]
				switch {
				case p.Clean != "" && p.in(p.Clean, rec, run):
					clean = append(clean, run.Result.TPS)
					d, err := diagnosis.OfRun(rec, run)
					if err != nil {
						return nil, err
					}
					before = append(before, p.share(d))
				case p.Has(rec, run):
					tps = append(tps, run.Result.TPS)
					d, err := diagnosis.OfRun(rec, run)
					if err != nil {
						return nil, err
					}
					share = append(share, p.share(d))
					j.judge(d)
				}
			}
		}
		if p.Clean != "" && len(tps) > 0 && len(clean) > 0 {
			j.Cost = 1 - mean(tps)/mean(clean)
			j.Share = mean(share) - mean(before)*mean(tps)/mean(clean)
		}
		judged = append(judged, j)
	}
	return judged, nil
}

// Has reports whether a valid run of a record is one of the plant.
func (p Plant) Has(rec *record.Record, run *record.Run) bool { return p.in(p.In, rec, run) }

// in reports whether a valid run is in an environment, or of a workload, of the plant's experiment.
func (p Plant) in(name string, rec *record.Record, run *record.Run) bool {
	return rec.Summary.Name == "plant-"+p.Experiment && run.Status == record.Valid && (run.Environment == name || run.Workload == name)
}

// share returns the share of the planted causes.
func (p Plant) share(d diagnosis.Diagnosis) (of float64) {
	for _, f := range d.Findings {
		if slices.Contains(p.Causes, f.Cause) {
			of += f.Share
		}
	}
	return of
}

// judge counts what was found in one run.
func (j *Judged) judge(d diagnosis.Diagnosis) {
	first := ""
	if len(d.Findings) > 0 {
		first = d.Findings[0].Cause
	}
	j.Runs++
	j.First[first]++
	if slices.Contains(j.Causes, first) || j.Kind == "" && first == "" {
		j.Right++
	}
	if d.Cliff != nil {
		j.Fell = append(j.Fell, d.Cliff.Second)
	}
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// Kind sums up the plants of a kind that count.
type Kind struct {
	Kind  string
	Runs  int
	Right int
	First map[string]int
}

// Names of the rows that are no kind of plants.
const (
	noKind   = "clean"
	allKinds = "all"
)

// Kinds sums up judged plants by kind. The last one has all kinds together, and the one before it those that
// are clean.
func Kinds(judged []Judged) (kinds []Kind) {
	all, clean := Kind{Kind: allKinds, First: map[string]int{}}, Kind{Kind: noKind, First: map[string]int{}}
	for _, j := range judged {
		if !j.Counts() && j.Kind != "" {
			continue
		}
		if j.Kind == "" {
			clean.add(j)
			continue
		}
		at := slices.IndexFunc(kinds, func(k Kind) bool { return k.Kind == j.Kind })
		if at < 0 {
			at = len(kinds)
			kinds = append(kinds, Kind{Kind: j.Kind, First: map[string]int{}})
		}
		kinds[at].add(j)
		all.add(j)
	}
	return append(kinds, clean, all)
}

func (k *Kind) add(j Judged) {
	k.Runs += j.Runs
	k.Right += j.Right
	for cause, n := range j.First {
		k.First[cause] += n
	}
}

// Wilson returns the 95 % interval of a share of k in n (Wilson, "Probable Inference, the Law of Succession, and
// Statistical Inference", 1927).
func Wilson(k, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	const z = 1.959964
	p, m := float64(k)/float64(n), float64(n)
	middle := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return max(0, middle-half), min(1, middle+half)
}

// Markdown is the confusion table of judged plants.
func Markdown(judged []Judged) string {
	var b strings.Builder
	b.WriteString("| kind | plants | runs | cost | first in | share | 95 % | first otherwise |\n|---|---|---:|---:|---:|---:|---:|---|\n")
	for _, k := range Kinds(judged) {
		low, high := Wilson(k.Right, k.Runs)
		share := float64(k.Right) / float64(max(1, k.Runs))
		names, costs, otherwise := k.members(judged)
		fmt.Fprintf(&b, "| %s | %s | %d | %s | %d | %.0f %% | %.0f to %.0f %% | %s |\n", k.Kind, strings.Join(names, ", "), k.Runs,
			strings.Join(costs, ", "), k.Right, 100*share, 100*low, 100*high, otherwise)
	}
	return b.String()
}

// members returns the plants of a kind, what each costs, and what came first where the plant did not.
func (k Kind) members(judged []Judged) (names, costs []string, otherwise string) {
	if k.Kind == allKinds {
		return nil, nil, ""
	}
	right := map[string]bool{}
	for _, j := range judged {
		if cmp.Or(j.Kind, noKind) != k.Kind || !j.Counts() && j.Kind != "" {
			continue
		}
		for _, c := range j.Causes {
			right[c] = true
		}
		if j.Kind == "" {
			continue
		}
		names = append(names, j.In)
		if !math.IsNaN(j.Cost) {
			costs = append(costs, fmt.Sprintf("%.0f %%", 100*j.Cost))
		}
	}
	return names, costs, misses(k, right)
}

// misses lists what came first where the plant did not.
func misses(k Kind, right map[string]bool) string {
	type miss struct {
		cause string
		n     int
	}
	var all []miss
	for cause, n := range k.First {
		if !right[cause] && (cause != "" || k.Kind != noKind) {
			all = append(all, miss{cmp.Or(cause, "nothing"), n})
		}
	}
	slices.SortFunc(all, func(a, b miss) int { return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.cause, b.cause)) })
	var texts []string
	for _, m := range all {
		texts = append(texts, fmt.Sprintf("%s %d", m.cause, m.n))
	}
	return strings.Join(texts, ", ")
}

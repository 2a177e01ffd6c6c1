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
	Falls      bool     `yaml:"falls"`  // whether throughput falls in the middle of the run
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
	// Fell holds the seconds in which throughput was found to fall, and Late by how much they are later than what
	// made it fall: NaN if no fall was found.
	Fell, Late []float64
	// Share is the share of the response time that the planted causes were found to take, less what was there of it
	// where nothing was planted: of the parts that they took whole, whatever took these there; of others, what they
	// took there.
	Share float64
	// Off is by how much that differs from what the plant costs in the time that was divided: in a closed loop they
	// are equal. It is NaN without anything to compare with.
	Off float64
}

// Counts reports whether the plant costs enough to count.
func (j Judged) Counts() bool { return j.Runs > 0 && (math.IsNaN(j.Cost) || j.Cost >= costs) }

// Judge diagnoses the runs of records.
func Judge(all []Plant, records []*record.Record) ([]Judged, error) {
	var judged []Judged
	for _, p := range all {
		j := Judged{Plant: p, Cost: math.NaN(), Off: math.NaN(), First: map[string]int{}}
		planted, err := p.diagnosed(p.In, records)
		if err != nil {
			return nil, err
		}
		for _, d := range planted {
			j.judge(d)
		}
		if p.Clean != "" {
			clean, err := p.diagnosed(p.Clean, records)
			if err != nil {
				return nil, err
			}
			j.compare(planted, clean)
		}
		judged = append(judged, j)
	}
	return judged, nil
}

// diagnosed is a run with its diagnosis.
type diagnosed struct {
	diagnosis.Diagnosis
	run *record.Run
}

// divided returns the throughput in the time that was divided.
func (d diagnosed) divided() float64 {
	if d.Division == nil {
		return d.run.Result.TPS
	}
	return d.Division.TPS
}

// began returns the second in which what makes throughput fall began.
func (d diagnosed) began() float64 {
	for _, e := range d.run.Events {
		return e.At
	}
	for _, b := range d.run.Bursts {
		if b.Ended != nil {
			return *b.Ended
		}
	}
	if c := d.run.Credits; c != nil && c.Ended != nil {
		return *c.Ended
	}
	return math.NaN()
}

// diagnosed diagnoses the valid runs in an environment, or of a workload, of the plant's experiment.
func (p Plant) diagnosed(name string, records []*record.Record) (all []diagnosed, err error) {
	for _, rec := range records {
		for i := range rec.Runs {
			if run := &rec.Runs[i]; p.in(name, rec, run) {
				d, err := diagnosis.OfRun(rec, run)
				if err != nil {
					return nil, err
				}
				all = append(all, diagnosed{d, run})
			}
		}
	}
	return all, nil
}

// compare computes what the plant costs, and the share that was found of it.
func (j *Judged) compare(planted, clean []diagnosed) {
	tps := func(all []diagnosed) float64 { return over(all, func(d diagnosed) float64 { return d.run.Result.TPS }) }
	j.Cost = 1 - tps(planted)/tps(clean)
	// Where throughput falls in the middle, the time after that is diagnosed.
	left := over(planted, diagnosed.divided) / over(clean, diagnosed.divided)
	j.Share = over(planted, func(d diagnosed) float64 { return j.share(d.Diagnosis) })
	for part, whole := range j.parts(planted) {
		j.Share -= left * over(clean, func(d diagnosed) float64 {
			if whole && d.Division != nil {
				return d.Division.Part(part).Share
			}
			return j.of(part, d.Diagnosis)
		})
	}
	j.Off = j.Share - (1 - left)
}

// parts returns the parts that the planted causes were found to take, and whether they took all of them.
func (p Plant) parts(planted []diagnosed) map[string]bool {
	whole := map[string]bool{}
	for _, d := range planted {
		for _, f := range d.Findings {
			for part := range f.Parts {
				if slices.Contains(p.Causes, f.Cause) {
					whole[part] = p.of(part, d.Diagnosis) > 0.95*d.Division.Part(part).Share
				}
			}
		}
	}
	return whole
}

// of returns the share of a part that the planted causes were found to take.
func (p Plant) of(part string, d diagnosis.Diagnosis) (of float64) {
	for _, f := range d.Findings {
		if slices.Contains(p.Causes, f.Cause) {
			of += f.Parts[part]
		}
	}
	return of
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
func (j *Judged) judge(d diagnosed) {
	first := ""
	if len(d.Findings) > 0 {
		first = d.Findings[0].Cause
	}
	j.Runs++
	j.First[first]++
	if slices.Contains(j.Causes, first) || j.Kind == "" && first == "" {
		j.Right++
	}
	late := math.NaN()
	if d.Cliff != nil {
		j.Fell = append(j.Fell, d.Cliff.Second)
		late = d.Cliff.Second - d.began()
	}
	if j.Falls {
		j.Late = append(j.Late, late)
	}
}

// over returns the mean of a value over runs; NaN if there are none.
func over(all []diagnosed, of func(diagnosed) float64) float64 {
	sum := 0.0
	for _, d := range all {
		sum += of(d)
	}
	return sum / float64(len(all))
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

// near is by how many seconds a fall may be found too early or too late.
const near = 2

// Falls returns in how many runs throughput falls in the middle, and in how many of them the second was found.
func Falls(judged []Judged) (found, runs int) {
	for _, j := range judged {
		for _, late := range j.Late {
			runs++
			if math.Abs(late) <= near {
				found++
			}
		}
	}
	return found, runs
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
	found, runs := Falls(judged)
	low, high := Wilson(found, runs)
	fmt.Fprintf(&b, "\nThroughput falls in the middle of %d runs; the second was found to within %d in %d (%.0f to %.0f %%).\n", runs, near, found, 100*low, 100*high)
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

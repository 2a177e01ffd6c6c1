// Package diagnosis says what binds a run: what its transactions spent their time on, why, since when,
// and what to try. It reads records only.
//
// The response time is divided first (package share). Each rule then claims the parts of it that its
// cause explains, with evidence, or says why it is not the cause. Rules run from the specific to the
// general: what no rule claims is not explained, and is said to be so. If throughput fell for good within
// the window, what comes after the fall is diagnosed, and compared with what came before.
package diagnosis

import (
	"cmp"
	"math"
	"slices"

	"plinth/internal/diagnosis/share"
	"plinth/internal/figure/window"
	"plinth/internal/host"
	"plinth/internal/record"
)

// Schema is the schema of the JSON of a diagnosis.
const Schema = "plinth/diagnosis/v1"

// Input holds what a diagnosis is made from.
type Input struct {
	Run         *record.Run
	Points      record.Points
	Environment record.Environment
	Inventory   *host.Inventory // of the machine; nil if it is not known
}

// Diagnosis describes where the time of a run's transactions went, and why.
type Diagnosis struct {
	Division *share.Division `json:"division,omitempty"`
	// Undivided is why there is no Division.
	Undivided string `json:"undivided,omitempty"`
	// Cliff is where throughput fell; nil if it did not. If it lasted, for long enough to be divided, Division
	// and Findings are of the seconds from From on, and Before is the division of the time before it.
	Cliff  *Cliff          `json:"cliff,omitempty"`
	From   float64         `json:"from_s,omitempty"`
	Before *share.Division `json:"before,omitempty"`
	// Findings are the causes by their share of the response time. Of a fall of throughput that lasts, or that cost a tenth
	// of the transactions of the window, the one that explains most comes first. The work that all transactions need counts
	// a third of its share.
	Findings []Finding `json:"findings"`
	// Unclaimed is the share of the response time that no finding explains.
	Unclaimed float64 `json:"unclaimed"`
	// Headroom holds the resources with a known limit, the most used first.
	Headroom []Headroom `json:"headroom"`
	// Considered are the causes that were examined and are not there, with the reason.
	Considered []Reason `json:"considered"`
	// Skipped are the causes that could not be examined, with the reason.
	Skipped []Reason `json:"skipped"`
}

// Finding is a cause that was found.
type Finding struct {
	Cause string  `json:"cause"` // "wal-flush"
	Title string  `json:"title"`
	Text  string  `json:"text"`    // what was seen, with numbers
	Share float64 `json:"share"`   // of the response time
	Time  float64 `json:"time_ns"` // for each transaction
	// Most is the throughput without it, if nothing else sets a limit first: an upper bound. It is 0 in an open loop, where
	// the load does not depend on the response time, and if nearly all of the time is its.
	Most float64 `json:"tps_without,omitempty"`
	// Fall is the share that it explains of what transactions needed longer after a fall of throughput.
	Fall float64 `json:"fall,omitempty"`
	// From is the second in which it began, and Seconds for how many it was seen; absent for the whole window.
	From     *float64   `json:"from_s,omitempty"`
	Seconds  int        `json:"seconds,omitempty"`
	Basis    Basis      `json:"basis"`
	Evidence []Evidence `json:"evidence"`
	Try      []Try      `json:"try"`

	// Parts are the shares of the response time that make up Share, by part.
	Parts map[string]float64 `json:"parts"`

	usual bool
}

// weight returns a share as findings are ordered by it. The work that all transactions need comes first only if it
// is three times as large as whatever holds them up: with one second of five in which nothing ends, the rest of the
// time is still the larger share, and not worth a look.
func (f Finding) weight(share float64) float64 {
	if f.usual {
		return share / 3
	}
	return share
}

// Basis says how a finding follows from what was read.
type Basis string

// The bases of findings.
const (
	Counted    Basis = "counted"    // from counters, and limits that are known
	Sampled    Basis = "sampled"    // from what sessions were seen waiting for
	Correlated Basis = "correlated" // it happened at the same time
)

// Evidence is a value that a finding follows from.
type Evidence struct {
	Metric  string  `json:"metric"` // a column or a figure of the run
	Value   float64 `json:"value"`
	Unit    string  `json:"unit"`
	Against float64 `json:"against,omitempty"` // what the value is compared with, in the same unit
	Of      string  `json:"of,omitempty"`      // what that is: "model of gp3, without bursts"
}

// Reason is why a cause is not a finding.
type Reason struct {
	Cause string `json:"cause"`
	Title string `json:"title"`
	Why   string `json:"why"`
}

// Headroom is how much of a resource is left.
type Headroom struct {
	Resource string  `json:"resource"` // "cpu"
	Use      float64 `json:"use"`      // of the limit
	Limit    float64 `json:"limit"`
	Unit     string  `json:"unit"`
	From     string  `json:"limit_from"` // where the limit is known from
}

// Times is how often the load would fit into the resource.
func (h Headroom) Times() float64 { return 1 / h.Use }

// undividedImport is why an imported run cannot be divided.
const undividedImport = "it is imported, and its files do not say how many sessions were active and how much CPU time they used; plinth show --run has what they say"

// nearlyAll is the share of the response time above which a bound of the throughput without it says nothing.
const nearlyAll = 0.99

// least is the smallest share of the response time that is a finding.
const least = 0.05

// Of diagnoses a run.
func Of(in Input) Diagnosis { return of(in, share.Fewest) }

// of diagnoses a run of which at least so many seconds are known.
func of(in Input, fewest int) Diagnosis {
	d := Diagnosis{Findings: []Finding{}, Headroom: []Headroom{}, Considered: []Reason{}, Skipped: []Reason{}}
	w := window.New(in.Run, in.Points)
	timeline, why := share.Of(w, in.Environment)
	if why != "" && in.Environment.Basis() == record.BasisImported {
		why = undividedImport
	}
	if why != "" {
		d.Undivided = why
		timeline = &share.Timeline{}
	}
	from := d.cliff(w, timeline, fewest)
	d.From = from
	o := observe(in, timeline, from, w)
	d.Headroom = append(d.Headroom, o.headroom()...)
	if d.Undivided == "" {
		division, why := timeline.Divide(from, math.Inf(1), fewest)
		if d.Undivided = why; why == "" {
			o.divided(division)
			d.Division = &division
		}
	}
	for _, r := range rulesOf(in.Environment.Server) {
		d.apply(o, r)
	}
	matters := d.From > 0 || d.Cliff != nil && d.Cliff.lost() >= deep
	slices.SortStableFunc(d.Findings, func(a, b Finding) int {
		byFall := 0
		if matters {
			byFall = cmp.Compare(b.weight(b.Fall), a.weight(a.Fall))
		}
		return cmp.Or(byFall, cmp.Compare(b.weight(b.Share), a.weight(a.Share)))
	})
	d.Unclaimed = o.unclaimed()
	return d
}

// apply applies a rule, and takes what it claims off what is left.
func (d *Diagnosis) apply(o *observation, r rule) {
	if lack := o.lacks(r); lack != "" {
		d.Skipped = append(d.Skipped, Reason{r.name, r.Title, lack})
		return
	}
	c := r.examine(o)
	switch {
	case c.skip != "":
		d.Skipped = append(d.Skipped, Reason{r.name, r.Title, c.skip})
		return
	case c.not != "":
		d.Considered = append(d.Considered, Reason{r.name, r.Title, c.not})
		return
	}
	sessions := min(o.worth(c.claims), o.division.InFlight) // more where a time counts twice
	of := sessions / o.division.InFlight
	if of < least {
		d.Considered = append(d.Considered, Reason{r.name, r.Title, "it explains " + percent(of) + " of the response time"})
		return
	}
	f := Finding{
		Cause: r.name, Title: r.Title, Text: c.text, Share: of, Time: sessions / o.division.TPS * 1e9,
		Basis: r.Basis, usual: r.Usual || c.usual, Evidence: append([]Evidence{}, c.evidence...), Try: o.applicable(r.Try),
		Parts: map[string]float64{},
	}
	for part, fraction := range c.claims {
		if v := fraction * o.left[part]; v > 0 {
			f.Parts[part] = v / o.division.InFlight
		}
	}
	if c.basis != "" {
		f.Basis = c.basis
	}
	f.From, f.Seconds = o.when(c.claims)
	if c.during != nil {
		f.From, f.Seconds = c.during.from, c.during.seconds
	}
	if d.Cliff != nil {
		f.Fall = o.fall(*d.Cliff, c)
	}
	if o.Run.Result.Loop == "closed" && of < nearlyAll {
		f.Most = o.division.TPS / (1 - of)
	}
	o.take(c.claims)
	d.Findings = append(d.Findings, f)
}

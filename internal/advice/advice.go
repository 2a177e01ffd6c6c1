package advice

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"plinth/internal/cost"
	"plinth/internal/experiment"
	"plinth/internal/price"
	"plinth/internal/record"
	"plinth/internal/unit"
)

// Schema is the schema of an Advice as JSON.
const Schema = "plinth/advice/v1"

// Input holds what advice is given from.
type Input struct {
	Record *record.Record
	// Experiment is that of the record, with costs that were added to it.
	Experiment *experiment.Experiment
	Books      cost.Books
	// Candidates are disks that were not measured. They are listed beside the answers, and never chosen.
	Candidates []cost.Candidate
	P99        time.Duration // limit of the p99; 0 for none
	Budget     float64       // most that a month may cost; 0 for none
	// Thresholds replace those of resources, by figure.
	Thresholds map[string]float64
	Now        time.Time // for the age of prices
	// Parity returns notes on undeclared differences between two environments. It is needed for several records.
	Parity func(a, b record.Environment) []record.Note
}

// Advice holds what one record advises.
type Advice struct {
	Record     string       `json:"record"`
	Question   string       `json:"question,omitempty"`
	Currency   string       `json:"currency"`
	Engine     string       `json:"engine"`
	Answers    []Answer     `json:"answers"`
	Unanswered []Unanswered `json:"unanswered"`
	Mistakes   []Mistake    `json:"mistakes"`
	Binds      []Binding    `json:"binds"`
	Headroom   []Headroom   `json:"headroom"`
	Options    []Option     `json:"options"`
	Next       []Next       `json:"next"`
	Predicted  []Predicted  `json:"predicted,omitempty"` // disks that were not measured, beside the answers
	Assumed    []string     `json:"assumed,omitempty"`   // by those predictions
	Refused    []string     `json:"refused,omitempty"`   // what is not predicted
	Weakens    []string     `json:"weakens"`             // what weakens the numbers
}

// Answer is the answer to the question of a rule.
type Answer struct {
	Rule
	Choices []Choice `json:"choices"` // one for each workload or policy
}

// Unanswered is a rule without an answer, or without one for some of the workloads.
type Unanswered struct {
	Rule
	Why string `json:"why"`
}

// Certainty says how sure a choice is.
type Certainty string

// The certainties.
const (
	Decided Certainty = "decided" // verdicts separate it from all others
	Alike   Certainty = "alike"   // at least one other is as good within the margin, and not known to be dearer
	Open    Certainty = "open"    // at least one other environment may be as good
	Alone   Certainty = "alone"   // no other environment meets the conditions
	// Likely says that verdicts separate it from all others, but some of them compare two records: the machine may have changed between them.
	Likely Certainty = "likely"
	// Uncompared is a choice beside that of another record that cannot be compared with it.
	Uncompared Certainty = "not compared"
)

// Choice is the environment to take for a workload.
type Choice struct {
	Workload    string    `json:"workload"`
	Environment string    `json:"environment"`
	Basis       string    `json:"basis"` // measured, emulated, imported
	Sure        Certainty `json:"sure"`
	// If limits the choice: "up to 2 s lost".
	If string `json:"if,omitempty"`
	// Metric names the metric by which the environments are compared; Value is its mean.
	Metric  string       `json:"metric"`
	Value   float64      `json:"value"`
	TPS     cost.Range   `json:"tps"`
	P99     cost.Range   `json:"p99_ns"`
	Month   price.Amount `json:"month"`
	Million cost.Range   `json:"per_million_transactions"`
	Rivals  []Rival      `json:"rivals"` // the best first
	Out     []Out        `json:"left_out"`
	Notes   []string     `json:"notes,omitempty"`
	Change  []string     `json:"would_change"` // what would change the choice

	loss    float64 // most seconds that may be lost, where If says so
	perhaps bool    // an interval does not decide whether it meets the conditions
}

// Rival is an environment that was not chosen.
type Rival struct {
	Environment string       `json:"environment"`
	Value       float64      `json:"value"`
	Month       price.Amount `json:"month"`
	Million     cost.Range   `json:"per_million_transactions"`
	// Verdict compares it with the chosen environment; its workload is "" if there is none.
	Verdict  record.Verdict `json:"verdict,omitzero"`
	Sentence string         `json:"sentence,omitempty"`
	Standing string         `json:"standing"` // see below
}

// The standings of rivals.
const (
	Less    = "less"    // a verdict says that it does less, or costs more for it
	Same    = "same"    // as good within the margin, and not cheaper
	Unknown = "unknown" // no verdict separates it from the chosen one
)

// Out is an environment that does not meet a condition of a rule.
type Out struct {
	Environment string `json:"environment"`
	Why         string `json:"why"`
	// Maybe says that the interval does not decide whether it meets the condition.
	Maybe bool `json:"maybe,omitempty"`
}

// Of returns what a record advises.
func Of(in Input) (*Advice, error) {
	s, err := newStudy(in)
	if err != nil {
		return nil, err
	}
	return s.advise()
}

func (s *study) advise() (*Advice, error) {
	a := &Advice{
		Record: s.sheet.Record, Question: s.Record.Summary.Question, Currency: s.sheet.Currency, Engine: s.Record.Summary.Engine,
		Answers: []Answer{}, Unanswered: []Unanswered{}, Mistakes: []Mistake{}, Binds: []Binding{}, Headroom: []Headroom{}, Options: []Option{}, Next: []Next{},
	}
	for _, r := range Rules() {
		if s.leaves(r) {
			continue
		}
		choices, why, err := s.answer(r)
		if err != nil {
			return nil, fmt.Errorf("cannot answer %s: %w", r.Name, err)
		}
		if len(choices) > 0 {
			a.Answers = append(a.Answers, Answer{s.titled(r), choices})
		}
		if why != "" {
			a.Unanswered = append(a.Unanswered, Unanswered{s.titled(r), why})
		}
	}
	a.Mistakes = append(a.Mistakes, s.mistakes()...)
	a.Binds = append(a.Binds, s.binds()...)
	a.Headroom = append(a.Headroom, s.headroom()...)
	a.Options = append(a.Options, s.options()...)
	a.Next = append(a.Next, s.next(a.Answers)...)
	a.Predicted = s.predicted(a.Answers)
	for _, p := range s.sheet.Predicted {
		a.Assumed = append(a.Assumed, p.Assumed...)
		for _, text := range p.Refused {
			a.Refused = append(a.Refused, p.Name+" under "+text)
		}
	}
	a.Assumed = slices.Compact(slices.Sorted(slices.Values(a.Assumed)))
	a.Weakens = s.weak()
	return a, nil
}

// titled returns a rule with the limits of the flags in its title.
func (s *study) titled(r Rule) Rule {
	budget, limit := strings.TrimSuffix(s.money(price.Amount(s.Budget)), ".00")+" a month", "p99 "+unit.Duration(s.P99).String()
	switch {
	case r.has("budget") && r.has("p99"):
		r.Title = budget + ", " + limit
	case r.has("budget"):
		r.Title = "within " + budget
	case r.has("p99"):
		r.Title = "p99 within " + unit.Duration(s.P99).String()
	}
	return r
}

// leaves reports whether a rule is left out because of the flags.
func (s *study) leaves(r Rule) bool {
	given := map[string]bool{"p99": s.P99 > 0, "budget": s.Budget > 0}
	for _, flag := range []string{"p99", "budget"} {
		if r.has(flag) && !given[flag] {
			return true
		}
	}
	return r.Unless != "" && given[r.Unless] || r.Of == policies && s.Record.Summary.Engine != experiment.EngineRedis
}

// weak returns what weakens all numbers. A text that holds for several environments names them all.
func (s *study) weak() []string {
	all := []string{}
	if s.picked {
		all = append(all, "these comparisons were not declared: each answer picks the best after its runs were seen (the criterion for decided allows for that)")
	}
	if slices.ContainsFunc(s.sheet.Environments, func(e cost.Environment) bool { return e.Basis == "emulated" && e.Bill.Machine }) {
		all = append(all, "the disks are emulated: CPUs and memory are those of the machine that ran them, not those of the billed instances")
	}
	if s.Record.Summary.State != record.Complete {
		all = append(all, "the experiment has not run to its end")
	}
	priced := slices.ContainsFunc(s.sheet.Rows, func(r cost.Row) bool { return r.Month.Known() })
	for _, note := range s.sheet.Notes {
		if priced || !strings.HasPrefix(note, "the bills ") { // without any bill, the answers that lack one say so
			all = append(all, note)
		}
	}
	names := map[string][]string{}
	var texts []string
	for _, n := range s.warnings {
		if _, known := names[n.Text]; !known {
			texts, names[n.Text] = append(texts, n.Text), []string{}
		}
		if n.Environment != "" && !slices.Contains(names[n.Text], n.Environment) {
			names[n.Text] = append(names[n.Text], n.Environment)
		}
	}
	for _, text := range texts {
		if len(names[text]) > 0 {
			slices.Sort(names[text])
			text = join(names[text]) + ": " + text
		}
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

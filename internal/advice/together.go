package advice

import (
	"cmp"
	"path/filepath"
	"slices"

	"plinth/internal/cost"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/price"
	"plinth/internal/record"
)

// All holds what several records advise: each one alone, and those of one engine together.
type All struct {
	Records  []*Advice   `json:"records"`
	Together []*Together `json:"together,omitempty"`
}

// Together is the guide over the environments of several records of one engine.
type Together struct {
	Records  []string       `json:"records"`
	Currency string         `json:"currency"`
	Engine   string         `json:"engine"`
	Answers  []SharedAnswer `json:"answers"`
	Weakens  []string       `json:"weakens"`
}

// SharedAnswer is the answer to the question of a rule over several records.
type SharedAnswer struct {
	Rule
	Choices []SharedChoice `json:"choices"`
}

// SharedChoice is the environment to take, of those of several records. Its rivals are those in its own record, and
// Sure heeds those in the others, too.
type SharedChoice struct {
	Record string `json:"record"`
	Label  string `json:"label"` // of the environment, with its record where another one has the same name
	Choice
	Between []Between `json:"between_records"`
	Apart   []Between `json:"not_compared"` // the choices of records that cannot be compared with this one
}

// Between compares a choice with an environment of another record, as plinth compare does: the two were measured one
// after the other.
type Between struct {
	Record      string         `json:"record"`
	Environment string         `json:"environment"`
	Label       string         `json:"label"`
	Value       float64        `json:"value"`
	Month       price.Amount   `json:"month"`
	Million     cost.Range     `json:"per_million_transactions"`
	Verdict     record.Verdict `json:"verdict,omitzero"`
	Sentence    string         `json:"sentence,omitempty"`
	Standing    string         `json:"standing"`
	Why         string         `json:"why,omitempty"` // why they cannot be compared

	of int // index of its record
}

// OfAll returns what records advise. Records are answered together if they have the same engine, and their prices the
// same currency.
func OfAll(ins []Input) (*All, error) {
	studies, err := studied(ins)
	if err != nil {
		return nil, err
	}
	all := &All{Records: []*Advice{}}
	for _, s := range studies {
		a, err := s.advise()
		if err != nil {
			return nil, err
		}
		all.Records = append(all.Records, a)
	}
	for _, g := range groups(studies) {
		t, err := g.advise()
		if err != nil {
			return nil, err
		}
		all.Together = append(all.Together, t)
	}
	return all, nil
}

func studied(ins []Input) ([]*study, error) {
	var all []*study
	for _, in := range ins {
		if slices.ContainsFunc(all, func(s *study) bool { return filepath.Clean(s.Record.Path) == filepath.Clean(in.Record.Path) }) {
			return nil, hint.Errorf("name each record once", "cannot compare record %s with itself", filepath.Base(in.Record.Path))
		}
		s, err := newStudy(in)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// group is several records that are answered together.
type group struct {
	studies  []*study
	names    []string // of the records; paths where two have the same name
	compared map[string]compared
	weakens  []string
}

// groups returns the groups of two or more records.
func groups(studies []*study) []*group {
	type key struct{ engine, currency string }
	var keys []key
	of := map[key]*group{}
	for _, s := range studies {
		k := key{s.Record.Summary.Engine, s.sheet.Currency}
		if of[k] == nil {
			keys, of[k] = append(keys, k), &group{compared: map[string]compared{}}
		}
		one := *s // its answers differ from those of the record alone
		one.beside = true
		of[k].studies = append(of[k].studies, &one)
	}
	var all []*group
	for _, k := range keys {
		if g := of[k]; len(g.studies) > 1 {
			g.name()
			all = append(all, g)
		}
	}
	return all
}

func (g *group) name() {
	for _, s := range g.studies {
		same := func(o *study) bool { return o != s && o.sheet.Record == s.sheet.Record }
		name := s.sheet.Record
		if slices.ContainsFunc(g.studies, same) {
			name = filepath.Clean(s.Record.Path)
		}
		g.names = append(g.names, name)
	}
}

// label returns the name of an environment, with its record where another one has an environment of that name.
func (g *group) label(of int, environment string) string {
	for i, s := range g.studies {
		if _, has := s.Record.Environments[environment]; has && i != of {
			return environment + " of " + g.names[of]
		}
	}
	return environment
}

func (g *group) advise() (*Together, error) {
	t := &Together{
		Records: g.names, Currency: g.studies[0].sheet.Currency, Engine: g.studies[0].Record.Summary.Engine, Answers: []SharedAnswer{},
		Weakens: []string{"between records, the machine may have changed: their runs were not interleaved, so drift of the machine is part of each difference"},
	}
	for _, r := range Rules() {
		choices, err := g.answer(r)
		if err != nil {
			return nil, err
		}
		if len(choices) > 0 {
			t.Answers = append(t.Answers, SharedAnswer{g.studies[0].titled(r), choices})
		}
	}
	t.Weakens = append(t.Weakens, g.weakens...)
	return t, nil
}

// leader is the choice of one record.
type leader struct {
	Choice
	of int // index of its record
}

// question identifies what leaders answer: of a workload, or for a number of seconds that may be lost.
type question struct {
	workload string // "" for all
	loss     float64
}

// answer answers a rule over all records that have an answer. One question has several choices if its records cannot
// be compared.
func (g *group) answer(r Rule) ([]SharedChoice, error) {
	var asked []question
	choices := make([][]Choice, len(g.studies))
	for i, s := range g.studies {
		if s.leaves(r) {
			return nil, nil // all have the same flags and the same engine
		}
		var err error
		if choices[i], _, err = s.answer(r); err != nil {
			return nil, err
		}
		for _, c := range choices[i] {
			if q := r.question(c); !slices.Contains(asked, q) {
				asked = append(asked, q)
			}
		}
	}
	slices.SortStableFunc(asked, func(a, b question) int {
		return cmp.Or(cmp.Compare(a.workload, b.workload), cmp.Compare(a.loss, b.loss))
	})
	var all []SharedChoice
	before := map[string]string{} // the choice for fewer seconds, by workload
	for _, q := range asked {
		for _, c := range g.choose(r, r.leaders(choices, q)) {
			if r.Of == policies {
				c.If = seconds(q.loss) + " lost"
			}
			if r.Of != policies || c.Sure == Uncompared || before[q.workload] != c.Label { // more seconds may gain nothing
				all = append(all, c)
			}
			before[q.workload] = c.Label
		}
	}
	return all, nil
}

// leaders returns the choice of each record that answers a question.
func (r Rule) leaders(choices [][]Choice, q question) []leader {
	var all []leader
	for i, of := range choices {
		last := -1
		for at, c := range of { // in the order of their losses: the last one within the limit performs best
			if p := r.question(c); p.workload == q.workload && p.loss <= q.loss {
				last = at
			}
		}
		if last >= 0 {
			all = append(all, leader{of[last], i})
		}
	}
	return all
}

func (r Rule) question(c Choice) question {
	if r.Of == mixed {
		return question{}
	}
	return question{c.Workload, c.loss}
}

// choose picks one of the leaders, and one more of those that cannot be compared with it.
func (g *group) choose(r Rule, leaders []leader) []SharedChoice {
	merit := func(l leader) float64 {
		m, _ := experiment.ParseMetric(l.Metric)
		return r.merit(m, l.Value, l.Month, l.Million)
	}
	slices.SortStableFunc(leaders, func(a, b leader) int {
		switch {
		case a.perhaps && !b.perhaps: // those that surely meet the conditions come first
			return 1
		case b.perhaps && !a.perhaps:
			return -1
		}
		return cmp.Or(cmp.Compare(merit(b), merit(a)), cmp.Compare(b.TPS.Value, a.TPS.Value))
	})
	rivals := -1
	for _, l := range leaders {
		rivals += 1 + len(l.Rivals)
	}
	var all []SharedChoice
	for rest := leaders; len(rest) > 0; {
		c := g.take(r, rest[0], leaders, rivals)
		// Another one may be as good for less, and means of several workloads have no order.
		for i := 1; r.byVerdict() && c.Sure == Open && i < len(rest); i++ {
			if o := g.take(r, rest[i], leaders, rivals); o.Sure == Likely || o.Sure == Alike {
				c = o
			}
		}
		all = append(all, c)
		rest = slices.DeleteFunc(slices.Clone(rest), func(l leader) bool {
			return !slices.ContainsFunc(c.Apart, func(b Between) bool { return b.of == l.of })
		})
	}
	return all
}

// take makes the choice of one leader, against the others and those in their records that may be as good as they are.
func (g *group) take(r Rule, best leader, leaders []leader, rivals int) SharedChoice {
	c := SharedChoice{
		Record: g.names[best.of], Label: g.label(best.of, best.Environment), Choice: best.Choice, Between: []Between{}, Apart: []Between{},
	}
	c.Change, c.Notes = slices.Clone(best.Change), slices.Clone(best.Notes)
	maybe := false
	for _, l := range leaders {
		if l.of == best.of {
			continue
		}
		b := g.against(r, best, l, l.Environment, rivals)
		if b.Why != "" {
			c.Apart = append(c.Apart, b)
			c.Change = append(c.Change, b.Label+" cannot be compared with it: "+b.Why)
			continue
		}
		if l.perhaps && !best.perhaps && b.Standing != Less {
			b.Standing = Unknown // it may not meet the conditions
		}
		c.Between = append(c.Between, b)
		for _, o := range l.Rivals {
			if o.Standing != Less {
				c.Between = append(c.Between, g.against(r, best, l, o.Environment, rivals))
			}
		}
		for _, o := range l.Out {
			if o.Maybe {
				maybe = true
				c.Change = append(c.Change, g.label(l.of, o.Environment)+": "+o.Why)
			}
		}
	}
	for _, b := range c.Between {
		if b.Standing == Unknown {
			c.Change = append(c.Change, "between records, no verdict separates it from "+b.Label)
		}
	}
	c.Sure = c.sure(r, rivals, maybe)
	return c
}

// sure returns how sure a choice is beside those of other records.
func (c SharedChoice) sure(r Rule, rivals int, maybe bool) Certainty {
	switch {
	case len(c.Apart) > 0:
		return Uncompared
	case c.Sure == Open, maybe, slices.ContainsFunc(c.Between, func(b Between) bool { return b.Standing == Unknown }):
		return Open
	case r.byVerdict() && slices.ContainsFunc(c.Rivals, func(o Rival) bool { return o.Standing == Less && !surely(o.Verdict, rivals) }):
		return Open // enough among the rivals of one record, but not among all
	case len(c.Between) == 0:
		return c.Sure
	case c.Sure == Alike, slices.ContainsFunc(c.Between, func(b Between) bool { return b.Standing == Same && !(b.Month > c.Month) }):
		return Alike
	}
	return Likely
}

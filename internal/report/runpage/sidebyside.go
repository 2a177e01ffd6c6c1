package runpage

import (
	"cmp"
	"io"
	"math"
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/output"
)

// SideBySideSchema is the schema of the JSON of two runs.
const SideBySideSchema = "plinth/side-by-side/v1"

// RunOf is a run and the record that it is in.
type RunOf struct {
	Record *record.Record
	Run    *record.Run
}

// SideBySide is two runs, step by step and as a whole.
type SideBySide struct {
	Schema string `json:"schema"`
	Every  int    `json:"every_s"`
	A      Side   `json:"a"`
	B      Side   `json:"b"`
	Steps  []Step `json:"steps"`
	Pairs  []Pair `json:"figures"` // those that differ most first

	a, b *Page
}

// Side says which run it is.
type Side struct {
	Record   string          `json:"record"`
	Path     string          `json:"path"`
	Cell     experiment.Cell `json:"cell"`
	Server   string          `json:"server,omitempty"`
	Status   record.Status   `json:"status"`
	Warnings []record.Note   `json:"warnings,omitempty"`
	Missing  string          `json:"points_missing,omitempty"`
}

// Step is both runs in the same part of their windows. TPS is the mean of its
// seconds, Change that of B against A.
type Step struct {
	End         float64 `json:"end_s"` // from the start of the window
	A           number  `json:"a_tps"`
	B           number  `json:"b_tps"`
	Change      number  `json:"change"` // b/a - 1
	Observation string  `json:"observation,omitempty"`

	of [2]*step // nil where a run has no such second
}

// WriteTwo writes two runs beside each other in one of RunFormats; csv has the
// steps.
func WriteTwo(w io.Writer, a, b RunOf, format string, opts Options) error {
	both := func() *SideBySide {
		return newSideBySide(newPage(a.Record, a.Run), newPage(b.Record, b.Run), opts.Every)
	}
	return output.Write(w, format, opts.Width, output.Forms{
		Document: func() (prose.Document, error) { return both().document(), nil },
		Table:    func() (prose.Table, error) { return both().fields(), nil },
		Value:    func() (any, error) { return both(), nil },
		Of:       "of a run",
	})
}

func newSideBySide(a, b *Page, every int) *SideBySide {
	if every == 0 {
		every = stepFor(slices.Concat(a.window.seconds, b.window.seconds))
	}
	s := &SideBySide{Schema: SideBySideSchema, Every: every, A: a.side(), B: b.side(), Steps: []Step{}, a: a, b: b}
	s.align(0, a)
	s.align(1, b)
	slices.SortFunc(s.Steps, func(x, y Step) int { return cmp.Compare(x.End, y.End) })
	movers := newMovers(a, b, s.Steps)
	for i := range s.Steps {
		s.Steps[i].measure(a, b)
		s.Steps[i].Observation = s.observation(s.Steps[i], movers.biggest(i))
	}
	s.Pairs = pairs(a, b)
	return s
}

func (p *Page) side() Side {
	return Side{Record: p.Record, Path: p.Path, Cell: p.Run.Cell, Server: p.Server, Status: p.Run.Status, Warnings: p.Run.Warnings, Missing: p.Missing}
}

// align puts the steps of one run where they end.
func (s *SideBySide) align(side int, p *Page) {
	at := map[float64]int{}
	for i, known := range s.Steps {
		at[known.End] = i
	}
	for _, found := range steps(p.window.seconds, s.Every, endOf(s.a.window, s.b.window)) {
		i, there := at[found.end]
		if !there {
			i = len(s.Steps)
			s.Steps = append(s.Steps, Step{End: found.end})
		}
		s.Steps[i].of[side] = &found
	}
}

func (s *Step) measure(a, b *Page) {
	mean := func(p *Page, at *step) float64 {
		if at == nil {
			return math.NaN()
		}
		return p.window.mean("tps", at.from, at.to)
	}
	x, y := mean(a, s.of[0]), mean(b, s.of[1])
	s.A, s.B, s.Change = number(x), number(y), number(math.NaN())
	if x > 0 {
		s.Change = number(y/x - 1)
	}
}

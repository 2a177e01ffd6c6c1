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

// RunOf is a run and its record.
type RunOf struct {
	Record *record.Record
	Run    *record.Run
}

// SideBySide compares two runs, step by step and as a whole.
type SideBySide struct {
	Schema string `json:"schema"`
	Every  int    `json:"every_s"`
	A      Side   `json:"a"`
	B      Side   `json:"b"`
	Steps  []Step `json:"steps"`
	Pairs  []Pair `json:"figures"` // the largest differences first

	a, b *Page
}

// Side identifies one of the two runs.
type Side struct {
	Record   string          `json:"record"`
	Path     string          `json:"path"`
	Cell     experiment.Cell `json:"cell"`
	Server   string          `json:"server,omitempty"`
	Basis    string          `json:"basis"` // of its numbers, as in record.Environment
	Status   record.Status   `json:"status"`
	Warnings []record.Note   `json:"warnings,omitempty"`
	Missing  string          `json:"points_missing,omitempty"`
}

// Step is the same part of both runs' windows. TPS is the mean of its seconds; Change is B
// relative to A.
type Step struct {
	End         float64 `json:"end_s"` // seconds from the start of the window
	A           number  `json:"a_tps"`
	B           number  `json:"b_tps"`
	Change      number  `json:"change"` // b/a - 1
	Observation string  `json:"observation,omitempty"`

	of [2]*step // nil for a run without these seconds
}

// WriteTwo writes two runs side by side in one of Formats; csv has the steps.
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
	return Side{Record: p.Record, Path: p.Path, Cell: p.Run.Cell, Server: p.Server, Basis: p.env.Basis(), Status: p.Run.Status, Warnings: p.Run.Warnings, Missing: p.Missing}
}

// align adds the steps of one run, matched by their end.
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

package searching

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"plinth/internal/prose"
	"plinth/internal/report/output"
	"plinth/internal/report/phrase"
	"plinth/internal/search"
	"plinth/internal/search/study"
	"plinth/internal/unit"
)

// WritePlan writes what a search would try, and how long it takes.
func WritePlan(w io.Writer, s *study.Study, format string, width int) error {
	return output.Write(w, format, width, output.Forms{
		Document: func() (prose.Document, error) { return plan(s), nil },
		Value: func() (any, error) {
			return struct {
				study.State
				Plan study.Plan `json:"plan"`
			}{s.State, s.Plan}, nil
		},
	})
}

func plan(s *study.Study) prose.Document {
	r := New(s.State)
	var d prose.Document
	d.Add(prose.Heading(r.Title()), prose.Paragraph(timing(s)))
	t := prose.WordTable{Columns: []prose.Column{{Title: "Change"}, {Title: "Begins with"}, {Title: "Tries"}}}
	for i, dim := range s.Space {
		var tries []string
		for level, l := range dim.Levels {
			if level != dim.Start && !s.Excludes(i, level) {
				tries = append(tries, l.Text)
			}
		}
		if tries != nil {
			t.Rows = append(t.Rows, []string{dim.Name, dim.Levels[dim.Start].Text, strings.Join(tries, "; ")})
		}
	}
	d.Add(t)
	d.Add(r.legend(func(string) bool { return true })...)
	d.Add(foreseen(s)...)
	if len(r.excluded()) > 0 {
		d.Add(prose.Heading("Not possible here"), prose.List(r.excluded()))
	}
	d.Add(r.notes()...)
	return d
}

func timing(s *study.Study) string {
	p := s.Plan
	rounds := max(1, int((s.For-p.Confirmation)/max(p.Round, 1)))
	text := fmt.Sprintf("About %s of up to %d runs, %s each, then %s for the confirmation against %s, with %d repeats or more.",
		phrase.Plural(rounds, "round"), p.Runs, unit.About(p.Round.Duration()), unit.About(p.Confirmation.Duration()), phrase.And(p.Against), p.Repeats)
	if len(p.NoTime) > 0 {
		text += fmt.Sprintf(" There is no time for %s.", phrase.And(p.NoTime))
	}
	return text
}

// foreseen says which risks the levels that would be tried have.
func foreseen(s *study.Study) []prose.Block {
	var lines []string
	for _, risk := range search.Risks {
		var names []string
		for i, d := range s.Space {
			for level, l := range d.Levels {
				if l.Risk == risk && !s.Excludes(i, level) && !slices.Contains(names, d.Name) {
					names = append(names, d.Name)
				}
			}
		}
		if names != nil {
			lines = append(lines, fmt.Sprintf("%s: %s (%s)", risk, risk.About(), strings.Join(names, ", ")))
		}
	}
	if lines == nil {
		return nil
	}
	return []prose.Block{prose.Heading("Risks of values that are tried, which runs do not show"), prose.List(lines), prose.Paragraph("--risks none leaves such values out.")}
}

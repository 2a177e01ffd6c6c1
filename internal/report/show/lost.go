package show

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
)

// AddLost lists the runs that are not valid and the omitted blocks. The name identifies the
// record if there are several.
func (s *Numbers) AddLost(d *prose.Document, name string) {
	if name != "" {
		name = "of " + name + " "
	}
	if len(s.NotValid) > 0 {
		d.Add(prose.Heading("Runs "+name+"that are not valid (not included above)"), prose.List(phrase.AtMost(byCause("run", s.lostRuns()))))
	}
	if len(s.LeftOut) > 0 {
		d.Add(prose.Heading("Blocks "+name+"left out"), prose.List(phrase.AtMost(byCause("block", s.lostBlocks))))
	}
}

func (s *Numbers) lostRuns() []incident {
	var lost []incident
	for _, r := range s.NotValid {
		var texts, rules []string
		for _, note := range r.Reasons {
			texts, rules = append(texts, note.Text), append(rules, note.Rule)
		}
		cause := strings.Join(texts, "; ")
		lost = append(lost, incident{
			Block: record.Block{Cell: r.Cell, Repeat: r.Repeat}, environment: r.Environment, fate: string(r.Status),
			cause: cause, rule: strings.Join(rules, "; "),
			line: fmt.Sprintf("run %d, %s, %s, repeat %d, %s: %s", r.Number, r.Environment, r.Cell, r.Repeat, r.Status, cause),
		})
	}
	return lost
}

// lostBlocks returns the blocks that are not counted, with their notes, which must be in the
// same order.
func lostBlocks(runs, counted []record.Run, notes []record.Note) []incident {
	var lost []incident
	apart := apartIn(runs)
	for _, block := range blocksOf(runs, counted) {
		if len(lost) == len(notes) { // of an import: its runs are counted one by one, without notes
			break
		}
		note := notes[len(lost)]
		_, cause, _ := strings.Cut(note.Text, fate+": ")
		i := incident{Block: block, fate: fate, cause: cause, rule: cause, line: phrase.Note(note)}
		if rule, known := apart[reason{block, cause}]; known {
			i.rule = rule
		}
		lost = append(lost, i)
	}
	return lost
}

// fate is the wording of record.Counted for an omitted block.
const fate = "left out in every environment"

// blocksOf returns the blocks that are not counted, in the order of record.Counted.
func blocksOf(runs, counted []record.Run) []record.Block {
	of := func(r record.Run) record.Block { return record.Block{Cell: r.Cell, Repeat: r.Repeat} }
	seen := map[record.Block]bool{}
	for _, r := range counted {
		seen[of(r)] = true
	}
	var blocks []record.Block
	for _, r := range runs {
		if b := of(r); !seen[b] {
			seen[b] = true
			blocks = append(blocks, b)
		}
	}
	slices.SortFunc(blocks, func(a, b record.Block) int {
		if a.Cell != b.Cell {
			return record.CompareCells(a.Cell, b.Cell)
		}
		return a.Repeat - b.Repeat
	})
	return blocks
}

// reason is the text of why a block is not counted.
type reason struct {
	block record.Block
	text  string
}

// apartIn returns the rules by which valid runs of a block were not comparable. The text of such a
// reason contains figures, so it does not identify the cause.
func apartIn(runs []record.Run) map[reason]string {
	rules := map[reason]string{}
	for _, r := range runs {
		if r.Beside == nil || len(r.Beside.Reasons) == 0 {
			continue
		}
		first := r.Beside.Reasons[0]
		key := reason{record.Block{Cell: r.Cell, Repeat: r.Repeat}, first.Text}
		if _, known := rules[key]; !known {
			rules[key] = first.Rule
		}
	}
	return rules
}

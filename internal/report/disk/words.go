package disk

import (
	"fmt"

	"plinth/internal/driver/fio"
	"plinth/internal/probe"
	"plinth/internal/prose"
	"plinth/internal/report/phrase"
)

func addSustained(d *prose.Document, r *probe.Result) {
	if len(r.Sustained) == 0 {
		return
	}
	var lines prose.List
	for _, s := range r.Sustained {
		lines = append(lines, sustainedWords(s))
	}
	d.Add(prose.Heading("Sustained load"), lines)
}

func sustainedWords(s probe.Sustained) string {
	rate := func(iops float64) string {
		if s.Pattern == fio.RandomRead || s.Pattern == fio.RandomWrite {
			return phrase.Count(iops) + " a second"
		}
		return phrase.Count(iops*float64(s.Block)/mebi) + " MiB/s"
	}
	what := fmt.Sprintf("%s, QD %d, for %d s", loadWords(s.Step), s.Depth, len(s.Seconds))
	if s.Cliff == 0 {
		return fmt.Sprintf("%s: %s, and no cliff in that time", what, rate(s.Baseline))
	}
	return fmt.Sprintf("%s: %s for %d s, then %s", what, rate(s.Burst), s.Cliff, rate(s.Baseline))
}

func noteList(notes []probe.Note) prose.List {
	var lines prose.List
	for _, n := range notes {
		text := n.Rule + ": " + n.Text
		if n.Hint != "" {
			text += "; " + n.Hint
		}
		lines = append(lines, text)
	}
	return lines
}

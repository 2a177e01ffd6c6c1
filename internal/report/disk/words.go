package disk

import (
	"fmt"
	"strconv"
	"strings"

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

func meaningList(r *probe.Result) prose.List {
	var lines prose.List
	for _, m := range r.Meaning {
		if m.Rule != probe.CommitsGrouped {
			lines = append(lines, meaningWords(m)+" ("+m.Assumes+")")
		}
		if m.Rule == probe.CommitsAlone {
			lines = append(lines, groupedWords(r.Meaning)...)
		}
	}
	return lines
}

// groupedWords merges the lines of all client counts.
func groupedWords(all []probe.Meaning) []string {
	var clients, commits []string
	assumes := ""
	for _, m := range all {
		if m.Rule == probe.CommitsGrouped {
			clients, commits, assumes = append(clients, strconv.Itoa(m.Clients)), append(commits, phrase.Count(m.Value)), m.Assumes
		}
	}
	if clients == nil {
		return nil
	}
	return []string{fmt.Sprintf("%s clients commit at most %s times a second, by group commit (%s)", strings.Join(clients, ", "), strings.Join(commits, ", "), assumes)}
}

func meaningWords(m probe.Meaning) string {
	switch m.Rule {
	case probe.CommitsAlone:
		return fmt.Sprintf("one client commits at most %s times a second", phrase.Count(m.Value))
	case probe.RandomPageCost:
		return fmt.Sprintf("random_page_cost = %g", m.Value)
	}
	return fmt.Sprintf("90 %% of the maximum read rate is reached with %.0f reads in flight", m.Value)
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

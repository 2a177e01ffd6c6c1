package durability

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
	"plinth/internal/report/show"
)

// Survived compares the acknowledged writes that environments kept, and the cost of their
// policies; nil without injected faults.
func Survived(survivals []record.Survival, numbers *show.Numbers) prose.Document {
	t := prose.Table{Keys: 1, Columns: []prose.Column{
		{Title: "Environment"}, {Title: "What happened"}, {Title: "Lost any", Right: true}, {Title: "Acknowledged", Right: true},
		{Title: "Lost, worst", Right: true}, {Title: "median", Right: true}, {Title: "Back, worst", Right: true}, {Title: "median", Right: true},
		{Title: "Answered after", Right: true},
	}}
	for _, s := range survivals {
		t.Rows = append(t.Rows, append([]string{s.Environment, faultWords(s.Durability)}, strikeCells(s.Durability)...))
	}
	if len(t.Rows) == 0 {
		return nil
	}
	d := prose.Document{prose.Heading("Durability")}
	if policies, there := policies(numbers, survivals); there {
		d.Add(policies)
	}
	d.Add(t)
	if failovers, there := failovers(survivals, numbers); there {
		d.Add(failovers)
	}
	d.Add(prose.Paragraph(faultMethod(survivals)), prose.Paragraph(noneLost(survivals)), prose.Paragraph(allLost(survivals)))
	return d
}

// allLost notes that a loss was limited by the test: writes go on for seconds only, while a
// policy that saves once an hour may lose an hour. It returns "" if every fault left some
// acknowledged writes.
func allLost(all []record.Survival) string {
	var names []string
	for _, s := range all {
		if slices.ContainsFunc(s.Injections, func(k record.Injection) bool { return k.Acknowledged > 0 && k.Found == 0 }) {
			names = append(names, s.Environment)
		}
	}
	if names == nil {
		return ""
	}
	return "No write survived a fault on " + strings.Join(names, ", ") +
		": the loss extends back to the first write, and would have been larger with a longer load."
}

func strikeCells(d record.Durability) []string {
	if d.Telling() == 0 {
		return []string{phrase.None, "0", phrase.None, phrase.None, phrase.None, phrase.None, phrase.None}
	}
	cells := []string{
		fmt.Sprintf("%d of %d", d.Lossy(), d.Telling()), phrase.Count(float64(d.Acknowledged())),
		phrase.Count(d.Worst(writesLost)), phrase.Count(d.Median(writesLost)),
	}
	for _, seconds := range []float64{d.Worst(secondsBack), d.Median(secondsBack)} {
		if d.Lost() == 0 {
			cells = append(cells, phrase.None)
			continue
		}
		cells = append(cells, phrase.Took(seconds))
	}
	if d.Answered() == 0 {
		return append(cells, phrase.None)
	}
	return append(cells, phrase.Took(d.Answered()))
}

// faultMethod describes how losses were measured.
func faultMethod(all []record.Survival) string {
	faults := map[string]bool{}
	for _, s := range all {
		faults[s.Fault] = true
	}
	var words []string
	if faults[experiment.FaultPowerCut] {
		words = append(words, "In a power cut emulated devices fail at once and lose writes that were not flushed.")
	}
	if faults[experiment.FaultKill] {
		words = append(words, "In a kill every process of the server ends at once (SIGKILL); the page cache survives.")
	}
	if faults[experiment.FaultDeletePod] {
		words = append(words, "In a pod deletion the primary's pod is deleted with a grace period of a second, in which the server may still answer.")
	}
	if faults[experiment.FaultDrain] {
		words = append(words, "In a drain the primary's node is cordoned and its pod evicted.")
	}
	if slices.ContainsFunc(all, func(s record.Survival) bool { return s.OnKubernetes() }) {
		words = append(words, "On Kubernetes a kill ends the primary's first process, and the connections kept writing through the fault, to the same address: "+
			"no write for is the longest time without an acknowledgement.")
	}
	return "Several connections made numbered writes until a random moment. " + strings.Join(words, " ") +
		" Acknowledged: writes that the server confirmed. Lost: acknowledged writes that were missing when a server answered again." +
		" Back: time from the acknowledgement of the first lost write to the last acknowledgement."
}

// noneLost explains how much may still be lost if nothing was; "" if every environment lost
// some.
func noneLost(all []record.Survival) string {
	bounds := map[int]float64{}
	for _, s := range all {
		if n := s.Telling(); n > 0 && s.Lost() == 0 {
			bounds[n] = s.Bound()
		}
	}
	var words []string
	for _, n := range slices.Sorted(maps.Keys(bounds)) {
		words = append(words, fmt.Sprintf("none in %d means that up to %.0f %% of such faults may still lose writes", n, math.Ceil(100*bounds[n]-0.5)))
	}
	if words == nil {
		return ""
	}
	text := strings.Join(words, ", ") + " (at 95 % confidence: the rule of three)."
	return strings.ToUpper(text[:1]) + text[1:]
}

// policies shows each environment's performance beside its losses: the cost of a persistence
// policy and its benefit. It returns false with several loads, or without injected faults.
func policies(numbers *show.Numbers, survivals []record.Survival) (t prose.Table, there bool) {
	if len(survivals) == 0 || !show.IsOneLoad(show.AllCells(numbers), numbers.Workloads) && len(show.AllCells(numbers)) != len(numbers.Environments) {
		return t, false
	}
	t = prose.Table{Keys: 1, Columns: []prose.Column{{Title: "Environment"}}}
	for _, w := range numbers.Workloads {
		for _, title := range []string{numbers.Words().Rate, "p99"} {
			t.Columns = append(t.Columns, prose.Column{Title: w.Label + " " + title, Right: true})
		}
	}
	for _, title := range []string{"Lost any", "Lost, worst", "median"} {
		t.Columns = append(t.Columns, prose.Column{Title: title, Right: true})
	}
	for _, e := range numbers.Environments {
		row := []string{e.Name}
		for _, w := range numbers.Workloads {
			load := e.LoadOf(w.Name)
			row = append(row, load[0], load[2])
		}
		t.Rows = append(t.Rows, append(row, lossCells(survivals, e.Name)...))
	}
	return t, true
}

// lossCells returns in how many faults an environment lost writes, and how many.
func lossCells(survivals []record.Survival, environment string) []string {
	at := slices.IndexFunc(survivals, func(s record.Survival) bool { return s.Environment == environment })
	if at < 0 || survivals[at].Telling() == 0 {
		return []string{phrase.None, phrase.None, phrase.None}
	}
	d := survivals[at].Durability
	return []string{fmt.Sprintf("%d of %d", d.Lossy(), d.Telling()), phrase.Count(d.Worst(writesLost)), phrase.Count(d.Median(writesLost))}
}

package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
)

// durability is what each environment kept of what it had acknowledged, one beside
// the other; nil where nothing was done to them.
func (f *Full) durability() prose.Document {
	t := prose.Table{Keys: 1, Columns: []prose.Column{
		{Title: "Environment"}, {Title: "What happened"}, {Title: "Lost any", Right: true}, {Title: "Acknowledged", Right: true},
		{Title: "Lost, worst", Right: true}, {Title: "median", Right: true}, {Title: "Back, worst", Right: true}, {Title: "median", Right: true},
		{Title: "Answered after", Right: true},
	}}
	struck := f.rec.Summary.Struck(f.rec.Summary.Baseline, f.Environments())
	for _, s := range struck {
		t.Rows = append(t.Rows, append([]string{s.Environment, faultWords(s.Durability)}, strikeCells(s.Durability)...))
	}
	if len(t.Rows) == 0 {
		return nil
	}
	d := prose.Document{prose.Heading("What survived")}
	if policies, there := f.policies(struck); there {
		d.Add(policies)
	}
	d.Add(t)
	d.Add(prose.Paragraph(struckMethod(struck)), prose.Paragraph(noneLost(struck)), prose.Paragraph(allLost(struck)))
	return d
}

// allLost says that a loss is as great as there was to lose, where it was: writes go on
// for seconds only, and a policy that saves once an hour loses an hour. "" where some of
// what was acknowledged was always there.
func allLost(all []record.Struck) string {
	var names []string
	for _, s := range all {
		if slices.ContainsFunc(s.Strikes, func(k record.Strike) bool { return k.Acknowledged > 0 && k.Found == 0 }) {
			names = append(names, s.Environment)
		}
	}
	if names == nil {
		return ""
	}
	return "Nothing at all was left after a strike on " + strings.Join(names, ", ") +
		": the loss reaches back as far as the writes did, and would have reached further had they gone on for longer."
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
		cells = append(cells, secondsOf(seconds))
	}
	return append(cells, secondsOf(d.Median(answeredAfter)))
}

// secondsOf is a time as people compare it: 0.19 s.
func secondsOf(s float64) string {
	switch {
	case s > 0 && s < 0.1:
		return fmt.Sprintf("%.1f ms", 1000*s)
	case s < 60:
		return fmt.Sprintf("%.2f s", s)
	}
	return time.Duration(s * float64(time.Second)).Round(time.Second).String()
}

// roughly is a time in a sentence: 12.3 s.
func roughly(s float64) string {
	if s < 0.1 {
		return secondsOf(s)
	}
	return fmt.Sprintf("%.1f s", s)
}

// struckMethod says how it was found.
func struckMethod(all []record.Struck) string {
	faults := map[string]bool{}
	for _, s := range all {
		faults[s.Fault] = true
	}
	var words []string
	if faults[experiment.FaultPowerCut] {
		words = append(words, "In a power cut emulated devices fail at once and lose what was not flushed to them.")
	}
	if faults[experiment.FaultKill] {
		words = append(words, "In a kill every process of the server ends at once (SIGKILL); what the kernel holds survives.")
	}
	return "Numbered writes went on over several connections until a random moment. " + strings.Join(words, " ") +
		" Acknowledged are the writes of which the server had said that they are done, lost those of them that were not there when a server answered again;" +
		" back is how long before the last acknowledgement the first of those had been acknowledged."
}

// noneLost says what it means that nothing was lost; "" where everybody lost some.
func noneLost(all []record.Struck) string {
	bounds := map[int]float64{}
	for _, s := range all {
		if n := s.Telling(); n > 0 && s.Lost() == 0 {
			bounds[n] = s.Bound()
		}
	}
	var words []string
	for _, n := range slices.Sorted(maps.Keys(bounds)) {
		words = append(words, fmt.Sprintf("none in %d means that up to %.0f %% of such strikes may lose some", n, math.Ceil(100*bounds[n]-0.5)))
	}
	if words == nil {
		return ""
	}
	text := strings.Join(words, ", ") + " (at 95 % confidence: the rule of three)."
	return strings.ToUpper(text[:1]) + text[1:]
}

// replicaProperties are those of the server that follows an environment's. Of its
// settings those that are not its primary's.
func replicaProperties(e record.Environment) []property {
	r := e.Replica
	if r == nil {
		return nil
	}
	all := []property{{"replica", strings.TrimSpace(r.Server + " " + r.Version)}}
	if r.Synchronous {
		all = append(all, property{"replica, commits wait for it", "yes"})
	}
	if l := r.Limits; l != nil {
		all = append(all, property{"CPUs of the replica", l.CPUs}, property{"memory of the replica", someBytes(l.Memory)})
	}
	for _, name := range slices.Sorted(maps.Keys(r.Settings)) {
		if !ownNames.MatchString(name) && r.Settings[name] != e.Settings[name] {
			all = append(all, property{"replica: " + name, r.Settings[name]})
		}
	}
	return all
}

package durability

import (
	"fmt"
	"maps"
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
)

// Lines returns the effect of the faults on each environment, losses first. It stands before
// any verdict: an environment that loses acknowledged writes is not better, however fast it is.
func Lines(all []record.Survival) prose.List {
	var lost, kept prose.List
	for _, s := range all {
		if s.Lost() > 0 {
			lost = append(lost, Line(s))
		} else {
			kept = append(kept, Line(s))
		}
	}
	return slices.Concat(lost, kept)
}

// Line describes the effect of the faults on one environment.
func Line(s record.Survival) string {
	who := s.Environment
	if s.Record != "" {
		who = s.Record + "/" + who
	}
	switch {
	case s.Lost() > 0:
		return who + ": LOST " + lossWords(s.Durability) + outageWords(s.Durability) + brokeWords(s.Durability)
	case s.Acknowledged() == 0:
		return who + ": no write was acknowledged before " + faultWords(s.Durability) + ", so its loss is unknown" + brokeWords(s.Durability)
	}
	if s.OnKubernetes() {
		return who + fmt.Sprintf(": kept all %s acknowledged writes in %s", phrase.Count(float64(s.Acknowledged())), faultWords(s.Durability)) +
			outageWords(s.Durability) + brokeWords(s.Durability)
	}
	took := s.Answered()
	answered := fmt.Sprintf("%.1f s", took)
	if took < 0.1 {
		answered = phrase.Took(took)
	}
	return who + fmt.Sprintf(": kept all %s acknowledged writes in %s, answered again after %s", phrase.Count(float64(s.Acknowledged())), faultWords(s.Durability), answered) +
		phrase.When(len(s.Injections) > 1, " (median)") + brokeWords(s.Durability)
}

// lossWords returns "8,422 of 9,000 acknowledged writes in a power cut", or for several faults
// "acknowledged writes in 18 of 20 power cuts: …".
func lossWords(d record.Durability) string {
	back := d.Worst(secondsBack)
	if len(d.Injections) == 1 {
		text := fmt.Sprintf("%s of %s acknowledged writes in %s", phrase.Count(float64(d.Lost())), phrase.Count(float64(d.Acknowledged())), faultWords(d))
		if back > 0 {
			text += fmt.Sprintf(", %s back", phrase.Took(back))
		}
		return text
	}
	text := fmt.Sprintf("acknowledged writes in %d of %s: worst %s, median %s",
		d.Lossy(), faultWords(d), phrase.Count(d.Worst(writesLost)), phrase.Count(d.Median(writesLost)))
	if back > 0 {
		text += fmt.Sprintf("; up to %s back", phrase.Took(back))
	}
	return text
}

// outageWords returns "; no write was acknowledged for 7.2 s; another pod took over", of faults on
// Kubernetes.
func outageWords(d record.Durability) string {
	if !d.OnKubernetes() {
		return ""
	}
	text := "; no write was acknowledged for " + seconds(d.Median(outage)) + phrase.When(len(d.Injections) > 1, " (median)")
	switch n := d.TookOver(); {
	case n > 0 && len(d.Injections) == 1:
		text += "; another pod took over"
	case n > 0:
		text += fmt.Sprintf("; another pod took over in %d of %d", n, len(d.Injections))
	}
	return text
}

// seconds returns an outage: a client that connects again is not exact to milliseconds.
func seconds(s float64) string { return fmt.Sprintf("%.1f s", s) }

func brokeWords(d record.Durability) string {
	if why := d.Broke(); why != "" {
		return "; it did NOT COME BACK: " + why
	}
	return ""
}

// faultWords returns "a power cut", "20 kills of both servers", "3 kills (its replica took over)".
func faultWords(d record.Durability) string {
	noun := d.FaultName()
	text := "a " + noun
	if len(d.Injections) != 1 {
		text = phrase.Plural(len(d.Injections), noun)
	}
	if d.Of == experiment.OfBoth {
		text += " of both servers"
	}
	if d.Recover == experiment.RecoverPromote {
		text += " (its replica took over)"
	}
	return text
}

// Values of injected faults, for Median and Worst.
func writesLost(s record.Injection) float64  { return float64(s.Lost()) }
func secondsBack(s record.Injection) float64 { return s.Back }
func outage(s record.Injection) float64      { return s.Outage }

// Losses returns a sentence for each environment that lost acknowledged writes, by name, for a
// list of records.
func Losses(of map[string]record.Durability) []string {
	var sentences []string
	for _, name := range slices.Sorted(maps.Keys(of)) {
		if of[name].Lost() > 0 {
			sentences = append(sentences, Line(record.Survival{Environment: name, Durability: of[name]})+".")
		}
	}
	return sentences
}

package runpage

import (
	"fmt"
	"strings"

	"plinth/internal/report/phrase"
)

// sentences sums up the run: throughput, variation, latency.
func (p *Page) sentences() string {
	r := p.Run.Result
	if r.Duration <= 0 {
		return "It has no result."
	}
	parts := []string{fmt.Sprintf("%s %s on average over %s", phrase.Count(r.TPS), p.words.Rate, phrase.Seconds(r.Duration)) + p.bounds() + "."}
	if text := p.drop(); text != "" {
		parts = append(parts, text)
	}
	if v, found := p.figure("tps-variation"); found {
		parts = append(parts, "The seconds vary by "+phrase.Share(v)+" (standard deviation over mean).")
	}
	l := r.Latency
	var latencies []string
	for _, one := range []struct {
		ns   float64
		text string
	}{{l.Mean, "%s on average"}, {float64(l.P50), "p50 %s"}, {float64(l.P99), "p99 %s"}, {float64(l.Max), "at most %s"}} {
		if one.ns > 0 { // what an imported text does not state is zero
			latencies = append(latencies, fmt.Sprintf(one.text, phrase.Milliseconds(one.ns)))
		}
	}
	if len(latencies) > 0 {
		parts = append(parts, "Latency is "+strings.Join(latencies, ", ")+".")
	}
	if r.Failures > 0 {
		parts = append(parts, phrase.Plural(int(r.Failures), p.words.Unit)+" failed.")
	}
	return strings.Join(parts, " ")
}

// bounds returns the best and the worst second.
func (p *Page) bounds() string {
	peak, hasPeak := p.figure("tps-peak")
	lowest, hasLowest := p.figure("tps-lowest")
	if !hasPeak || !hasLowest {
		return ""
	}
	return fmt.Sprintf(": at most %s%s, at least %s%s",
		phrase.Count(peak), p.moment("tps-peak"), phrase.Count(lowest), p.moment("tps-lowest"))
}

// drop describes the run's lasting drop in throughput (an I/O cliff), or its absence.
func (p *Page) drop() string {
	drop, found := p.figure("tps-drop")
	at, hasMoment := p.figure("tps-drop-second")
	switch {
	case !found:
		return ""
	case drop <= 0 || !hasMoment:
		return "Throughput did not drop to a lower level."
	}
	return fmt.Sprintf("From second %s on, throughput was %s lower than before (medians).", phrase.Exact(at), phrase.Share(drop))
}

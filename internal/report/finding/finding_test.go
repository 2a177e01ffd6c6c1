package finding_test

import (
	"testing"

	"plinth/internal/diagnosis"
	"plinth/internal/diagnosis/share"
	"plinth/internal/experiment"
	"plinth/internal/report/finding"
)

func TestSentences(t *testing.T) {
	second := 10.0
	d := diagnosis.Diagnosis{Division: &share.Division{}, From: 10}
	f := diagnosis.Finding{
		Text: "commits wait for flushes", Time: 1.9e6, Share: 0.9, Fall: 0.8, Basis: diagnosis.Sampled, From: &second, Seconds: 6, Most: 25000,
	}
	for _, c := range []struct {
		engine, want string
		watched      bool
	}{
		{engine: "postgres", want: "commits wait for flushes. That is 1.9 ms of each transaction, 90 % of the response time, and explains 80 % of the fall " +
			"(sampled). It was present in 6 seconds, first in second 10. Without it, TPS would be at most 25,000."},
		{engine: "redis", want: "commits wait for flushes. That is 1.9 ms of each request, 90 % of the response time, and explains 80 % of the fall " +
			"(sampled). It was present in 6 seconds, first in second 10. Without it, RPS would be at most 25,000."},
		{engine: "postgres", watched: true, want: "commits wait for flushes. That is 1.9 ms of each transaction, 90 % of the time in the server, and explains " +
			"80 % of the fall (sampled). It was present in 6 seconds, first in second 10. Without it, TPS would be at most 25,000."},
	} {
		d.Division.InServer = c.watched
		if got := finding.Sentences(f, d, experiment.TermsOf(c.engine)); got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}

func TestFall(t *testing.T) {
	until := 16.0
	for want, d := range map[string]diagnosis.Diagnosis{
		"": {},
		"From second 10 to 16, TPS fell by 75 %, from 4,000 to 1,000.": {Cliff: &diagnosis.Cliff{Second: 10, Before: 4000, After: 1000, Until: &until}},
		"From second 10 on, TPS was 75 % lower: 1,000 after 4,000. The experiment's event load began then.": {
			Cliff: &diagnosis.Cliff{Second: 10, Before: 4000, After: 1000, Event: "load"},
		},
		"From second 10 on, TPS was 75 % lower: 1,000 after 4,000.": {Cliff: &diagnosis.Cliff{Second: 10, Before: 4000, After: 1000}},
		"From second 10 on, TPS was 75 % lower: 1,000 after 4,000. What follows is of the time after it.": {
			Cliff: &diagnosis.Cliff{Second: 10, Before: 4000, After: 1000}, From: 10,
		},
	} {
		if got := finding.Fall(d, experiment.TermsOf("postgres")); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestPercent: a share that is nearly nothing has no sign.
func TestPercent(t *testing.T) {
	for of, want := range map[float64]string{-0.002: "0 %", 0.002: "0 %", -0.37: "-37 %", 0.56: "56 %"} {
		if got := finding.Percent(of); got != want {
			t.Errorf("%g: %s, want %s", of, got, want)
		}
	}
}

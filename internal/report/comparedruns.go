package report

import (
	"slices"
	"strings"

	"plinth/internal/verdict"
)

// comparedShows are the numbers and warnings of what was compared, of each record.
func comparedShows(c *verdict.Comparison, opts Options) ([]*Summary, error) {
	var only []string
	if len(c.Records) == 1 {
		only = environmentsOf(c)
	}
	var shows []*Summary
	for _, rec := range opts.Records {
		show, err := summarize(rec, opts, false, only...)
		if err != nil {
			return nil, err
		}
		if len(c.Records) == 1 {
			show.takeApart(rec)
		}
		shows = append(shows, show)
	}
	return shows, nil
}

// environmentsOf are the environments of one record that c compares.
func environmentsOf(c *verdict.Comparison) []string {
	var names []string
	for _, v := range c.Verdicts {
		for _, name := range []string{v.Baseline, v.Other} {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// comparedRuns are the runs that were compared, for benchstat: -col /env lays the
// environments of one record side by side, -col record two records.
func comparedRuns(c *verdict.Comparison, opts Options) (string, error) {
	shows, err := comparedShows(c, opts)
	var b strings.Builder
	for _, show := range shows {
		b.WriteString(show.Gobench())
	}
	return b.String(), err
}

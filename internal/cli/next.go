package cli

import (
	"fmt"
	"os"
	"strings"

	"plinth/internal/record"
	"plinth/internal/runner"
)

// nextStep says where the record is and what to type next.
func (a *app) nextStep(rec *record.Record, options runner.Options) {
	fmt.Fprintf(a.stderr, "record: %s\n", rec.Path)
	plinth := os.Args[0] // as it was called: it may not be in PATH
	if rec.Summary.State != record.Complete {
		fmt.Fprintf(a.stderr, "next:   %s run %s--resume %s\n", plinth, again(options), rec.Path)
		return
	}
	next := "show"
	if rec.Summary.Plan != nil {
		next = "compare" // show has the tables of each environment
	}
	fmt.Fprintf(a.stderr, "next:   %s %s %s\n", plinth, next, rec.Path)
}

// again is the experiment's name in the command that resumes it, needed only
// where the record cannot say it: a password is not in there.
func again(options runner.Options) string {
	for _, e := range options.Experiment.Environments {
		if e.Connect.Secret() != e.Connect.String() {
			return options.Source + " "
		}
	}
	return ""
}

// describeEntry is how a record stands, in one line of a list. Where there are more
// runs on the disk than its summary counts, that tells how many.
func describeEntry(e record.Entry, onDisk int) string {
	if e.Damage != "" {
		return "damaged: " + e.Damage
	}
	parts := []string{string(e.State)}
	bad := e.Counts.Invalid + e.Counts.Failed
	if onDisk > e.Counts.Valid+bad {
		return fmt.Sprintf("%s, %d of %d runs are there", e.State, onDisk, e.Planned)
	}
	if e.Counts.Valid > 0 {
		noun := "valid runs"
		if e.Counts.Valid == 1 {
			noun = "valid run"
		}
		parts = append(parts, fmt.Sprintf("%d %s", e.Counts.Valid, noun))
	}
	if bad > 0 {
		parts = append(parts, fmt.Sprintf("%d not valid", bad))
	}
	return strings.Join(parts, ", ")
}

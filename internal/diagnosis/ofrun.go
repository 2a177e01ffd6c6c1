package diagnosis

import (
	"errors"
	"io/fs"
	"runtime"
	"sync"

	"plinth/internal/diagnosis/share"
	"plinth/internal/record"
)

// OfRun diagnoses a run of a record. The record keeps the diagnosis, which must not be modified: the page of a
// running experiment is made again after each of hundreds of runs.
func OfRun(rec *record.Record, run *record.Run) (Diagnosis, error) {
	d, err := kept(rec, run)
	if d.Division != nil && d.Division.Seconds < share.Fewest {
		return ofRun(rec, run, share.Fewest)
	}
	return d, err
}

// kept returns the diagnosis of a run, from the record if it keeps it. A run that is too short to be divided alone
// is divided all the same, to be one of several.
func kept(rec *record.Record, run *record.Run) (Diagnosis, error) {
	kept := rec.Kept(run.RunID, "diagnosis", func() any {
		d, err := ofRun(rec, run, share.Fewest)
		if err == nil && d.Division == nil {
			d, err = ofRun(rec, run, 1)
		}
		return outcome{d, err}
	}).(outcome)
	return kept.diagnosis, kept.err
}

type outcome struct {
	diagnosis Diagnosis
	err       error
}

// ofRun diagnoses a run of which at least so many seconds are known.
func ofRun(rec *record.Record, run *record.Run, fewest int) (Diagnosis, error) {
	points, err := rec.Points(run)
	if errors.Is(err, fs.ErrNotExist) {
		return Diagnosis{Undivided: "the run has no data per second", Findings: []Finding{}, Headroom: []Headroom{}, Considered: []Reason{}, Skipped: []Reason{}}, nil
	}
	if err != nil {
		return Diagnosis{}, err
	}
	return of(Input{Run: run, Points: points, Environment: rec.Environments[run.Environment], Inventory: Inventory(rec, run.Environment)}, fewest), nil
}

// diagnose diagnoses runs on all CPUs, for kept to find them. A record that keeps nothing is left alone.
func diagnose(rec *record.Record, runs []record.Run) {
	if !rec.Keeps() {
		return
	}
	var group sync.WaitGroup
	workers := min(len(runs), runtime.GOMAXPROCS(0))
	for w := range workers {
		group.Go(func() {
			for i := w; i < len(runs); i += workers {
				_, _ = kept(rec, &runs[i]) // the error is kept, too
			}
		})
	}
	group.Wait()
}

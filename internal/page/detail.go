package page

import (
	"errors"
	"io/fs"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

// NewDetail returns a run second by second. most limits the values of a series (0 means
// 100,000); a longer run is downsampled, and each value then has the minimum and maximum of its
// seconds. If points are missing or damaged, Missing is the reason, and at most the heat map is
// available. The caller sets Spent and Tables.
func NewDetail(rec *record.Record, run *record.Run, most int) Detail {
	d := Detail{Path: RunPath(run.RunID), Step: 1, Tracks: []Track{}, Marks: []record.Mark{}}
	if run.Telemetry != nil {
		for _, m := range run.Telemetry.Marks { // some are from the server's log, so they are not trusted
			m.Kind, m.Text = cut(m.Kind, longName), cut(m.Text, longText)
			d.Marks = append(d.Marks, m)
		}
	}
	d.Heat = newHeat(rec, run.RunID, most)
	if err := d.draw(rec, run, most); err != nil {
		d.Tracks, d.Missing = []Track{}, missing(err, run)
	}
	return d
}

func (d *Detail) draw(rec *record.Record, run *record.Run, most int) error {
	points, err := rec.OpenPoints(run)
	if errors.Is(err, fs.ErrNotExist) {
		return errNoSecond
	}
	if err != nil {
		return err
	}
	defer points.Close()
	seconds, err := points.Column("second")
	if err != nil {
		return err
	}
	if len(seconds) == 0 {
		return errNoSecond
	}
	grid, err := newTimeGrid(seconds, most)
	if err != nil {
		return err
	}
	d.Start, d.Step = grid.start, grid.step
	drawing, err := newDrawing(points, grid, rec.Environments[run.Environment].Volumes, experiment.TermsOf(rec.Summary.Engine))
	if err != nil {
		return err
	}
	tracks, err := drawing.tracks()
	d.Tracks = append(d.Tracks, tracks...)
	return err
}

var errNoSecond = errors.New("no second was recorded")

// missing returns the reason why there are no tracks, as a sentence for users.
func missing(err error, run *record.Run) string {
	switch {
	case errors.Is(err, errNoSecond) && run.Result.Duration >= 1:
		return "The run's second-by-second data is missing: points.parquet is not in the record."
	case errors.Is(err, errNoSecond):
		return "The run has no second-by-second data: it ended before its first whole second."
	}
	return "The run's second-by-second data cannot be drawn: " + cut(err.Error(), longText)
}

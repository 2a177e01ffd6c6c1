package record

import (
	"fmt"
	"os"
)

// Limits of a points file. A day of seconds with a hundred scripts stays below them.
const (
	maxPointColumns = 2000
	maxPointRows    = 1_000_000
	maxPointGroups  = 16
	// All columns of a run are read at once only for its own page, which needs 8 bytes a value. plinth
	// records about 250 columns; more are read as long as they take less than 200 MiB.
	usualColumns  = 300
	maxMorePoints = 25 << 20
	maxPointsFile = 256 << 20
)

// ReadPoints reads a file that WritePoints wrote. It rejects columns that are not DOUBLE, and
// files larger than any run can produce.
func ReadPoints(path string) (Points, error) {
	file, err := os.Open(path)
	if err != nil {
		return Points{}, cannotReadPoints(path, err)
	}
	points, err := openPoints(path, file, maxPointRows)
	if err != nil {
		return Points{}, err
	}
	return points.all()
}

// Points reads all points of a run and opens no file outside the record.
func (r *Record) Points(run *Run) (Points, error) {
	points, err := r.OpenPoints(run)
	if err != nil {
		return Points{}, err
	}
	return points.all()
}

// all reads every column and closes the file.
func (f *PointsFile) all() (Points, error) {
	defer f.Close()
	if columns := len(f.Names()); columns > usualColumns && (columns-usualColumns)*f.Rows() > maxMorePoints {
		return Points{}, cannotReadPoints(f.name, fmt.Errorf("%d columns of %d seconds are too many", columns, f.Rows()))
	}
	var points Points
	for _, name := range f.Names() {
		values, err := f.Column(name)
		if err != nil {
			return Points{}, err
		}
		points.Columns = append(points.Columns, Column{name, values})
	}
	if err := points.check(); err != nil {
		return Points{}, cannotReadPoints(f.name, err)
	}
	return points, nil
}

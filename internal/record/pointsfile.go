package record

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"plinth/internal/record/column"
	"plinth/internal/record/files"
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

// PointsFile reads the points of a run column by column: a page draws a few of about 230 columns,
// and of most runs only one. It is not safe for concurrent use.
type PointsFile struct {
	name  string // of the file, for errors
	file  *os.File
	table *column.File
}

// OpenPoints opens the points of a run. It opens no file outside the record, and refuses a file
// with many more seconds than the run had.
func (r *Record) OpenPoints(run *Run) (_ *PointsFile, err error) {
	name := run.Path() + "/" + pointsFile
	root, err := os.OpenRoot(r.Path)
	if err != nil {
		return nil, cannotReadPoints(name, err)
	}
	defer root.Close()
	// Non-blocking, because opening a FIFO would hang.
	file, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, cannotReadPoints(name, files.Bare(err))
	}
	return openPoints(name, file, run.mostRows())
}

// mostRows returns how many rows the points of the run can have, with an hour to spare.
func (r *Run) mostRows() int {
	return int(min(maxPointRows, 3600+max(0, r.Phases.Load)+max(0, r.Result.Duration)))
}

// openPoints reads the column names of file, which has at most rows rows. It closes file on failure.
func openPoints(name string, file *os.File, rows int) (points *PointsFile, err error) {
	defer func() {
		if err != nil {
			file.Close()
			points, err = nil, cannotReadPoints(name, err)
		}
	}()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxPointsFile {
		return nil, errors.New("not a points file")
	}
	table, err := column.Open(file, info.Size(), column.Limits{Columns: maxPointColumns, Rows: rows, Groups: maxPointGroups})
	if err != nil {
		return nil, err
	}
	return &PointsFile{name: name, file: file, table: table}, nil
}

// Names returns the column names, in file order.
func (f *PointsFile) Names() []string { return f.table.Names() }

// Rows returns the number of seconds.
func (f *PointsFile) Rows() int { return f.table.Rows() }

// Column reads one column: one value per row, NaN for gaps. It returns fs.ErrNotExist for a
// missing column, and an error for a damaged one.
func (f *PointsFile) Column(name string) ([]float64, error) {
	values, err := f.table.Column(name)
	if err != nil {
		return nil, cannotReadPoints(f.name, err)
	}
	return values, nil
}

// Close closes the file.
func (f *PointsFile) Close() error { return f.file.Close() }

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

// Points reads all points of a run. It opens no file outside the record.
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

func cannotReadPoints(name string, err error) error {
	return fmt.Errorf("cannot read points %s: %w", name, err)
}

package record

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"plinth/internal/record/column"
)

// PointsFile reads the points of a run column by column: a page draws a few of about 230 columns,
// and of most runs only one. It is not safe for concurrent use.
type PointsFile struct {
	name  string // of the file, for errors
	file  *os.File
	table *column.File
}

// OpenPoints opens the points of a run and no file outside the record. It refuses points of many
// more seconds than the run had.
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
		return nil, cannotReadPoints(name, bare(err))
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

func cannotReadPoints(name string, err error) error {
	return fmt.Errorf("cannot read points %s: %w", name, err)
}

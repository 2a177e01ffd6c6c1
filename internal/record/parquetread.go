package record

import (
	"errors"
	"io"
	"math"
	"os"

	"github.com/parquet-go/parquet-go"
)

// Limits of a points file. A day of seconds with a hundred scripts stays below them.
const (
	maxPointColumns = 2000
	maxPointRows    = 1_000_000
	maxPointsFile   = 256 << 20
)

// ReadPoints reads a file that WritePoints wrote. It rejects columns that are not DOUBLE, and
// files larger than any run can produce.
func ReadPoints(path string) (Points, error) {
	file, err := os.Open(path)
	if err != nil {
		return Points{}, cannotReadPoints(path, err)
	}
	points, err := openPoints(path, file)
	if err != nil {
		return Points{}, err
	}
	return points.all()
}

// Points reads all points of a run and opens no file outside the record.
func (r *Record) Points(id RunID) (Points, error) {
	points, err := r.OpenPoints(id)
	if err != nil {
		return Points{}, err
	}
	return points.all()
}

// all reads every column and closes the file.
func (f *PointsFile) all() (Points, error) {
	defer f.Close()
	var points Points
	for _, name := range f.names {
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

func readColumn(chunk parquet.ColumnChunk) ([]float64, error) {
	pages := chunk.Pages()
	defer pages.Close()
	var values []float64
	for {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return values, nil
		}
		if err != nil {
			return nil, err
		}
		if len(values)+int(page.NumValues()) > maxPointRows {
			return nil, errors.New("too many rows")
		}
		if values, err = appendPage(values, page); err != nil {
			return nil, err
		}
	}
}

func appendPage(values []float64, page parquet.Page) ([]float64, error) {
	defer parquet.Release(page)
	read := make([]parquet.Value, page.NumValues())
	n, err := page.Values().ReadValues(read)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	for _, v := range read[:n] {
		if v.IsNull() {
			values = append(values, math.NaN())
		} else {
			values = append(values, v.Double())
		}
	}
	return values, nil
}

package record

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"syscall"

	"github.com/parquet-go/parquet-go"
)

// Limits of a points file. A day of seconds with a hundred scripts stays below.
const (
	maxPointColumns = 2000
	maxPointRows    = 1_000_000
	maxPointsFile   = 256 << 20
)

// ReadPoints reads what WritePoints wrote. Columns that are not DOUBLE are
// refused; so are files beyond what any run can fill.
func ReadPoints(path string) (points Points, err error) {
	defer func() {
		if r := recover(); r != nil { // parquet-go panics on some damaged files
			err = fmt.Errorf("%v", r)
		}
		if err != nil {
			points, err = Points{}, fmt.Errorf("cannot read points %s: %w", path, err)
		}
	}()
	file, err := os.Open(path)
	if err != nil {
		return Points{}, err
	}
	return readPoints(file)
}

// Points reads the points of a run of this record, and opens nothing outside of it.
func (r *Record) Points(id RunID) (points Points, err error) {
	name := id.Path() + "/" + pointsFile
	defer func() {
		if r := recover(); r != nil { // parquet-go panics on some damaged files
			err = fmt.Errorf("%v", r)
		}
		if err != nil {
			points, err = Points{}, fmt.Errorf("cannot read points %s: %w", name, err)
		}
	}()
	root, err := os.OpenRoot(r.Path)
	if err != nil {
		return Points{}, err
	}
	defer root.Close()
	// Not blocking: a FIFO there would be waited for without end.
	file, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return Points{}, bare(err)
	}
	return readPoints(file)
}

// readPoints reads file and closes it.
func readPoints(file *os.File) (Points, error) {
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return Points{}, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxPointsFile {
		return Points{}, errors.New("not a file of points")
	}
	return decodePoints(file, info.Size())
}

func decodePoints(r io.ReaderAt, size int64) (Points, error) {
	file, err := parquet.OpenFile(r, size)
	if err != nil {
		return Points{}, err
	}
	var points Points
	for _, field := range file.Schema().Fields() {
		if !field.Leaf() || field.Type().Kind() != parquet.Double || field.Repeated() {
			return Points{}, fmt.Errorf("column %q is not a column of numbers", field.Name())
		}
		points.Columns = append(points.Columns, Column{Name: field.Name()})
	}
	if len(points.Columns) > maxPointColumns || file.NumRows() > maxPointRows {
		return Points{}, fmt.Errorf("%d columns and %d rows are too many", len(points.Columns), file.NumRows())
	}
	for _, group := range file.RowGroups() {
		for i, chunk := range group.ColumnChunks() {
			values, err := readColumn(chunk)
			if err != nil {
				return Points{}, err
			}
			points.Columns[i].Values = append(points.Columns[i].Values, values...)
		}
	}
	return points, points.check()
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

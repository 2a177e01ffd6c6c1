package record

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// PointsFile reads the points of a run column by column: a page draws a few of about 230 columns,
// and of most runs only one. It is not safe for concurrent use.
type PointsFile struct {
	name   string // of the file, for errors
	file   io.Closer
	table  *parquet.File
	leaves map[string]int
	names  []string
}

// OpenPoints opens the points of a run and no file outside the record.
func (r *Record) OpenPoints(id RunID) (_ *PointsFile, err error) {
	name := id.Path() + "/" + pointsFile
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
	return openPoints(name, file)
}

// openPoints reads the column names of file. It closes file on failure.
func openPoints(name string, file *os.File) (points *PointsFile, err error) {
	defer func() {
		err = caught(recover(), err)
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
	table, err := openTable(file, info.Size())
	if err != nil {
		return nil, err
	}
	points = &PointsFile{name: name, file: file, table: table, leaves: map[string]int{}}
	return points, points.readNames()
}

// openTable reads the footer of a Parquet file. It skips the indexes that parquet-go reads by
// default: they take as long again and are not used.
func openTable(r io.ReaderAt, size int64) (*parquet.File, error) {
	var end [8]byte
	if _, err := r.ReadAt(end[:], max(0, size-8)); err != nil {
		return nil, fmt.Errorf("%d bytes are too few for a points file", size)
	}
	// parquet-go would allocate whatever size the file claims.
	if footer := int64(binary.LittleEndian.Uint32(end[:])); footer > size {
		return nil, fmt.Errorf("its footer claims %d bytes, but the file has %d", footer, size)
	}
	table, err := parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, err
	}
	// Accept only the codec that WritePoints uses: parquet-go's LZ4 decoder can exhaust memory on
	// a few damaged bytes.
	for _, group := range table.Metadata().RowGroups {
		for _, column := range group.Columns {
			if codec := column.MetaData.Codec; codec != format.Zstd {
				return nil, fmt.Errorf("it is compressed with %v, not with ZSTD", codec)
			}
		}
	}
	return table, nil
}

func (f *PointsFile) readNames() error {
	for i, field := range f.table.Schema().Fields() {
		if !field.Leaf() || field.Type().Kind() != parquet.Double || field.Repeated() {
			return fmt.Errorf("column %q is not numeric", field.Name())
		}
		if _, twice := f.leaves[field.Name()]; twice || field.Name() == "" {
			return fmt.Errorf("column name %q is empty or duplicated", field.Name())
		}
		f.leaves[field.Name()] = i
		f.names = append(f.names, field.Name())
	}
	if len(f.names) > maxPointColumns || f.table.NumRows() > maxPointRows {
		return fmt.Errorf("%d columns and %d rows are too many", len(f.names), f.table.NumRows())
	}
	return nil
}

// Names returns the column names, in file order.
func (f *PointsFile) Names() []string { return f.names }

// Rows returns the number of seconds.
func (f *PointsFile) Rows() int { return int(f.table.NumRows()) }

// Column reads one column: one value per row, NaN for gaps. It returns fs.ErrNotExist for a
// missing column, and an error for a damaged one.
func (f *PointsFile) Column(name string) (values []float64, err error) {
	defer func() {
		err = caught(recover(), err)
		if err != nil {
			values, err = nil, cannotReadPoints(f.name, err)
		}
	}()
	leaf, found := f.leaves[name]
	if !found {
		return nil, fmt.Errorf("column %q: %w", name, fs.ErrNotExist)
	}
	for _, group := range f.table.RowGroups() {
		part, err := readColumn(group.ColumnChunks()[leaf])
		if err != nil {
			return nil, err
		}
		values = append(values, part...)
	}
	if len(values) != f.Rows() {
		return nil, fmt.Errorf("column %q has %d values, but the file declares %d", name, len(values), f.Rows())
	}
	return values, nil
}

// Close closes the file.
func (f *PointsFile) Close() error { return f.file.Close() }

// caught converts a panic into an error: parquet-go panics on some damaged files.
func caught(panicked any, err error) error {
	if panicked != nil {
		return fmt.Errorf("%v", panicked)
	}
	return err
}

func cannotReadPoints(name string, err error) error {
	return fmt.Errorf("cannot read points %s: %w", name, err)
}

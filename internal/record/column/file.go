// Package column reads the Parquet files in which a record keeps its points: columns of optional
// DOUBLEs, compressed with ZSTD. A record may come from an untrusted source, so every size in a
// file is checked against the file and against limits before anything is allocated or inflated.
//
// The Parquet libraries for Go were rejected for reading: they allocate whatever size a footer
// or a page claims, so a file of a few kilobytes can fill the machine's memory.
package column

import (
	"fmt"
	"io"
	"io/fs"
	"slices"
)

// Limits are the largest counts that a file may have.
type Limits struct {
	Columns, Rows, Groups int
}

// File is an open file. It is not safe for concurrent use.
type File struct {
	r      io.ReaderAt
	footer *footer
	chunk  []byte // the last chunk, reused
	page   []byte // the last inflated page, reused
}

// Open reads the footer of the file in r, which has size bytes.
func Open(r io.ReaderAt, size int64, limits Limits) (*File, error) {
	footer, err := readFooter(r, size, limits)
	if err != nil {
		return nil, err
	}
	return &File{r: r, footer: footer}, nil
}

// Names returns the names of the columns, in file order.
func (f *File) Names() []string { return f.footer.names }

// Rows returns the number of rows.
func (f *File) Rows() int { return int(f.footer.rows) }

// Column reads one column: one value per row, NaN for null. It returns fs.ErrNotExist for a
// missing column, and an error for a damaged one.
func (f *File) Column(name string) ([]float64, error) {
	i := slices.Index(f.footer.names, name)
	if i < 0 {
		return nil, fmt.Errorf("column %.80q: %w", name, fs.ErrNotExist)
	}
	values := make([]float64, 0, f.Rows())
	for _, g := range f.footer.groups {
		k := g.chunks[i]
		f.chunk = slices.Grow(f.chunk[:0], int(k.size))[:k.size]
		_, err := f.r.ReadAt(f.chunk, k.offset)
		if err == nil {
			values, err = f.appendChunk(values, f.chunk, int(k.values))
		}
		if err != nil {
			return nil, fmt.Errorf("column %.80q: %w", name, err)
		}
	}
	return values, nil
}

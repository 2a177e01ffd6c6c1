package column

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// maxFooter is the largest footer that is read, in bytes. Each column takes about 150.
const maxFooter = 1 << 20

// footer holds the used fields of Parquet's FileMetaData
// (https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift).
type footer struct {
	names  []string
	rows   int64
	groups []group
}

// group is a row group: a chunk of each column.
type group struct {
	rows   int64
	chunks []chunk
}

type chunk struct {
	kind, codec, values, size, offset int64
	dictionary                        bool
	elsewhere                         bool // in another file
}

// Constants of parquet.thrift.
const (
	kindDouble         = 5
	repetitionOptional = 1
	codecZstd          = 6
)

func readFooter(r io.ReaderAt, size int64, limits Limits) (*footer, error) {
	var end [8]byte
	if size < 12 {
		return nil, fmt.Errorf("%d bytes are too few for a points file", size)
	}
	if _, err := r.ReadAt(end[:], size-8); err != nil {
		return nil, err
	}
	if string(end[4:]) != "PAR1" {
		return nil, errors.New("it does not end as a Parquet file does")
	}
	length := int64(binary.LittleEndian.Uint32(end[:]))
	if length > size-12 {
		return nil, fmt.Errorf("its footer claims %d bytes, but the file has %d", length, size)
	}
	if length > maxFooter {
		return nil, fmt.Errorf("its footer of %d bytes is larger than any that plinth writes", length)
	}
	data := make([]byte, length)
	if _, err := r.ReadAt(data, size-8-length); err != nil {
		return nil, err
	}
	f := &footer{}
	if err := f.decode(data, limits); err != nil {
		return nil, err
	}
	return f, f.check(size, limits)
}

func (f *footer) decode(data []byte, limits Limits) (err error) {
	c := &compact{data: data}
	c.fields(func(id int, kind byte) bool {
		switch {
		case id == 2 && kind == typeList && f.names == nil:
			err = errors.Join(err, f.schema(c, limits))
		case id == 3 && kind == typeI64:
			f.rows = c.int()
		case id == 4 && kind == typeList && f.groups == nil:
			n := structs(c)
			if n > limits.Groups {
				c.fail()
			}
			for range min(n, limits.Groups) {
				f.groups = append(f.groups, readGroup(c, len(f.names)))
			}
		default:
			return false
		}
		return true
	})
	return errors.Join(err, c.err())
}

// structs reads the head of a list of structs and returns their number.
func structs(c *compact) int {
	kind, n := c.list()
	if kind != typeStruct && n > 0 {
		c.fail()
		return 0
	}
	return n
}

// schema reads the schema: a root with one optional DOUBLE for each column.
func (f *footer) schema(c *compact, limits Limits) error {
	n := structs(c)
	if n-1 > limits.Columns {
		c.fail()
		return fmt.Errorf("%d columns are too many", n-1)
	}
	seen := map[string]bool{}
	for i := range n {
		e := readElement(c)
		switch {
		case c.bad:
			return nil
		case i == 0 && e.children != int64(n-1):
			return errors.New("its columns are nested")
		case i == 0:
			continue
		case e.kind != kindDouble || e.repetition != repetitionOptional || e.children != 0:
			return fmt.Errorf("column %.80q is not numeric", e.name)
		case e.name == "" || seen[e.name]:
			return fmt.Errorf("column name %.80q is empty or duplicated", e.name)
		}
		seen[e.name] = true
		f.names = append(f.names, e.name)
	}
	return nil
}

// element holds the used fields of Parquet's SchemaElement.
type element struct {
	kind, repetition, children int64
	name                       string
}

func readElement(c *compact) element {
	e := element{kind: -1, repetition: -1}
	c.fields(func(id int, kind byte) bool {
		switch {
		case id == 1 && kind == typeI32:
			e.kind = c.int()
		case id == 3 && kind == typeI32:
			e.repetition = c.int()
		case id == 4 && kind == typeBinary:
			e.name = string(c.bytes())
		case id == 5 && kind == typeI32:
			e.children = c.int()
		default:
			return false
		}
		return true
	})
	return e
}

func readGroup(c *compact, columns int) (g group) {
	c.fields(func(id int, kind byte) bool {
		switch {
		case id == 1 && kind == typeList:
			n := structs(c)
			if n != columns {
				c.fail()
			}
			for range n {
				if c.bad {
					break
				}
				g.chunks = append(g.chunks, readChunk(c))
			}
		case id == 3 && kind == typeI64:
			g.rows = c.int()
		default:
			return false
		}
		return true
	})
	return g
}

func readChunk(c *compact) (k chunk) {
	c.fields(func(id int, kind byte) bool {
		switch {
		case id == 1:
			k.elsewhere = true
		case id == 3 && kind == typeStruct:
			c.fields(k.field(c))
			return true
		}
		return false
	})
	return k
}

// field returns a reader of ColumnMetaData.
func (k *chunk) field(c *compact) func(id int, kind byte) bool {
	return func(id int, kind byte) bool {
		if kind != typeI32 && kind != typeI64 {
			return false
		}
		switch id {
		case 1:
			k.kind = c.int()
		case 4:
			k.codec = c.int()
		case 5:
			k.values = c.int()
		case 7:
			k.size = c.int()
		case 9:
			k.offset = c.int()
		case 11:
			k.dictionary = true
			return false
		default:
			return false
		}
		return true
	}
}

// maxChunk returns the largest number of bytes that a chunk of rows takes. plinth's take at most 9
// for each row, and about 100 for each page.
func maxChunk(rows int64) int64 { return 4096 + 32*rows }

// check returns an error unless every chunk is within the file, and has as many values as its
// group has rows.
func (f *footer) check(size int64, limits Limits) error {
	if len(f.names) == 0 {
		return errors.New("it has no columns")
	}
	if f.rows < 0 || f.rows > int64(limits.Rows) {
		return fmt.Errorf("%d rows are too many, at most %d", f.rows, limits.Rows)
	}
	var rows int64
	for _, g := range f.groups {
		if g.rows < 0 || g.rows > f.rows || len(g.chunks) != len(f.names) {
			return errThrift
		}
		rows += g.rows
		for i, k := range g.chunks {
			if err := k.check(g.rows, size); err != nil {
				return fmt.Errorf("column %.80q: %w", f.names[i], err)
			}
		}
	}
	if rows != f.rows {
		return fmt.Errorf("its groups have %d rows, but the file declares %d", rows, f.rows)
	}
	return nil
}

// check returns an error unless the chunk holds rows values, within a file of size bytes.
func (k chunk) check(rows, size int64) error {
	switch {
	case k.codec != codecZstd:
		return errors.New("it is not compressed with ZSTD")
	case k.kind != kindDouble || k.dictionary || k.elsewhere:
		return errors.New("it is not encoded as plinth encodes columns")
	case k.values != rows || k.offset < 0 || k.size < 0 || k.size > maxChunk(rows) || k.offset > size-k.size:
		return fmt.Errorf("it has %d values in %d bytes at %d, but the group has %d rows, and the file %d bytes", k.values, k.size, k.offset, rows, size)
	}
	return nil
}

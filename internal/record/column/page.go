package column

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// page holds the used fields of Parquet's PageHeader and DataPageHeaderV2.
type page struct {
	kind, inflated, compressed           int64
	values, nulls, encoding, levels, rep int64
	plain                                bool // the values are not compressed
}

// Constants of parquet.thrift.
const (
	pageDataV2    = 3
	encodingPlain = 0
)

var errPage = errors.New("a page is damaged")

// appendChunk appends the values of a chunk, of which there must be n.
func (f *File) appendChunk(values []float64, data []byte, n int) ([]float64, error) {
	c := &compact{data: data}
	for n > 0 {
		p, err := readPage(c)
		if err != nil {
			return nil, err
		}
		switch {
		case p.kind != pageDataV2 || p.encoding != encodingPlain || p.rep != 0:
			return nil, errors.New("a page is not encoded as plinth encodes columns")
		case p.values < 1 || p.values > int64(n) || p.nulls < 0 || p.nulls > p.values,
			p.compressed < 0 || p.compressed > int64(len(c.data)),
			p.levels < 0 || p.levels > p.compressed,
			p.inflated != p.levels+8*(p.values-p.nulls):
			return nil, errPage
		}
		body := c.data[:p.compressed]
		c.data = c.data[p.compressed:]
		if values, err = f.appendPage(values, p, body); err != nil {
			return nil, err
		}
		n -= int(p.values)
	}
	return values, nil
}

func readPage(c *compact) (p page, err error) {
	c.fields(func(id int, kind byte) bool {
		switch {
		case id == 1 && kind == typeI32:
			p.kind = c.int()
		case id == 2 && kind == typeI32:
			p.inflated = c.int()
		case id == 3 && kind == typeI32:
			p.compressed = c.int()
		case id == 8 && kind == typeStruct:
			c.fields(p.field(c))
		default:
			return false
		}
		return true
	})
	return p, c.err()
}

// field returns a reader of DataPageHeaderV2.
func (p *page) field(c *compact) func(id int, kind byte) bool {
	return func(id int, kind byte) bool {
		if id == 7 {
			p.plain = kind == typeFalse
		}
		if kind != typeI32 {
			return false
		}
		switch id {
		case 1:
			p.values = c.int()
		case 2:
			p.nulls = c.int()
		case 4:
			p.encoding = c.int()
		case 5:
			p.levels = c.int()
		case 6:
			p.rep = c.int()
		default:
			return false
		}
		return true
	}
}

// appendPage appends the values of a page: its definition levels tell nulls from values, which
// follow without gaps.
func (f *File) appendPage(values []float64, p page, body []byte) ([]float64, error) {
	known, err := f.inflate(body[p.levels:], int(8*(p.values-p.nulls)), p.plain)
	if err != nil {
		return nil, err
	}
	levels := levelReader{data: body[:p.levels]}
	for range p.values {
		defined, err := levels.next()
		switch {
		case err != nil:
			return nil, err
		case !defined:
			values = append(values, math.NaN())
		case len(known) < 8:
			return nil, errPage
		default:
			values = append(values, math.Float64frombits(binary.LittleEndian.Uint64(known)))
			known = known[8:]
		}
	}
	if len(known) > 0 {
		return nil, errPage
	}
	return values, nil
}

// decoder is shared: it is safe for concurrent use of DecodeAll. It never writes beyond the
// capacity of its destination.
var decoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderConcurrency(0))
})

// inflate returns the size bytes into which data inflates. The result is valid until the next
// call.
func (f *File) inflate(data []byte, size int, plain bool) ([]byte, error) {
	if plain || size == 0 && len(data) == 0 {
		if len(data) != size {
			return nil, errPage
		}
		return data, nil
	}
	if cap(f.page) < size {
		f.page = make([]byte, size)
	}
	d, err := decoder()
	if err != nil {
		return nil, err
	}
	inflated, err := d.DecodeAll(data, f.page[:0:size])
	if err != nil || len(inflated) != size {
		return nil, fmt.Errorf("%w: its %d bytes do not inflate to %d", errPage, len(data), size)
	}
	return inflated, nil
}

// levelReader reads definition levels of 0 or 1, in the hybrid of run lengths and packed bits
// (https://parquet.apache.org/docs/file-format/data-pages/encodings/).
type levelReader struct {
	data   []byte
	run    uint64 // levels left in the run
	level  byte   // of a run of equal levels
	packed bool
	bits   byte // the current byte of a packed run
	left   int  // bits left in it
}

func (l *levelReader) next() (defined bool, err error) {
	for l.run == 0 {
		head, n := binary.Uvarint(l.data)
		if n <= 0 {
			return false, errPage
		}
		l.data, l.packed, l.run = l.data[n:], head&1 == 1, head>>1
		if l.packed {
			if l.run > uint64(len(l.data)) {
				return false, errPage
			}
			l.run, l.left = 8*l.run, 0
			continue
		}
		if len(l.data) == 0 || l.data[0] > 1 {
			return false, errPage
		}
		l.level, l.data = l.data[0], l.data[1:]
	}
	l.run--
	if !l.packed {
		return l.level == 1, nil
	}
	if l.left == 0 {
		l.bits, l.data, l.left = l.data[0], l.data[1:], 8
	}
	defined = l.bits&1 == 1
	l.bits, l.left = l.bits>>1, l.left-1
	return defined, nil
}

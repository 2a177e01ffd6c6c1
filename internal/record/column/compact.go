package column

import (
	"encoding/binary"
	"errors"
)

// Types of Thrift's compact protocol.
const (
	typeTrue   = 1
	typeFalse  = 2
	typeI8     = 3
	typeI16    = 4
	typeI32    = 5
	typeI64    = 6
	typeDouble = 7
	typeBinary = 8
	typeList   = 9
	typeSet    = 10
	typeMap    = 11
	typeStruct = 12
)

const maxDepth = 16 // of nested values; Parquet's metadata needs 6

var errThrift = errors.New("its metadata is damaged")

// compact reads Thrift's compact protocol
// (https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md). It allocates
// nothing, whatever the data claims. After an error, all methods return zero values.
type compact struct {
	data  []byte
	depth int
	bad   bool
}

func (c *compact) fail() {
	c.bad, c.data = true, nil
}

func (c *compact) err() error {
	if c.bad {
		return errThrift
	}
	return nil
}

func (c *compact) byte() byte {
	if len(c.data) == 0 {
		c.fail()
		return 0
	}
	b := c.data[0]
	c.data = c.data[1:]
	return b
}

func (c *compact) uvarint() uint64 {
	v, n := binary.Uvarint(c.data)
	if n <= 0 {
		c.fail()
		return 0
	}
	c.data = c.data[n:]
	return v
}

// int reads a signed integer of any width.
func (c *compact) int() int64 {
	v := c.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

// bytes reads a string; the result is a part of the data.
func (c *compact) bytes() []byte {
	n := c.uvarint()
	if n > uint64(len(c.data)) {
		c.fail()
		return nil
	}
	b := c.data[:n]
	c.data = c.data[n:]
	return b
}

// list reads the head of a list: the type of its elements, and their number, which is at most the
// number of the remaining bytes.
func (c *compact) list() (kind byte, n int) {
	head := c.byte()
	size := uint64(head >> 4)
	if size == 15 {
		size = c.uvarint()
	}
	if size > uint64(len(c.data)) {
		c.fail()
		return 0, 0
	}
	return head & 15, int(size)
}

// fields reads a struct. It calls read for each field; read returns whether it has read the value.
// Values that it has not read are skipped.
func (c *compact) fields(read func(id int, kind byte) bool) {
	if c.depth++; c.depth > maxDepth {
		c.fail()
	}
	defer func() { c.depth-- }()
	for id := 0; !c.bad; {
		head := c.byte()
		if head == 0 {
			return // the end of the struct, or of the data
		}
		if delta := int(head >> 4); delta > 0 {
			id += delta
		} else {
			id = int(int16(c.int()))
		}
		if kind := head & 15; !read(id, kind) {
			c.skip(kind)
		}
	}
}

// skip reads a value of any type in a struct.
func (c *compact) skip(kind byte) {
	switch kind {
	case typeTrue, typeFalse: // the type is the value
	case typeI8:
		c.byte()
	case typeI16, typeI32, typeI64:
		c.uvarint()
	case typeDouble:
		if len(c.data) < 8 {
			c.fail()
			return
		}
		c.data = c.data[8:]
	case typeBinary:
		c.bytes()
	case typeList, typeSet:
		of, n := c.list()
		for range n {
			c.element(of)
		}
	case typeMap:
		c.skipMap()
	case typeStruct:
		c.fields(func(int, byte) bool { return false })
	default:
		c.fail()
	}
}

func (c *compact) skipMap() {
	n := c.uvarint()
	if n == 0 {
		return
	}
	kinds := c.byte()
	if n > uint64(len(c.data)) {
		c.fail()
	}
	for range n {
		if c.bad {
			return
		}
		c.element(kinds >> 4)
		c.element(kinds & 15)
	}
}

// element skips a value in a list or map, in which a boolean takes a byte.
func (c *compact) element(kind byte) {
	if c.depth++; c.depth > maxDepth {
		c.fail()
	}
	defer func() { c.depth-- }()
	if kind == typeTrue || kind == typeFalse {
		c.byte()
		return
	}
	c.skip(kind)
}

package record

import (
	"errors"
	"fmt"
	"sync/atomic"
)

// Limits of the JSON in a record. Go values take many times the space of short JSON: "{}," can
// become 350 bytes. A record may have 5,000 runs (experiment/check), each of which may be repeated. A
// run of the quickstart takes 12 kB, with 56 objects and 355 values.
const (
	maxNesting   = 32
	maxValues    = 500_000 // of one file
	maxText      = 2 << 20 // bytes of one string: a script has at most 1 MiB, a histogram less
	maxBytes     = 160 << 20
	maxObjects   = 800_000
	maxAllValues = 4_500_000
)

// weight counts what JSON text holds.
type weight struct {
	bytes, objects, values int64
}

// weigh counts the objects and all values in JSON text, and returns an error for more than plinth
// writes. It does not check the syntax.
func weigh(data []byte) (weight, error) {
	w, depth := weight{bytes: int64(len(data))}, 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			n := quoted(data[i:])
			if n > maxText {
				return w, fmt.Errorf("too large: a string of %d bytes, more than plinth ever writes", n)
			}
			i += n - 1
		case '{', '[':
			w.values++
			if data[i] == '{' {
				w.objects++
			}
			if depth++; depth > maxNesting {
				return w, errors.New("nested too deeply")
			}
		case '}', ']':
			depth--
		case ',':
			w.values++
		}
	}
	if w.values > maxValues {
		return w, fmt.Errorf("too large: %d values, more than plinth ever writes", w.values)
	}
	return w, nil
}

// quoted returns the length of the string at the start of data, with its quotes; that of data if it does
// not end.
func quoted(data []byte) int {
	for i := 1; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(data)
}

// load is the weight of the environments and runs that have been read. It is safe for concurrent use.
type load struct {
	bytes, objects, values atomic.Int64
}

func (l *load) weight() weight {
	return weight{l.bytes.Load(), l.objects.Load(), l.values.Load()}
}

// add returns an error if all files together are larger than plinth reads.
func (l *load) add(w weight) error {
	if l.bytes.Add(w.bytes) > maxBytes || l.objects.Add(w.objects) > maxObjects || l.values.Add(w.values) > maxAllValues {
		return errors.New("the environments and runs of this record together exceed the largest size that plinth reads")
	}
	return nil
}

package files

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

// Weight counts what JSON text holds.
type Weight struct {
	Bytes, Objects, Values int64
}

// Weigh counts the objects and all values in JSON text, and returns an error for more than plinth
// writes. It does not check the syntax.
func Weigh(data []byte) (Weight, error) {
	w, depth := Weight{Bytes: int64(len(data))}, 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			n := quoted(data[i:])
			if n > maxText {
				return w, fmt.Errorf("too large: a string of %d bytes, more than plinth ever writes", n)
			}
			i += n - 1
		case '{', '[':
			w.Values++
			if data[i] == '{' {
				w.Objects++
			}
			if depth++; depth > maxNesting {
				return w, errors.New("nested too deeply")
			}
		case '}', ']':
			depth--
		case ',':
			w.Values++
		}
	}
	if w.Values > maxValues {
		return w, fmt.Errorf("too large: %d values, more than plinth ever writes", w.Values)
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

// Total is the weight of several files: of the environments and runs of a record. It is safe for concurrent use.
type Total struct {
	bytes, objects, values atomic.Int64
}

// Weight returns the sum.
func (t *Total) Weight() Weight {
	return Weight{t.bytes.Load(), t.objects.Load(), t.values.Load()}
}

// Add adds the weight of a file. It returns an error if all files together are larger than plinth reads.
func (t *Total) Add(w Weight) error {
	if t.bytes.Add(w.Bytes) > maxBytes || t.objects.Add(w.Objects) > maxObjects || t.values.Add(w.Values) > maxAllValues {
		return errors.New("the environments and runs of this record together exceed the largest size that plinth reads")
	}
	return nil
}

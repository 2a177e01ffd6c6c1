package proc

import (
	"bytes"
	"errors"
)

// Keyed parses text that has a name and a number on each line, such as meminfo, vmstat and
// cpu.stat. It holds the names to look for.
type Keyed map[string]int // index of the value of each name

// Value is a number that may be missing.
type Value struct {
	N     uint64
	There bool
}

var errNoKey = errors.New("has none of the expected names")

// NewKeyed returns a Keyed for these names; Parse keeps their order.
func NewKeyed(names ...string) Keyed {
	k := Keyed{}
	for i, name := range names {
		k[name] = i
	}
	return k
}

// Parse fills into, which has an element for each name. It returns an error if it finds none of
// the names. It ignores what follows the number, such as its unit.
func (k Keyed) Parse(text []byte, into []Value) error {
	clear(into)
	err := errNoKey
	for len(text) > 0 {
		var line []byte
		line, text = CutLine(text)
		name, rest := CutWord(line)
		i, wanted := k[string(bytes.TrimSuffix(name, colon))]
		if !wanted {
			continue
		}
		word, _ := CutWord(rest)
		if n, ok := Number(word); ok {
			into[i] = Value{n, true}
			err = nil
		}
	}
	return err
}

var colon = []byte(":")

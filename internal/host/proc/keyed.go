package proc

import (
	"bytes"
	"errors"
)

// Keyed reads text that has a name and a number on each line, such as meminfo,
// vmstat and cpu.stat. It knows which names are wanted.
type Keyed map[string]int // the place of the value of each name

// Value is a number that may not be there.
type Value struct {
	N     uint64
	There bool
}

var errNoKey = errors.New("has none of the expected names")

// NewKeyed knows these names; Parse puts their values in the same order.
func NewKeyed(names ...string) Keyed {
	k := Keyed{}
	for i, name := range names {
		k[name] = i
	}
	return k
}

// Parse fills into, which has a place for each name. It is an error when none of
// them is there. What follows the number, such as its unit, is not looked at.
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

package kernel

import (
	"bytes"
	"errors"
)

// keyed reads text that has a name and a number on each line, such as meminfo,
// vmstat and cpu.stat. It knows which names are wanted.
type keyed map[string]int // the place of the value of each name

// value is a number that may not be there.
type value struct {
	n     uint64
	there bool
}

var errNoKey = errors.New("has none of the names that are looked for")

func newKeyed(names ...string) keyed {
	k := keyed{}
	for i, name := range names {
		k[name] = i
	}
	return k
}

// parse fills into, which has a place for each name. It is an error when none of
// them is there. What follows the number, such as its unit, is not looked at.
func (k keyed) parse(text []byte, into []value) error {
	clear(into)
	err := errNoKey
	for len(text) > 0 {
		var line []byte
		line, text = cutLine(text)
		name, rest := cutWord(line)
		i, wanted := k[string(bytes.TrimSuffix(name, colon))]
		if !wanted {
			continue
		}
		word, _ := cutWord(rest)
		if n, ok := number(word); ok {
			into[i] = value{n, true}
			err = nil
		}
	}
	return err
}

var colon = []byte(":")

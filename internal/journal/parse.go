package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Schema is the schema of a journal. A later one is refused.
const Schema = "plinth/journal/v1"

// header is the first line of a journal and identifies its owner.
type header struct {
	Schema  string    `json:"schema"`
	PID     int       `json:"pid"`
	Boot    string    `json:"boot"`    // ID of the boot
	Machine string    `json:"machine"` // as in host.Facts
	Started time.Time `json:"started"`
	Label   string    `json:"label"` // its purpose: the record's path
}

// line is any line after the header: a note or a forgotten note.
type line struct {
	Entry
	Forget bool `json:"forget"`
}

// parse reads a journal. A last line without a newline is dropped, as is such a header: a
// change is only made once its complete line is on disk, so none was made under it. Any other
// damage is an error, returned with the entries before it.
func parse(text []byte) (header, []Entry, error) {
	var h header
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	if len(whole) == 0 {
		return h, nil, nil
	}
	first, rest, _ := bytes.Cut(whole, []byte("\n"))
	if err := json.Unmarshal(first, &h); err != nil {
		return h, nil, fmt.Errorf("line 1: not a journal header: %w", err)
	}
	if strings.HasPrefix(h.Schema, "plinth/journal/") && h.Schema != Schema {
		return h, nil, fmt.Errorf("its schema %q is unknown to this version of plinth, which supports %q: use the version of plinth that wrote it", h.Schema, Schema)
	}
	if h.Schema != Schema {
		return h, nil, errors.New("line 1: not a journal header")
	}
	entries, err := parseEntries(rest)
	return h, entries, err
}

func parseEntries(text []byte) (entries []Entry, err error) {
	last, number := 0, 1
	for raw := range bytes.Lines(text) {
		number++
		var l line
		if err := json.Unmarshal(raw, &l); err != nil {
			return entries, fmt.Errorf("line %d is damaged: %w", number, err)
		}
		at := slices.IndexFunc(entries, func(e Entry) bool { return e.ID == l.ID })
		switch {
		case l.Forget && at >= 0:
			entries = slices.Delete(entries, at, at+1)
		case !l.Forget && l.ID == last+1 && l.Kind != "":
			last = l.ID
			entries = append(entries, l.Entry)
		default:
			return entries, fmt.Errorf("line %d is damaged: change %d is out of order", number, l.ID)
		}
	}
	return entries, nil
}

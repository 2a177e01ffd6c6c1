package procps

import (
	"math"
	"strconv"
	"strings"

	"plinth/internal/capture"
	"plinth/internal/record"
)

// value reads a number with a suffix. A dash stands for a value that dstat does not know.
func (c column) value(text string) (float64, bool) {
	if text == "" || text == "-" {
		return math.NaN(), true
	}
	factor := 1.0
	switch suffix := text[len(text)-1]; {
	case suffix == 'B' || suffix == 'b':
		text = text[:len(text)-1]
	case suffix > '9':
		power := strings.IndexByte("kMGTPE", suffix)
		if power < 0 {
			return 0, false
		}
		factor = math.Pow(max(c.base, 1), float64(power+1))
		text = text[:len(text)-1]
	}
	if text == "" || text[0] < '0' || text[0] > '9' {
		return 0, false
	}
	value, err := strconv.ParseFloat(text, 64)
	return value * factor, err == nil && !math.IsInf(value, 0)
}

// drop leaves out the columns whose unit is unknown.
func (d *dstat) drop(series *capture.Series) []record.Note {
	var notes []record.Note
	inBits := map[string]bool{}
	for _, c := range d.columns {
		inBits[c.name] = inBits[c.name] || c.bits
	}
	kept := series.Columns[:0]
	anyBits := false
	for _, c := range series.Columns {
		anyBits = anyBits || inBits[c.Name]
		if d.suffixes[c.Name] {
			notes = append(notes, unclear("the column %s is left out: whether its k and M are 1000 or 1024 is unknown", c.Name))
			continue
		}
		if inBits[c.Name] && d.inBits {
			continue
		}
		kept = append(kept, c)
	}
	series.Columns = kept
	switch {
	case d.inBits:
		notes = append(notes, unclear("the columns dsk and net are left out: they are in bits (--bits), rounded to a suffix of an unknown base"))
	case anyBits && !d.inBytes:
		notes = append(notes, unclear("dstat does not print whether it counts bits (--bits): dsk and net are read as bytes, its unit without that option"))
	}
	return notes
}

// Package names says which of plinth's metrics a column of sysstat states, and in which unit. Columns
// without a counterpart keep the program's own name and unit.
package names

import "strings"

// Out is a column that a value goes to.
type Out struct {
	Name  string
	Scale float64 // from the printed unit to that of the column
	Add   bool    // the value is one of several parts of the column
}

// Own returns the column for a value that no metric of plinth states: "iostat.md1.wareq-sz".
func Own(tool, subject, heading string) []Out {
	name := tool + "."
	if subject != "" {
		name += subject + "."
	}
	return []Out{{Name: name + heading, Scale: 1}}
}

// metric is the name of a metric without its subject, and the factor from the printed unit.
type metric struct {
	name  string
	scale float64
}

const (
	kib     = 1024 // kB of sysstat: "kilobytes per second", of two sectors each (iostat.c)
	mib     = 1 << 20
	sector  = 512 // bytes: "the size of a block is 512 bytes" (iostat(1))
	milli   = 1e-3
	percent = 1e-2
)

// Unit returns how many bytes the unit of a heading has, into which numbers with a suffix
// (--human) are converted.
func Unit(heading string) float64 {
	switch {
	case strings.Contains(heading, "MB"):
		return mib
	case strings.HasPrefix(heading, "Blk"), strings.Contains(heading, "sec"), heading == "avgrq-sz":
		return sector
	}
	return kib
}

func (m metric) out(prefix string) []Out {
	return []Out{{Name: prefix + m.name, Scale: m.scale}}
}

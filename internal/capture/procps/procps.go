// Package procps reads what vmstat, dstat and dool print.
package procps

import (
	"fmt"

	"plinth/internal/capture"
	"plinth/internal/record"
)

// Kinds returns the formats that the package reads.
func Kinds() []capture.Kind {
	return []capture.Kind{
		{Name: "vmstat", Title: "output of vmstat", Begins: beginsVmstat, New: func() capture.Reader { return &vmstat{} }},
		{Name: "vmstat-disk", Title: "disk statistics of vmstat -d", Begins: beginsDisks, New: func() capture.Reader { return newDisks() }},
		{Name: "vmstat-sums", Title: "sums of vmstat -s or -D", Begins: beginsSums, New: func() capture.Reader { return &sums{} }},
		{Name: "dstat", Title: "output of dstat or dool", Begins: beginsDstat, New: func() capture.Reader { return &dstat{} }},
		{Name: "dstat-csv", Title: "CSV file of dstat or dool", Begins: beginsCSV, New: func() capture.Reader { return &csvFile{} }},
	}
}

// screen is how many rows vmstat and dstat print at least before they repeat the header: 21 for a
// terminal of 24 lines, which is also what they assume for a file (winhi() - 3 in procps' vmstat.c).
const screen = 21

// repeats reports whether a header that comes after so many rows is a repetition rather than the
// beginning of another output: a shorter screen is not distinguishable from a second run.
func repeats(rows int) bool { return rows >= screen }

func leftOut(format string, values ...any) record.Note {
	return record.Note{Rule: capture.LeftOut, Text: fmt.Sprintf(format, values...)}
}

func unclear(format string, values ...any) record.Note {
	return record.Note{Rule: capture.Unclear, Text: fmt.Sprintf(format, values...)}
}

func cutOff(what string) record.Note {
	return record.Note{Rule: capture.Cut, Text: fmt.Sprintf("the text ends within the last %s, which is left out", what)}
}

var sinceBoot = leftOut("the first row has averages since boot and is left out")

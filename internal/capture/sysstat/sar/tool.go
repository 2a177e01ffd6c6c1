// Package sar reads the text of mpstat, pidstat and sar: tables whose lines begin with a time of
// day. The forms are those of sysstat 10.1 to 12.7 (mpstat.c, pidstat.c, pr_stats.c), checked with the
// programs of 12.6.1 and with older outputs.
package sar

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"plinth/internal/capture"
	"plinth/internal/capture/sysstat/layout"
)

// tool is one of the programs.
type tool struct {
	name    string
	heading func(columns []string) bool // reports whether the program prints such a heading
	// activity says that the program leaves out what did nothing, so that its averages are of more than
	// it prints.
	activity bool
}

var tools = []tool{
	{name: "mpstat", heading: mpstatHeading},
	{name: "pidstat", heading: pidstatHeading, activity: true},
	{name: "sar", heading: sarHeading},
}

// Kinds returns the formats that this package reads.
func Kinds() []capture.Kind {
	var kinds []capture.Kind
	for _, t := range tools {
		kinds = append(kinds, capture.Kind{
			Name: t.name, Title: "output of " + t.name,
			Begins: t.begins,
			New:    func() capture.Reader { return newReader(t) },
		})
	}
	return kinds
}

// begins reports whether an output begins: with its first line and a heading, or with a heading and
// a line of values if the first line is missing.
func (t tool) begins(lines []string) bool {
	_, first := layout.ParseBanner([]byte(lines[0]))
	if !first {
		return t.isHeading(lines[0]) && len(lines) > 1 && isRow(lines[1])
	}
	for _, line := range lines[1:] {
		trimmed := strings.TrimSpace(line)
		if trimmed != "" && !strings.Contains(line, "LINUX RESTART") {
			return t.isHeading(line)
		}
	}
	return false
}

func (t tool) isHeading(line string) bool {
	fields := layout.Fields(nil, []byte(line))
	_, names := headingLabel(fields)
	if names == 0 {
		return false
	}
	columns := columnsOf(fields[names:])
	return columns != nil && t.heading(columns)
}

func isRow(line string) bool {
	fields := layout.Fields(nil, []byte(line))
	_, used := layout.TimeOfDay(fields)
	return used > 0 && len(fields) > used || len(fields) > 1 && isEpoch(fields[0])
}

// What headingLabel returns besides a time.
const (
	averageHeading = -1
	oneLineHeading = -2 // of pidstat -h
)

// headingLabel returns what stands before the names of columns in a heading: the seconds since midnight
// of a time, averageHeading for "Average:", oneLineHeading for "# Time". names is the number of the
// first field with a name; 0 if the fields are no heading.
func headingLabel(fields [][]byte) (label, names int) {
	seconds, used := layout.TimeOfDay(fields)
	switch {
	case used > 0:
		return seconds, used
	case len(fields) > 1 && string(fields[0]) == "#" && string(fields[1]) == "Time":
		return oneLineHeading, 2
	}
	return averageHeading, averageLabel(fields)
}

// columnName is a name of a column: "%usr", "kB_rd/s", "24/s", "StkSize", "ldavg-1".
var columnName = regexp.MustCompile(`^[%A-Za-z0-9][-%\w+./]*$`)

// columnsOf returns the names of columns; nil if a field is none.
func columnsOf(fields [][]byte) []string {
	var columns []string
	for _, f := range fields {
		if _, number := layout.ParseNumber(f); number || !columnName.Match(f) {
			return nil
		}
		columns = append(columns, string(f))
	}
	return columns
}

// averageLabel returns how many fields the label of an average takes; 0 if there is none. The label
// is translated: "Average:", "Durchschn.:", "Moyenne :", "Summary:".
func averageLabel(fields [][]byte) int {
	for i, f := range fields[:min(len(fields), 2)] {
		if bytes.ContainsAny(f, "0123456789#;=(){}\"'`") {
			return 0
		}
		if f[len(f)-1] == ':' && (i == 0 || len(f) == 1) {
			return i + 1
		}
	}
	return 0
}

// mpstatHeading: shares of CPU time with irq before steal (sar -u ALL has them in another order),
// sums of interrupts, and rates of each, which are numbers or in capitals.
func mpstatHeading(columns []string) bool {
	if columns[0] != "CPU" && columns[0] != "NODE" || len(columns) < 2 {
		return false
	}
	irq, steal := slices.Index(columns, "%irq"), slices.Index(columns, "%steal")
	if irq >= 0 {
		return irq < steal && slices.Contains(columns, "%idle")
	}
	for _, c := range columns[1:] {
		if c != "intr/s" && !interrupt.MatchString(c) {
			return false
		}
	}
	return true
}

var interrupt = regexp.MustCompile(`^[A-Z0-9_]+/s$`)

func pidstatHeading(columns []string) bool {
	return columns[len(columns)-1] == "Command" && (slices.Contains(columns, "PID") || slices.Contains(columns, "TID"))
}

// sarFirst has the first columns of sar's tables (activity.c, versions 10.1 to 12.7).
var sarFirst = strings.Fields(`proc/s cswch/s pswpin/s pgpgin/s tps frmpg/s kbmemfree kbswpfree kbhugfree dentunusd runq-sz
	DEV IFACE INTR TTY FAN TEMP IN BUS BAT call/s scall/s totsck irec/s ihdrerr/s imsg/s ierr/s active/s atmptf/s idgm/s
	tcp6sck irec6/s ihdrer6/s imsg6/s ierr6/s idgm6/s MBfsfree FCHOST fch_rxf/s
	%scpu-10 %sio-10 %smem-10 %scpu %sio %smem`)

// sarLast has the columns that --pretty moves to the end, and those that are there anyway.
var sarLast = strings.Fields("DEV IFACE TTY FILESYSTEM MOUNTPOINT FCHOST")

func sarHeading(columns []string) bool {
	switch {
	case slices.Contains(sarFirst, columns[0]), slices.Contains(sarLast, columns[len(columns)-1]):
		return true
	case columns[0] != "CPU" || len(columns) < 2:
		return false
	}
	return columns[1] == "MHz" || columns[1] == "wghMHz" || columns[1] == "total/s" || columns[1] == "%user" || columns[1] == "%usr" && !mpstatHeading(columns)
}

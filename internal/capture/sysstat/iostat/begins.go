// Package iostat reads the text of iostat: its reports on CPUs and disks. The forms are those of
// sysstat 10.1 to 12.7 (write_plain_cpu_stat, write_disk_stat_header and write_plain_ext_stat in
// iostat.c), checked with 12.6.1 and with outputs of 10.1 and 12.7.
package iostat

import (
	"regexp"
	"strings"

	"plinth/internal/capture"
	"plinth/internal/capture/sysstat/layout"
)

// Kinds returns the format that this package reads.
func Kinds() []capture.Kind {
	return []capture.Kind{{
		Name: "iostat", Title: "output of iostat",
		Begins: begins,
		New:    func() capture.Reader { return newReader() },
	}}
}

// begins reports whether an output begins: with its first line or the time of a report, and a
// heading, or with a heading and what follows one.
func begins(lines []string) bool {
	_, first := layout.ParseBanner([]byte(lines[0]))
	_, stamp := layout.Stamp(lines[0])
	if !first && !stamp {
		return isHeading(lines[0]) && len(lines) > 1 && (isHeading(lines[1]) || isRow(lines[1]))
	}
	for _, line := range lines[1:] {
		if _, stamp := layout.Stamp(line); strings.TrimSpace(line) != "" && !stamp {
			return isHeading(line)
		}
	}
	return false
}

func isHeading(line string) bool {
	fields := layout.Fields(nil, []byte(line))
	return cpuColumns(fields) != nil || deviceColumns(fields) != nil
}

// isRow reports whether a line has a word or nothing, and numbers.
func isRow(line string) bool {
	fields := layout.Fields(nil, []byte(line))
	numbers := 0
	for _, f := range fields {
		if _, ok := layout.ParseNumber(f); ok {
			numbers++
		}
	}
	return numbers >= 2 && numbers >= len(fields)-1
}

const cpuLabel = "avg-cpu:"

// cpuColumns returns the columns of a heading of shares of CPU time; nil if the fields are none.
func cpuColumns(fields [][]byte) []string {
	if len(fields) < 4 || string(fields[0]) != cpuLabel {
		return nil
	}
	var columns []string
	for _, f := range fields[1:] {
		if f[0] != '%' {
			return nil
		}
		columns = append(columns, string(f))
	}
	return columns
}

// deviceColumn is a column of a report on disks. kB, MB and Blk or sec (blocks of 512 bytes) depend on
// -k, -m and POSIXLY_CORRECT; w+d is writes and discards, with -s.
var deviceColumn = regexp.MustCompile(`^(tps|(kB|MB|Blk)_(read|wrtn|dscd|w\+d)(/s)?|[rwdf]/s|[rwd]?(kB|MB|sec)/s|[rwd]?rqm/s|%[rwd]?rqm|` +
	`([rwdf]_)?await|[rwd]?areq-sz|avgrq-sz|avgqu-sz|aqu-sz|svctm|%util)$`)

// deviceColumns returns the columns of a heading of a report on disks, the device included; nil if the
// fields are none. The device is the first column, with a colon before version 12, or with --pretty
// the last.
func deviceColumns(fields [][]byte) []string {
	if len(fields) < 3 {
		return nil
	}
	var columns []string
	devices := 0
	for i, f := range fields {
		name := strings.TrimSuffix(string(f), ":")
		switch {
		case name == device && (i == 0 || i == len(fields)-1):
			devices++
		case !deviceColumn.Match(f):
			return nil
		}
		columns = append(columns, name)
	}
	if devices != 1 {
		return nil
	}
	return columns
}

const device = "Device"

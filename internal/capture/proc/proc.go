// Package proc reads snapshots of files below /proc, and the output of sysctl and mount.
package proc

import (
	"plinth/internal/capture"
)

// Kinds returns the formats that the package reads.
func Kinds() []capture.Kind {
	return []capture.Kind{{Name: "proc", Title: "snapshots of /proc", Begins: begins, New: func() capture.Reader { return newReader() }}}
}

// file is one of the files, recognised by its lines alone: snapshots of several may be mixed.
type file struct {
	// take reads a line and reports whether it is one of the file.
	take func(r *reader, line string) bool
	// starts reports whether a section can begin with the line; nil if it cannot.
	starts func(line string) bool
}

var files = []file{meminfo, vmstat, stat, diskstats, loadavg, cpuinfo, mdstat, mounts, sysctl}

func begins(lines []string) bool {
	line := lines[0]
	if _, ok := capture.Stamp(line); ok {
		line = ""
		for _, next := range lines[1:] {
			if !isBlank(next) {
				line = next
				break
			}
		}
	}
	if line == "" {
		return false
	}
	for _, f := range files {
		if f.starts != nil && f.starts(line) {
			return true
		}
	}
	return false
}

// isBlank reports whether a line has nothing but dashes or equals signs: scripts separate their samples so.
func isBlank(line string) bool {
	for _, c := range line {
		if c != '-' && c != '=' && c != ' ' && c != '\t' {
			return false
		}
	}
	return true
}

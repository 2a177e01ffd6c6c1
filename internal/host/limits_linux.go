package host

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
)

// limitNames are the limits of a process that a database or its load can meet
// (getrlimit(2)).
var limitNames = []string{
	"max open files", "max processes", "max locked memory", "max stack size",
	"max address space", "max data size", "max file size", "max core file size",
}

func (i *Inventory) addLimits(root fs.FS) {
	text, err := fs.ReadFile(root, "proc/self/limits")
	if err != nil {
		i.gap("limits", err)
	}
	i.Limits = parseLimits(string(text))
}

var columns = regexp.MustCompile(` {2,}`)

// parseLimits reads /proc/PID/limits (proc_pid_limits(5)), a table whose columns
// are at least two spaces apart. Of open files the hard limit stands alone: Go's
// runtime raises plinth's own soft limit to it, and gives the old one back to
// the programs that it starts.
func parseLimits(text string) (limits []Setting) {
	for line := range strings.Lines(text) {
		fields := columns.Split(strings.TrimSpace(line), 4)
		if len(fields) < 3 {
			continue
		}
		name, soft, hard, unit := strings.ToLower(fields[0]), fields[1], fields[2], ""
		if len(fields) == 4 {
			unit = fields[3]
		}
		if !slices.Contains(limitNames, name) {
			continue
		}
		value := limit(soft, unit) + " soft, " + limit(hard, unit) + " hard"
		switch {
		case name == "max open files":
			value = limit(hard, unit) + " hard"
		case soft == hard:
			value = limit(hard, unit)
		}
		limits = append(limits, Setting{name, value})
	}
	return limits
}

func limit(value, unit string) string {
	if value == "unlimited" || unit == "" {
		return value
	}
	return value + " " + unit
}

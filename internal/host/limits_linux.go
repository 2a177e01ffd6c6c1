package host

import (
	"io/fs"
	"slices"
	"strings"

	"plinth/internal/host/proc"
)

// limitNames lists the resource limits that a database or its load can reach (getrlimit(2)).
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

// parseLimits reads /proc/PID/limits. For open files it keeps only the hard limit: Go's
// runtime raises plinth's own soft limit to it, and restores the old one in the programs that
// it starts.
func parseLimits(text string) (limits []Setting) {
	for _, l := range proc.Limits(text) {
		name, soft, hard, unit := strings.ToLower(l.Name), l.Soft, l.Hard, l.Unit
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

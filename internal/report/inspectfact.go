package report

import (
	"fmt"
	"strings"

	"plinth/internal/inspect"
)

// joined joins what is not empty.
func joined(separator string, parts ...string) string {
	var there []string
	for _, p := range parts {
		if p != "" {
			there = append(there, p)
		}
	}
	return strings.Join(there, separator)
}

// when is text where it holds, and nothing elsewhere.
func when(holds bool, format string, args ...any) string {
	if !holds {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// settingsLine is the values of some settings: "fsync on, wal_level replica".
func settingsLine(i inspect.Inspection, names ...string) string {
	var parts []string
	for _, name := range names {
		if s, known := i.Server.Setting(name); known {
			parts = append(parts, name+" "+s.Value)
		}
	}
	return strings.Join(parts, ", ")
}

package inspection

import (
	"strings"

	"plinth/internal/inspect"
)

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

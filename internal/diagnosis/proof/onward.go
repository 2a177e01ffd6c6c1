package proof

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// larger are the settings that help by being larger than they are. A server may have more than a change suggests.
var larger = []string{
	"shared_buffers", "work_mem", "wal_buffers", "max_wal_size", "checkpoint_timeout", "bgwriter_lru_maxpages", "commit_delay",
	"autovacuum_vacuum_cost_delay", "io-threads", "auto-aof-rewrite-min-size", "repl-backlog-size",
}

// onward returns a change without the settings that would become smaller.
func onward(now map[string]string, change map[string]any) map[string]any {
	settings, has := change["settings"].(map[string]any)
	if !has {
		return change
	}
	settings = maps.Clone(settings)
	maps.DeleteFunc(settings, func(name string, value any) bool {
		text, isText := value.(string)
		if number, isNumber := value.(int); isNumber {
			text, isText = strconv.Itoa(number), true
		}
		asked, known := quantity(text)
		has, set := quantity(now[name])
		return isText && known && set && slices.Contains(larger, name) && has >= asked
	})
	change = maps.Clone(change)
	change["settings"] = settings
	if len(settings) == 0 {
		delete(change, "settings")
	}
	return change
}

// units are those of PostgreSQL and Redis in lower case, in bytes and in milliseconds.
var units = map[string]float64{
	"": 1, "b": 1, "kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30, "tb": 1 << 40,
	"us": 1e-3, "ms": 1, "s": 1e3, "min": 60e3, "h": 3600e3, "d": 86400e3,
}

// quantity reads a number with a unit.
func quantity(text string) (value float64, known bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	digits := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyz ")
	unit, known := units[strings.TrimSpace(text[len(digits):])]
	value, err := strconv.ParseFloat(digits, 64)
	return value * unit, known && err == nil
}

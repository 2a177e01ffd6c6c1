package proof

import (
	"fmt"
	"maps"
	"slices"

	"plinth/internal/knob"
)

// larger are the settings that help by being larger than they are. A server may have more than a change suggests.
var larger = []string{
	"shared_buffers", "work_mem", "wal_buffers", "max_wal_size", "min_wal_size", "checkpoint_timeout", "bgwriter_lru_maxpages", "commit_delay",
	"autovacuum_vacuum_cost_delay", "io-threads", "auto-aof-rewrite-min-size", "repl-backlog-size",
}

// onward returns a change without the settings that would become smaller, or stay as they are.
func onward(now map[string]string, change map[string]any) map[string]any {
	settings, has := change["settings"].(map[string]any)
	if !has {
		return change
	}
	settings = maps.Clone(settings)
	maps.DeleteFunc(settings, func(name string, value any) bool {
		asked := fmt.Sprint(value)
		k, known := setting(name)
		set, is := now[name]
		return known && is && (k.Same(asked, set) || slices.Contains(larger, name) && k.Less(asked, set))
	})
	change = maps.Clone(change)
	change["settings"] = settings
	if len(settings) == 0 {
		delete(change, "settings")
	}
	return change
}

// setting returns the setting of a server by its name.
func setting(name string) (k knob.Knob, known bool) {
	for _, engine := range []string{"postgres", "redis"} {
		if k, known = knob.Parameter(engine, name); known {
			return k, true
		}
	}
	return k, false
}

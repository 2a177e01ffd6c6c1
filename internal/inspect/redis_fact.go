package inspect

import (
	"strconv"
	"strings"
)

// What rules of Redis ask. Each answer comes with whether it is known.

// config is a setting of the Redis server.
func (in *Input) config(name string) (string, bool) { return in.Redis.Setting(name) }

// configured says whether a setting is known to have a value.
func (in *Input) configured(name, value string) bool {
	have, known := in.config(name)
	return known && have == value
}

// told is a number of INFO; 0 where it is not told.
func (in *Input) told(name string) int64 {
	n, _ := strconv.ParseInt(in.Redis.Info[name], 10, 64)
	return n
}

// persists says whether the server writes anything to a disk.
func (in *Input) persists() bool {
	aof, save, _ := in.Redis.Persists()
	return aof || save != ""
}

// configSet is how a setting is changed while the server runs, and kept.
func configSet(name, value string) string {
	if value == "" || strings.Contains(value, " ") {
		value = `"` + value + `"`
	}
	return "CONFIG SET " + name + " " + value + "; CONFIG REWRITE"
}

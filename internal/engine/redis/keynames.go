package redis

import (
	"fmt"

	"plinth/internal/experiment"
)

// The keys of a dataset are called otherwise than those of the load, so that the
// load meets none of them. The load has as many keys of its own as keyspace says: a
// prefix, which is redis-benchmark's unless a target says another, and a number of
// twelve digits.
const (
	datasetKey  = "data:%d"
	loadKey     = "%012d"
	usualPrefix = "key:"
)

// loadKeyName is a key of the load.
func (d *database) loadKeyName(number int64) string {
	prefix := d.prefix
	if prefix == "" {
		prefix = usualPrefix
	}
	return prefix + fmt.Sprintf(loadKey, number)
}

// readKeys is how many keys of the load are written before it: all of them where one
// of the workloads reads them, so that it finds them.
func readKeys(e *experiment.Experiment) int64 {
	for _, w := range e.Workloads {
		for _, s := range w.Scripts {
			if s.Reads() {
				return e.Keyspace
			}
		}
	}
	return 0
}

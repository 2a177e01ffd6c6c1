package redis

import (
	"fmt"

	"plinth/internal/experiment"
)

// The keys of a dataset are called otherwise than those of the load, so that the
// load meets none of them: it has as many keys of its own as keyspace says, named as
// redis-benchmark names them.
const (
	datasetKey = "data:%d"
	loadKey    = "key:%012d"

	// fixedKey is the one key of redis-benchmark without -r, which leaves its pattern
	// as it stands.
	fixedKey = "key:__rand_int__"
)

// loadKeyName is a key of the load.
func loadKeyName(e *experiment.Experiment, number int64) string {
	if e.Generator == experiment.RedisBenchmark && e.Keyspace == 1 {
		return fixedKey
	}
	return fmt.Sprintf(loadKey, number)
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

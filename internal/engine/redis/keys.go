package redis

import (
	"context"
	"fmt"

	goredis "github.com/redis/go-redis/v9"

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

// scanCount is how many keys are looked at, and unlinked, at once: enough for a
// few hundred thousand a second, and a few milliseconds of the server's time.
const scanCount = 1000

// unlink removes all keys that begin with a prefix, in batches: SCAN finds whatever
// is there all the time, and UNLINK frees memory aside.
func unlink(ctx context.Context, rdb *goredis.Client, prefix string) error {
	for cursor := uint64(0); ; {
		keys, next, err := rdb.Scan(ctx, cursor, escapePattern(prefix)+"*", scanCount).Result()
		if err != nil {
			return err
		}
		if len(keys) > 0 {
			if err := rdb.Unlink(ctx, keys...).Err(); err != nil {
				return err
			}
		}
		if cursor = next; cursor == 0 {
			return nil
		}
	}
}

// escapePattern is text as MATCH takes it for itself.
func escapePattern(text string) string {
	var pattern []byte
	for i := range len(text) {
		switch text[i] {
		case '*', '?', '[', ']', '\\', '^':
			pattern = append(pattern, '\\')
		}
		pattern = append(pattern, text[i])
	}
	return string(pattern)
}

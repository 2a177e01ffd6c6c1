package redis

import (
	"context"
	"fmt"

	goredis "github.com/redis/go-redis/v9"

	"plinth/internal/experiment"
)

// The names of a dataset's keys differ from those of the load, so that the load does not touch
// them. The load has its own keys, as many as keyspace says: a prefix, which is redis-benchmark's
// unless a target has another, and a number of twelve digits.
const (
	datasetKey  = "data:%d"
	loadKey     = "%012d"
	usualPrefix = "key:"
)

// loadKeyName returns the name of a key of the load.
func (d *database) loadKeyName(number int64) string {
	prefix := d.prefix
	if prefix == "" {
		prefix = usualPrefix
	}
	return prefix + fmt.Sprintf(loadKey, number)
}

// readKeys returns how many keys of the load are written before it: all of them if one of the
// workloads reads them, so that it finds them.
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

// scanCount is how many keys are scanned, and unlinked, at once: enough for a few hundred
// thousand a second, at a few milliseconds of the server's time each.
const scanCount = 1000

// unlink removes all keys with a prefix, in batches: SCAN returns every key that exists
// throughout the scan, and UNLINK frees memory in the background.
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

// escapePattern escapes text so that MATCH takes it literally.
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

package redis

import (
	"context"

	goredis "github.com/redis/go-redis/v9"
)

// scanCount is how many keys are looked at, and unlinked, at once: enough for a
// few hundred thousand a second, and a few milliseconds of the server's time.
const scanCount = 1000

// unlink removes all keys that begin with a prefix, in batches: SCAN finds whatever
// is there all the time, and UNLINK frees memory aside.
func unlink(ctx context.Context, client *goredis.Client, prefix string) error {
	for cursor := uint64(0); ; {
		keys, next, err := client.Scan(ctx, cursor, escapePattern(prefix)+"*", scanCount).Result()
		if err != nil {
			return err
		}
		if len(keys) > 0 {
			if err := client.Unlink(ctx, keys...).Err(); err != nil {
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

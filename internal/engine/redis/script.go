package redis

import (
	"context"
	"fmt"
	"slices"

	goredis "github.com/redis/go-redis/v9"

	"plinth/internal/engine"
)

// commandsOf maps the load's tests to the commands that they send, each with a key and arguments.
var commandsOf = map[string][]any{
	"ping": {"PING"}, "ping-inline": {"PING"}, "set": {"SET", "string", "1"}, "get": {"GET", "string"}, "mset": {"MSET", "string", "1"}, "incr": {"INCR", "string"},
	"lpush": {"LPUSH", "list", "1"}, "rpush": {"RPUSH", "list", "1"}, "lpop": {"LPOP", "list"}, "rpop": {"RPOP", "list"},
	"sadd": {"SADD", "set", "1"}, "spop": {"SPOP", "set"}, "hset": {"HSET", "hash", "1", "1"}, "zadd": {"ZADD", "sorted", "1", "1"},
}

// CheckScripts sends each command of the load once, with keys that it removes afterwards: a user
// may not be allowed all of them, and some may be renamed.
func (d *database) CheckScripts(ctx context.Context) error {
	var tests []string
	for _, w := range d.Experiment.Workloads {
		for _, s := range w.Scripts {
			if !slices.Contains(tests, s.Builtin) {
				tests = append(tests, s.Builtin)
			}
		}
	}
	return d.Use(ctx, func(rdb *goredis.Client) error {
		var keys []string
		for _, test := range tests {
			args := slices.Clone(commandsOf[test])
			if args == nil {
				return &engine.MistakeError{Err: fmt.Errorf("%s is not a redis-benchmark test that plinth supports", test)}
			}
			if len(args) > 1 {
				key := d.prefix + "plinth-check-" + args[1].(string) //nolint:forcetypeassert // the table's
				keys, args[1] = append(keys, key), key
			}
			if err := rdb.Do(ctx, args...).Err(); err != nil && err != goredis.Nil { //nolint:errorlint // as the library documents it
				return &engine.MistakeError{Err: advise(fmt.Errorf("the server rejects the command of test %s: %w", test, engine.Plain(err)))}
			}
		}
		if keys == nil {
			return nil
		}
		return rdb.Unlink(ctx, keys...).Err()
	})
}

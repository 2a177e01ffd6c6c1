package redis

import (
	"context"
	"fmt"
	"strings"

	goredis "github.com/redis/go-redis/v9"

	"plinth/internal/engine"
	"plinth/internal/engine/redis/client"
	"plinth/internal/engine/redis/conf"
	"plinth/internal/hint"
)

// Do sends the user's commands under load, one per line, parsed as by redis-cli: words, with
// quotes where they contain blanks. It stops at the first error. It does not wait for background
// work, such as that of BGSAVE.
func (d *database) Do(ctx context.Context, commands string) error {
	rdb := client.New(d.Statistics())
	stop := context.AfterFunc(ctx, func() { _ = rdb.Close() }) // the server then drops the command in progress
	defer func() {
		if stop() {
			_ = rdb.Close()
		}
	}()
	for line := range strings.Lines(commands) {
		words, err := conf.SplitWords(line)
		if err != nil {
			return &engine.MistakeError{Err: fmt.Errorf("%s %w", strings.TrimSpace(line), err)}
		}
		if len(words) == 0 {
			continue
		}
		if err := d.do(ctx, rdb, words); err != nil {
			return err
		}
	}
	return nil
}

func (d *database) do(ctx context.Context, rdb *goredis.Client, words []string) error {
	if d.prefix != "" && foreverOthers[strings.ToLower(words[0])] {
		return &engine.MistakeError{Err: hint.Errorf("run it on a server that plinth starts",
			"%s is not allowed on a connected server", strings.ToUpper(words[0]))}
	}
	args := make([]any, len(words))
	for i, word := range words {
		args[i] = word
	}
	err := rdb.Do(ctx, args...).Err()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil, err == goredis.Nil: //nolint:errorlint // as the library documents it
		return nil
	case client.Says(err, "ERR"), client.Says(err, "WRONGTYPE"), client.Says(err, "NOPERM"):
		return &engine.MistakeError{Err: err}
	}
	return engine.Plain(err)
}

// foreverOthers are commands that plinth never sends to a connected server: they change or delete
// what is not plinth's.
var foreverOthers = map[string]bool{
	"flushall": true, "flushdb": true, "swapdb": true, "config": true, "shutdown": true, "replicaof": true, "slaveof": true,
	"failover": true, "debug": true, "module": true, "acl": true, "restore": true, "migrate": true, "cluster": true,
}

package redis

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"plinth/internal/engine/life"
	"plinth/internal/engine/redis/client"

	goredis "github.com/redis/go-redis/v9"
)

// Check returns an error unless the server is still the one that was started, and accepts writes.
func (o *Own) Check(ctx context.Context) error {
	if !o.process.Started() {
		return errors.New("the server is not running")
	}
	if err := life.Paused(o.process.PID()); err != nil { // it would not answer
		return err
	}
	f, err := o.Info(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		_ = o.process.AwaitEnd(ctx, life.LogDelay) // it may just be about to exit
	}
	switch {
	case life.Ended(o.process):
		return o.because(ctx, errors.New("the server has ended"))
	case err != nil:
		return fmt.Errorf("the server cannot be used: %w", err)
	case f["run_id"] != o.run:
		return errors.New("the server was restarted")
	}
	return o.takesWrites(ctx, f, o.log.Said().warning)
}

// takesWrites returns an error if the server rejects writes (MISCONF): it could not write its
// append-only file, or could not save and is configured to save and to stop then
// (writeCommandsDeniedByDiskError in src/server.c). warning is the server's own message about it, if known.
func (d *database) takesWrites(ctx context.Context, f client.Info, warning string) error {
	because := ""
	if warning != "" {
		because = ": " + warning
	}
	if f["aof_enabled"] == "1" && f["aof_last_write_status"] == "err" {
		return advise(fmt.Errorf("the server rejects writes (MISCONF) because it cannot write its append-only file%s", because))
	}
	if f["rdb_last_bgsave_status"] != "err" {
		return nil
	}
	settings := map[string]string{}
	err := d.Use(ctx, func(rdb *goredis.Client) error {
		for _, name := range []string{"stop-writes-on-bgsave-error", "save"} { // Redis 6 takes one name at a time
			got, err := rdb.ConfigGet(ctx, name).Result()
			if err != nil {
				return err
			}
			maps.Copy(settings, got)
		}
		return nil
	})
	if err != nil || settings["stop-writes-on-bgsave-error"] != "yes" || settings["save"] == "" {
		return nil //nolint:nilerr // CONFIG may be forbidden; that it could not save is no failure by itself
	}
	return advise(fmt.Errorf("the server rejects writes (MISCONF) because its last RDB save failed%s", because))
}

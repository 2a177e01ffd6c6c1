package redis

import (
	"context"
	"fmt"
	"time"

	"plinth/internal/engine"
	"plinth/internal/record"
)

// The counts of Redis: INFO's rdb_saves and aof_rewrites, from 7.0 on. Both count from the start
// of a save or a rewrite.
const (
	savesCount    = record.RDBSaves
	rewritesCount = record.AOFRewrites
)

// deafLimit is how long a reading of the activity may take: a server that is busy with one long
// command answers no other client.
const deafLimit = 5 * time.Second

// activity reads INFO. Counts that an older server does not have come from its log, if there is
// one.
func (d *database) activity(ctx context.Context, log *serverLog) (engine.Activity, error) {
	within, cancel := context.WithTimeout(ctx, deafLimit)
	defer cancel()
	f, err := d.Info(within)
	if within.Err() != nil && ctx.Err() == nil {
		err = fmt.Errorf("it did not answer within %s", deafLimit)
	}
	if err != nil {
		return engine.Activity{}, fmt.Errorf("cannot read the activity of the server: %w", err)
	}
	d.meet(f)
	a := engine.Activity{Started: d.started, Counts: map[string]int64{}, Busy: map[string]int64{}}
	for _, count := range []string{savesCount, rewritesCount, record.EvictedKeys} {
		if _, told := f[count]; told {
			a.Counts[count] = f.Number(count)
		} else if log != nil {
			a.Counts[count] = log.Said().forked(count)
		}
	}
	a.Busy[savesCount] = f.Number("rdb_bgsave_in_progress")
	a.Busy[rewritesCount] = f.Number("aof_rewrite_in_progress")
	for count, busy := range a.Busy {
		if started, known := a.Counts[count]; known { // of which some may be in progress
			a.Counts[count] = max(0, started-busy) // the log may be late
		}
	}
	return a, nil
}

package redis

import (
	"context"
	"fmt"
)

// The ways in which a dataset is set back before a run.
const (
	resetNone    = "none"
	resetRewrite = "rewrite"
	resetReload  = "reload"
)

// reset sets the dataset back before a run: "rewrite" has the append-only file
// rewritten, where there is one, so that each run begins with one that holds the keys
// and no history; "reload" drops all and loads it again; "none" does nothing.
func (d *database) reset(ctx context.Context, how string, rewrite, reload func(context.Context) error) error {
	var err error
	switch {
	case how == resetNone:
	case how == resetReload:
		return reload(ctx)
	case how == resetRewrite && !d.loaded:
		err = errNotLoaded
	case how == resetRewrite:
		err = rewrite(ctx)
	default:
		err = fmt.Errorf("no way is called %q", how)
	}
	if err != nil {
		return advise(fmt.Errorf("cannot reset the dataset: %w", err))
	}
	return nil
}

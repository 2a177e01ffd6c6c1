package cli

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"plinth/internal/hint"
	"plinth/internal/inspect"
	"plinth/internal/runner"
	"plinth/internal/unit"
)

const watchHint = "one second to 24h, without fractions of a second"

// watchLength is how long to watch; 0 is not at all.
func watchLength(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	if whole, err := strconv.ParseUint(text, 10, 32); err == nil {
		return 0, hint.Errorf(fmt.Sprintf("write --for %ds, or --for %dm", whole, whole), "--for: %q has no unit", text)
	}
	length, err := unit.ParseDuration(text)
	if err != nil {
		return 0, hint.Wrap(fmt.Errorf("--for: %w", err), watchHint)
	}
	if d := length.Std(); d >= time.Second && d <= 24*time.Hour && d%time.Second == 0 {
		return d, nil
	}
	return 0, hint.Errorf(watchHint, "cannot watch for %s", length)
}

// stopWatching is what is said at Ctrl-C.
var stopWatching = "what was seen so far follows"

// stopLooking is what a command that changes nothing says at Ctrl-C.
var stopLooking = "nothing was changed"

// watch watches a target, and says how long that still takes.
func (a *app) watch(ctx context.Context, target inspect.Target, seen inspect.Inspection, length time.Duration) (*inspect.Watched, error) {
	a.stopping.Store(&stopWatching)
	view := a.view(false)
	defer view.end()
	return inspect.Watch(ctx, target, seen, length, func(done time.Duration) {
		left := (length - done).Round(time.Second)
		view.Status(runner.Status{Step: "watching", Detail: left.String() + " left"})
	})
}

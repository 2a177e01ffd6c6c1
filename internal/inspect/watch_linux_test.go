package inspect

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestWatchIsInterrupted checks that the whole seconds until then are kept.
func TestWatchIsInterrupted(t *testing.T) {
	t.Parallel()
	target := Target{Dir: t.TempDir()}
	seen, err := Look(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w, err := Watch(ctx, target, seen, time.Minute, func(done time.Duration) {
		if done > time.Second {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || w == nil {
		t.Fatalf("%v, %v", w, err)
	}
	seconds := len(w.Points.Columns[0].Values)
	if most := int(time.Since(began) / time.Second); seconds < 1 || seconds > most || w.Asked != 60 || w.Run.Figures["memory-use"] <= 0 {
		t.Errorf("%d of %d seconds, %v", seconds, w.Asked, w.Run.Figures)
	}

	cancel()
	if w, err := Watch(ctx, target, seen, time.Minute, func(time.Duration) {}); w != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("before the first second: %v, %v", w, err)
	}
}

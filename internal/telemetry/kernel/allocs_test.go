//go:build linux

package kernel

import (
	"context"
	"testing"
	"time"

	"plinth/internal/telemetry"
)

// Once its columns are there a reading makes no garbage. A board grows with every
// reading, so that all of these are put into one.
func TestNoGarbage(t *testing.T) {
	lane := Lane(everything(t))
	for _, source := range lane.Sources {
		t.Run(source.Name(), func(t *testing.T) {
			defer source.Close()
			b := telemetry.NewBoard(source.Name())
			b.Begin(time.Time{})
			read := func() {
				if err := source.Read(context.Background(), b); err != nil {
					t.Fatal(err)
				}
			}
			if allocations := testing.AllocsPerRun(20, read); allocations >= 1 {
				t.Errorf("%.0f allocations a reading", allocations)
			}
		})
	}
}

package observer

import (
	"context"
	"slices"
	"testing"
	"time"

	"plinth/internal/engine"
	"plinth/internal/host"
	"plinth/internal/host/watch"
)

// TestForeignServers checks that the usage of other processes is a gap if the processes of any server of
// the experiment that is not plinth's own are not known, also while another server is under load.
func TestForeignServers(t *testing.T) {
	t.Parallel()
	for _, foreign := range [][]int{nil, {18}, {18, 0}} {
		r := Begin(t.Context(), Options{
			Servers: []Server{{Environment: "own", Driven: true, Activity: func(context.Context) (engine.Activity, error) {
				return engine.Activity{PID: 17}, nil
			}}},
			Foreign:    foreign,
			Conditions: func() (host.Conditions, error) { return host.Conditions{}, nil },
			Processes:  func() (*watch.Processes, error) { return &watch.Processes{}, nil },
		})
		if r.Server() != 17 {
			t.Errorf("the driven server is process %d", r.Server())
		}
		gaps := map[string]bool{}
		for _, g := range r.Evidence(t.Context(), time.Now(), time.Now()).Gaps {
			gaps[g.What] = true
		}
		if gaps["machine.others_cpu_s"] != slices.Contains(foreign, 0) {
			t.Errorf("foreign %v: the gaps are %v", foreign, gaps)
		}
	}
}

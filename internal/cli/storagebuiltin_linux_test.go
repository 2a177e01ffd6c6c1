package cli

import (
	"strings"
	"testing"
)

// Two built-in experiments are really run, in their smallest form, with slower devices,
// which are on time on a machine that is busy.
func TestStorageBuiltins(t *testing.T) {
	smallest := []string{
		"workloads=[tpcb-like]", "clients=1", "threads=1", "duration=1s", "warmup=0s", "repeats=1", "dataset.scale=1", "seed=1",
		"settings.max_wal_size=64MB", "settings.min_wal_size=32MB", "settings.shared_buffers=16MB", "settings.maintenance_work_mem=16MB",
	}
	for name, sets := range map[string][]string{
		"wal-separation": {
			"environments.one-device.storage.data.latency=5ms",
			"environments.two-devices.storage.data.latency=5ms", "environments.two-devices.storage.wal.latency=5ms",
		},
		"replicated-storage": {
			"environments.replicas-1=", "environments.replicas-2=",
			"environments.replicas-2-shared.storage.data.latency=5ms",
			"environments.replicas-2-shared.pressure={write: 1MiB/s, read: 1MiB/s}",
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newStorageWorld(t)
			args := []string{"run", name}
			for _, set := range append(sets, smallest...) {
				args = append(args, "--set", set)
			}
			w.says("run 1 of 2", args...)
			w.endedWell(w.ends())
			for _, e := range w.record().Environments {
				if e.Basis() != "emulated" || (e.Limits != nil) != (name == "wal-separation") || (e.Pressure != nil) != strings.HasSuffix(e.Name, "-shared") {
					t.Errorf("%s is %s, with limits %+v and pressure %+v", e.Name, e.Basis(), e.Limits, e.Pressure)
				}
			}
			if runs := w.record().Runs; len(runs) < 2 {
				t.Errorf("%d runs", len(runs))
			}
		})
	}
}

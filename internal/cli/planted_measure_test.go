//go:build linux && measure

package cli

import (
	"strings"
	"testing"

	"plinth/internal/measuretest"
	"plinth/internal/record"
)

// The figures of a run must attribute the right share of time to the injected cause.

func TestMeasurePlantedSlowDisk(t *testing.T) {
	measuretest.Ask(t, "Does a run show that its disk takes 10 ms for each write?", func(m *measuretest.M) {
		w := faultWorldOf(m.T)
		environment, device := w.plantSlowDisk()
		run, columns := w.observed(planted + environment)
		m.AtLeast("the device is in use", w.most(columns, "diskstats."+device+".utilisation"), "", 0.5)
		m.AtLeast("a sync of WAL", known(m, run, "wal-sync-latency")/1e6, "ms", 10)
		m.AtLeast("sessions wait for I/O or WAL", waiting(run, "IO")+waiting(run, "LWLock"), "", 0.5)
		m.AtMost("CPU of the server", known(m, run, "cpu-by-server"), "", 0.5)
	})
}

func TestMeasurePlantedCPUHog(t *testing.T) {
	measuretest.Ask(t, "Does a run show a busy loop beside it?", func(m *measuretest.M) {
		w := faultWorldOf(m.T)
		w.hog()
		run, columns := w.observed(planted + hogged)
		m.AtLeast("CPU of others", w.most(columns, "process.others.cpu"), "CPUs", 0.9)
		m.AtLeast("CPU of others, of the server's", known(m, run, "cpu-by-others")/known(m, run, "cpu-by-server"), "times", 2)
	})
}

func TestMeasurePlantedLockStorm(t *testing.T) {
	measuretest.Ask(t, "Does a run show that eleven of twelve clients wait for a row?", func(m *measuretest.M) {
		w := faultWorldOf(m.T)
		run, columns := w.observed(planted + w.plantLockStorm())
		m.AtLeast("sessions wait for locks", waiting(run, "Lock"), "", 0.6)
		m.AtLeast("active sessions", w.most(columns, "wait.active"), "", 8)
	})
}

func TestMeasurePlantedCheckpointStorm(t *testing.T) {
	measuretest.Ask(t, "Does a run show checkpoints that follow each other at once?", func(m *measuretest.M) {
		w := faultWorldOf(m.T)
		run, columns := w.observed(planted + w.plantCheckpointStorm())
		m.AtLeast("WAL", w.most(columns, "wal.bytes")/(1<<20), "MiB/s", 8)
		m.AtLeast("checkpoints in 3 s", known(m, run, "checkpoints"), "", 1)
		m.AtLeast("checkpoints a second", w.most(columns, "checkpoints.requested"), "", 0.5)
	})
}

// known returns one of a run's figures. If telemetry missed it because of a slow second, the
// measurement is discarded.
func known(m *measuretest.M, run record.Run, name string) float64 {
	m.Helper()
	v, there := run.Figures[name]
	if !there {
		m.Lost("no figure %s; gaps: %+v", name, run.FigureGaps)
	}
	return v
}

// waiting returns the share of active time spent in waits of one type.
func waiting(run record.Run, kind string) (share float64) {
	for name, v := range run.Figures {
		if strings.HasPrefix(name, "wait."+kind+".") {
			share += v
		}
	}
	return share
}

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
		m.AtLeast("highest utilisation of the device", w.most(columns, "diskstats."+device+".utilisation"), "", 0.5)
		m.AtLeast("latency of a WAL sync", known(m, run, "wal-sync-latency")/1e6, "ms", 10)
		m.AtLeast("share of active time that sessions spend waiting for I/O or WAL", waiting(run, "IO")+waiting(run, "LWLock"), "", 0.5)
		m.AtMost("share of all CPU time that the server uses", known(m, run, "cpu-by-server"), "", 0.5)
	})
}

func TestMeasurePlantedCPUHog(t *testing.T) {
	measuretest.Ask(t, "Does a run show that another process runs a busy loop?", func(m *measuretest.M) {
		w := faultWorldOf(m.T)
		w.hog()
		run, columns := w.observed(planted + hogged)
		m.AtLeast("highest CPU use by other processes", w.most(columns, "process.others.cpu"), "CPUs", 0.9)
		m.AtLeast("CPU use by other processes, relative to the server's", known(m, run, "cpu-by-others")/known(m, run, "cpu-by-server"), "times", 2)
	})
}

func TestMeasurePlantedLockStorm(t *testing.T) {
	measuretest.Ask(t, "Does a run show that eleven of twelve clients wait for a row lock?", func(m *measuretest.M) {
		w := faultWorldOf(m.T)
		run, columns := w.observed(planted + w.plantLockStorm())
		m.AtLeast("share of active time that sessions spend waiting for locks", waiting(run, "Lock"), "", 0.6)
		m.AtLeast("highest number of active sessions", w.most(columns, "wait.active"), "", 8)
	})
}

func TestMeasurePlantedCheckpointStorm(t *testing.T) {
	measuretest.Ask(t, "Does a run show checkpoints that follow each other immediately?", func(m *measuretest.M) {
		w := faultWorldOf(m.T)
		run, columns := w.observed(planted + w.plantCheckpointStorm())
		m.AtLeast("highest WAL rate", w.most(columns, "wal.bytes")/(1<<20), "MiB/s", 8)
		m.AtLeast("checkpoints in 3 s", known(m, run, "checkpoints"), "", 1)
		m.AtLeast("highest number of checkpoints per second", w.most(columns, "checkpoints.requested"), "", 0.5)
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

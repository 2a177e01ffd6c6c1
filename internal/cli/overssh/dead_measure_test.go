//go:build linux && measure

package overssh

import (
	"slices"
	"testing"
	"time"

	"plinth/internal/measuretest"
)

// TestMeasureDeadTime measures how much longer the time between two runs is over ssh.
func TestMeasureDeadTime(t *testing.T) {
	for _, c := range []struct {
		question string
		delay    time.Duration // each way
		most     float64
	}{
		{"How much dead time does ssh add to a run, on a link without delay?", 0, 0.2},
		{"How much dead time does ssh add to a run, with a round trip of 50 ms?", 25 * time.Millisecond, 0.5},
	} {
		measuretest.AskTimes(t, 3, c.question, func(m *measuretest.M) {
			l := newLab(m.T, "db1")
			if c.delay > 0 {
				l.net.Delay(l.hosts["db1"], c.delay)
			}
			l.write("dead.yaml", `name: dead
workloads: [select-only]
duration: 1s
warmup: 0s
repeats: 8
dataset: {scale: 1}
environments:
  here: {storage: {data: /dev/shm}}
  ssh:  {at: ssh://db1, storage: {data: /tmp/data}}
`)
			if said, code := l.plinth("run", "dead.yaml", "--quiet"); code != 0 {
				m.Fatalf("exit code %d: %s", code, said)
			}
			dead := map[string][]float64{}
			for _, run := range l.record().Runs {
				dead[run.Environment] = append(dead[run.Environment], run.Phases.Dead)
			}
			middle := func(of string) float64 { slices.Sort(dead[of]); return dead[of][len(dead[of])/2] }
			m.AtMost("dead time over ssh less that here", middle("ssh")-middle("here"), "s", c.most)
			m.AtMost("dead time here", middle("here"), "s", 0.5)
		})
	}
}

//go:build linux && measure

package overssh

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"plinth/internal/measuretest"
	"plinth/internal/record"
)

// TestMeasureBytes measures what crosses the network during a run over ssh, with the headers of TCP
// and below: while the load runs, and in all, with the points and files that are sent after it.
func TestMeasureBytes(t *testing.T) {
	measuretest.AskTimes(t, 3, "How much does a run of 10 s with all telemetry send over ssh?", func(m *measuretest.M) {
		l := newLab(m.T, "db1")
		l.write("bytes.yaml", `name: bytes
workloads: [tpcb-like]
clients: [8]
duration: 10s
warmup: 0s
repeats: 2
dataset: {scale: 1}
environments:
  ssh: {at: ssh://db1, storage: {data: /tmp/data}}
`)
		s := &started{l: l, ended: make(chan error, 1)}
		c := l.command("run", "bytes.yaml", "--quiet")
		c.Stdout, c.Stderr = &s.out, &s.out
		if err := c.Start(); err != nil {
			m.Fatal(err)
		}
		go func() { s.ended <- c.Wait() }()
		first := s.crossed("runs/*/*/*/*/run.json", 1)
		early := s.crossed("running/live.jsonl", 2)
		late := s.crossed("running/live.jsonl", 9)
		second := s.crossed("runs/*/*/*/*/run.json", 2)
		if err := <-s.ended; err != nil {
			m.Fatalf("%v: %s", err, s.out.String())
		}
		for _, run := range l.record().Runs {
			if run.Status != record.Valid {
				m.Lost("run %d is %s: %v", run.Number, run.Status, run.Reasons)
			}
		}
		m.AtMost("bytes during the load", (late.bytes-early.bytes)/late.at.Sub(early.at).Seconds()/1000, "kB/s", 100)
		m.AtMost("all bytes of a run, by its duration", (second.bytes-first.bytes)/10/1000, "kB/s", 100)
	})
}

// crossing is how many bytes have crossed the network of a host since its start, in both directions.
type crossing struct {
	at    time.Time
	bytes float64
}

// crossed waits until the files of a record that match a pattern have a number of lines, and returns
// what has crossed by then. A run.json has many lines and counts as one.
func (s *started) crossed(pattern string, lines int) crossing {
	s.l.t.Helper()
	s.await(pattern, func() bool {
		found, _ := filepath.Glob(filepath.Join(s.l.dir, "results", "*", pattern))
		n := len(found)
		if strings.HasSuffix(pattern, ".jsonl") && n > 0 {
			text, _ := os.ReadFile(found[0])
			n = strings.Count(string(text), "\n")
		}
		return n >= lines
	})
	now := time.Now()
	_, device, _ := strings.Cut(s.l.hosts["db1"].Run("cat /proc/net/dev"), "eth0:")
	counters := strings.Fields(device) // received bytes come first, and sent ones ninth
	if len(counters) < 9 {
		s.l.t.Fatalf("eth0: %v", counters)
	}
	in, err1 := strconv.ParseFloat(counters[0], 64)
	out, err2 := strconv.ParseFloat(counters[8], 64)
	if err := errors.Join(err1, err2); err != nil {
		s.l.t.Fatal(err)
	}
	return crossing{now, in + out}
}

// TestMeasureEnd measures how soon after the last of many runs the record is whole, with its verdicts
// and reports, and everything there is put back.
func TestMeasureEnd(t *testing.T) {
	const repeats = 250
	measuretest.AskTimes(t, 1, "How long does plinth take to end after 500 runs over ssh?", func(m *measuretest.M) {
		l := newLab(m.T, "db1")
		l.write("end.yaml", fmt.Sprintf(`name: end
workloads: [select-only]
clients: [2]
transactions: 10
warmup: 0s
repeats: %d
dataset: {scale: 1}
environments:
  one: {at: ssh://db1, storage: {data: /tmp/data}}
  two: {at: ssh://db1, storage: {data: /tmp/data}}
`, repeats))
		began := time.Now()
		if said, code := l.plinth("run", "end.yaml", "--quiet"); code != 0 {
			m.Fatalf("exit code %d: %s", code, said)
		}
		ended := time.Now()
		var last time.Time
		found := l.runs()
		for _, path := range found {
			info, err := os.Stat(path)
			if err != nil {
				m.Fatal(err)
			}
			if info.ModTime().After(last) {
				last = info.ModTime()
			}
		}
		if rec := l.record(); len(found) < 2*repeats || rec.Summary.State != record.Complete {
			m.Fatalf("%d runs, %s", len(found), rec.Summary.State)
		}
		l.clean("db1")
		m.AtMost("from the last run to the end of plinth", ended.Sub(last).Seconds(), "s", 5)
		m.Value("all time, per run", ended.Sub(began).Seconds()/float64(len(found)), "s")
	})
}

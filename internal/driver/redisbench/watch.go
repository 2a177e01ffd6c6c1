package redisbench

import (
	"bytes"
	"io"
	"math"
	"strings"
	"time"

	"plinth/internal/driver"
	"plinth/internal/record"
)

// watch reads redis-benchmark's standard output line by line as it arrives.
type watch struct {
	job      driver.Job
	requests int64
	begun    time.Time // when the load began; zero before its first line of progress
	progress progress
	shown    int // seconds that were shown live
	report   []string
	refusal  string        // the server's first error (6.x, which continues)
	refused  chan struct{} // closed then
	said     chan struct{} // receives a value if a line came since it was read
}

// maxReport limits the lines that are kept: the longest possible report, of version 6.0,
// has some 5,000 lines.
const maxReport = 20_000

// firstTick is the minimum delay of redis-benchmark's first line of progress
// (aeCreateTimeEvent with 1 ms).
const firstTick = time.Millisecond

// refusalWords start a line with which version 6 prints an error of the server.
const refusalWords = "Error from server: "

func newWatch(job driver.Job) *watch {
	return &watch{job: job, requests: job.Experiment.Transactions, refused: make(chan struct{}), said: make(chan struct{}, 1)}
}

func (w *watch) line(line string) {
	now := time.Now()
	select {
	case w.said <- struct{}{}:
	default:
	}
	if t, ok := parseTick(line); ok {
		w.tick(now, t)
		return
	}
	if words, isError := strings.CutPrefix(line, refusalWords); isError && w.refusal == "" {
		w.refusal = words
		close(w.refused)
	}
	if len(w.report) < maxReport {
		w.report = append(w.report, line)
	}
}

// tick takes a line of progress. The line has no time: it arrives a few hundred
// microseconds after it was printed.
func (w *watch) tick(now time.Time, t tick) {
	if w.begun.IsZero() {
		w.begun = now.Add(-firstTick)
		if w.job.Begun != nil {
			w.job.Begun(w.begun)
		}
	}
	w.progress.add(now.Sub(w.begun).Seconds(), t)
	if w.job.Live == nil {
		return
	}
	for w.progress.covers(w.shown + 1) {
		tps, mean := w.progress.second(w.shown)
		if math.IsNaN(mean) {
			mean = 0
		}
		w.shown++
		w.job.Live(record.Point{Second: float64(w.shown), TPS: tps, LatencyMS: mean * 1e3})
	}
}

// maxLine is longer than any line that redis-benchmark prints; anything beyond is in the
// file only.
const maxLine = 4096

// lines keeps a stream verbatim in a file and passes on its lines, which end with a line
// feed or, where progress overwrites itself, a carriage return.
type lines struct {
	file io.Writer
	each func(line string)
	rest []byte
}

func (l *lines) Write(p []byte) (int, error) {
	n, err := l.file.Write(p)
	for _, b := range p {
		switch {
		case b == '\n' || b == '\r':
			if text := bytes.TrimSpace(l.rest); len(text) > 0 {
				l.each(string(text))
			}
			l.rest = l.rest[:0]
		case len(l.rest) < maxLine:
			l.rest = append(l.rest, b)
		}
	}
	return n, err
}

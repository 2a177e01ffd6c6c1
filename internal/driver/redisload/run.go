package redisload

import (
	"fmt"
	"io"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"plinth/internal/driver"
	"plinth/internal/driver/latency"
	"plinth/internal/driver/redisload/generator"
	"plinth/internal/record"
)

// run receives the reports of one run's load generator.
type run struct {
	job     driver.Job
	config  generator.Config
	names   []string // of the scripts
	decoder *decoder
	log     *latency.Log
	cols    *columns

	window  time.Time // its start, by the wall clock
	nanos   int64     // its length so far
	all     *latency.Counts
	total   generator.Sums
	scripts []script
	cpu     []int64 // of each thread in the window, nanoseconds

	refusal   string // the server's first error
	complaint generator.Complaint
	end       generator.End
	ended     bool
	err       error // a report could not be read or kept
	broken    chan struct{}
}

// script holds what one script did in the window.
type script struct {
	generator.Sums
	latencies *hdrhistogram.Histogram
}

// decoder receives the load generator's standard output.
type decoder struct {
	*generator.Decoder
	run *run
}

func newRun(job driver.Job, config generator.Config, log io.Writer) *run {
	r := &run{job: job, config: config, log: latency.NewLog(log), all: latency.New(), broken: make(chan struct{})}
	for _, s := range job.Workload.Scripts {
		name := s.Name
		if name == "" {
			name = s.Builtin
		}
		r.names = append(r.names, name)
		r.scripts = append(r.scripts, script{latencies: record.NewHistogram()})
	}
	r.cols = newColumns(r.names, config.Rate > 0)
	r.decoder = &decoder{generator.NewDecoder(r, len(r.names)), r}
	return r
}

// Write takes a piece of the load generator's output. It never fails, lest the load
// generator exit because of its pipe.
func (d *decoder) Write(piece []byte) (int, error) {
	if d.run.err == nil {
		if _, err := d.Decoder.Write(piece); err != nil {
			d.run.err = fmt.Errorf("cannot finish the run: %w", err)
			close(d.run.broken)
		}
	}
	return len(piece), nil
}

// Origin sets when the load began, by the wall clock.
func (r *run) Origin(begun time.Time, warmup time.Duration) {
	r.window = begun.Add(warmup)
	r.log.Begin("redis", r.window)
	if r.job.Begun != nil {
		r.job.Begun(r.window)
	}
}

// Second takes one second of the load.
func (r *run) Second(s *generator.Second) error {
	r.all.Reset()
	var sums generator.Sums
	for i := range s.Parts {
		r.all.Merge(s.Parts[i].Latencies)
		sums.Merge(&s.Parts[i].Sums)
	}
	if s.End-s.Begin == int64(time.Second) {
		r.cols.row(s, &sums, r.all)
	}
	if r.job.Live != nil && s.End > s.Begin {
		p := record.Point{
			Second: float64(s.End) / float64(time.Second), Failures: sums.Failures,
			TPS: float64(sums.Done) * float64(time.Second) / float64(s.End-s.Begin),
		}
		if sums.Done > 0 {
			p.LatencyMS = float64(sums.Latency) / float64(sums.Done) / float64(time.Millisecond)
		}
		r.job.Live(p)
	}
	if s.Number >= 0 {
		r.measure(s, &sums)
	}
	return nil
}

// measure adds a second of the window.
func (r *run) measure(s *generator.Second, sums *generator.Sums) {
	length := s.End - s.Begin
	r.nanos += length
	r.total.Merge(sums)
	for i := range s.Parts {
		p := &s.Parts[i]
		r.scripts[i].Merge(&p.Sums)
		p.Latencies.AddTo(r.scripts[i].latencies)
		tag := ""
		if len(r.names) > 1 {
			tag = latency.TagOf(r.names[i])
		}
		r.log.Interval(tag, float64(s.Number), float64(length)/float64(time.Second), p.Latencies)
	}
	for i, n := range s.CPU {
		if i == len(r.cpu) {
			r.cpu = append(r.cpu, 0)
		}
		r.cpu[i] += n
	}
}

// Refused takes the server's first error.
func (r *run) Refused(text string) { r.refusal = text }

// Complaint takes the reason why the load cannot continue.
func (r *run) Complaint(c generator.Complaint) { r.complaint = c }

// End takes the last report.
func (r *run) End(e generator.End) { r.end, r.ended = e, true }

package redisload

import (
	"bytes"
	"os"
	"testing"
	"time"

	"pgregory.net/rapid"

	"plinth/internal/driver"
	"plinth/internal/driver/drivertest"
	"plinth/internal/driver/merge"
	"plinth/internal/driver/redisload/generator"
	"plinth/internal/experiment"
	"plinth/internal/record"
)

// load is a synthetic load: seconds from the start of a warm-up on, of which the last may be cut.
type load struct {
	names   []string
	rate    float64
	warmup  int64 // seconds
	seconds int64
	last    int64 // length of the last second, nanoseconds
}

// TestMergeIsTheWhole divides the requests of one load at random among several load generators,
// each with its own clock, and compares their merged outcomes with that of the whole load.
func TestMergeIsTheWhole(t *testing.T) {
	t.Parallel()
	kept := drivertest.In(t, t.TempDir())
	rapid.Check(t, func(t *rapid.T) {
		l := load{
			names: []string{"get", "set"}[:rapid.IntRange(1, 2).Draw(t, "scripts")], rate: float64(rapid.SampledFrom([]int{0, 1000}).Draw(t, "rate")),
			warmup: rapid.Int64Range(0, 2).Draw(t, "warmup"), seconds: rapid.Int64Range(1, 5).Draw(t, "seconds"),
			last: rapid.SampledFrom([]int64{int64(time.Second), 700_000_000}).Draw(t, "last"),
		}
		n := rapid.IntRange(1, 4).Draw(t, "generators")
		begin := time.Unix(1_795_252_004, 335_588_000)
		var wholeLog bytes.Buffer
		whole := l.start(begin, &wholeLog)
		var parts []*run
		var logs []*bytes.Buffer
		offsets := make([]time.Duration, n)
		for i := range n {
			log := new(bytes.Buffer)
			offsets[i] = time.Duration(rapid.Int64Range(-3_600_000_000, 3_600_000_000).Draw(t, "offset")) * time.Microsecond
			parts, logs = append(parts, l.start(begin.Add(-offsets[i]), log)), append(logs, log)
		}
		for number := -l.warmup; number < l.seconds; number++ {
			l.second(t, number, whole, parts)
		}
		want := l.outcome(t, whole)
		var all []merge.Part
		for i, p := range parts {
			all = append(all, merge.Part{Name: "load", Outcome: l.outcome(t, p), Clock: merge.Clock{Offset: offsets[i]}, Log: logs[i]})
		}
		merged, err := merge.Outcomes(all, merge.Agreement{Window: want.Begin, Length: want.End.Sub(want.Begin)}, kept)
		if err != nil {
			t.Fatal(err)
		}
		if merged.Problems != nil || merged.Warnings != nil {
			t.Fatalf("problems %v, warnings %v", merged.Problems, merged.Warnings)
		}
		drivertest.SameOutcome(t, merged, want)
		log, err := os.ReadFile(kept.HistogramLog)
		if err != nil {
			t.Fatal(err)
		}
		drivertest.SameLog(t, log, wholeLog.Bytes())
	})
}

// start returns a run whose load generator has reported its start.
func (l load) start(begin time.Time, log *bytes.Buffer) *run {
	job := driver.Job{Experiment: &experiment.Experiment{}}
	for _, name := range l.names {
		job.Workload.Scripts = append(job.Workload.Scripts, experiment.Script{Builtin: name})
	}
	r := newRun(job, generator.Config{Rate: l.rate}, log)
	r.Origin(begin, time.Duration(l.warmup)*time.Second)
	return r
}

// second draws the requests of a second, and reports them to the whole and to one of the parts.
func (l load) second(t *rapid.T, number int64, whole *run, parts []*run) {
	all := generator.NewSecond(len(l.names))
	shares := make([]*generator.Second, len(parts))
	for i := range shares {
		shares[i] = generator.NewSecond(len(l.names))
	}
	for range rapid.IntRange(0, 30).Draw(t, "requests") {
		script := rapid.IntRange(0, len(l.names)-1).Draw(t, "script")
		to := shares[rapid.IntRange(0, len(parts)-1).Draw(t, "generator")]
		sums := generator.Sums{Failures: 1}
		if rapid.IntRange(0, 9).Draw(t, "outcome") > 0 {
			nanos, lag := rapid.Int64Range(1, 2_000_000_000).Draw(t, "nanos"), rapid.Int64Range(0, 1_000_000).Draw(t, "lag")
			sums = generator.Sums{Done: 1, Latency: nanos, Longest: nanos, Lag: lag, WorstLag: lag}
			if l.names[script] == "get" {
				sums.Reads, sums.Hits = 1, rapid.Int64Range(0, 1).Draw(t, "hit")
			}
			all.Parts[script].Latencies.Add(nanos)
			to.Parts[script].Latencies.Add(nanos)
		}
		all.Parts[script].Merge(&sums)
		to.Parts[script].Merge(&sums)
	}
	for i, r := range append([]*run{whole}, parts...) {
		s := all
		if i > 0 {
			s = shares[i-1]
		}
		s.Number, s.Begin = number, (number+l.warmup)*int64(time.Second)
		s.End = s.Begin + int64(time.Second)
		if number == l.seconds-1 {
			s.End = s.Begin + l.last
		}
		if err := r.Second(s); err != nil {
			t.Fatal(err)
		}
	}
}

// outcome returns the outcome of a run whose load has ended.
func (l load) outcome(t *rapid.T, r *run) *driver.Outcome {
	if err := r.log.Close(); err != nil {
		t.Fatal(err)
	}
	return &driver.Outcome{
		Driver: record.Driver{Program: "plinth"}, Result: r.result(), Points: r.cols.points, KeyReads: r.total.Reads,
		Begin: r.window, End: r.window.Add(time.Duration(r.nanos)),
	}
}

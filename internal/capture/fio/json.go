package fio

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"time"

	"plinth/internal/capture"
	"plinth/internal/fiojson"
)

// jsonReader reads fio's document member by member, so that the jobs of one that is cut are kept.
type jsonReader struct {
	r      *reader
	global fiojson.Options
	jobs   []fiojson.Job
}

func (r *reader) readDocument() error {
	j := jsonReader{r: r}
	err := r.document.Members(j.member)
	cut := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	if err != nil && !cut {
		return fmt.Errorf("cannot read fio's JSON: %w", err)
	}
	entries := map[string]int{}
	for _, one := range j.jobs {
		entries[one.Name]++
	}
	for i := range j.jobs {
		j.add(&j.jobs[i], entries[j.jobs[i].Name], cut)
	}
	r.note(cut, capture.Cut, fmt.Sprintf("the JSON document is cut after %d whole jobs", len(j.jobs)))
	return nil
}

func (j *jsonReader) member(name string, d *json.Decoder) error {
	switch name {
	case "fio version":
		if err := d.Decode(&j.r.version); err != nil {
			return err
		}
		j.r.version = strings.TrimPrefix(j.r.version, "fio-")
		return nil
	case "timestamp":
		return j.timestamp(d)
	case "global options":
		return d.Decode(&j.global)
	case "jobs", "client_stats":
		return capture.Elements(d, j.job)
	case "disk_util":
		return capture.Elements(d, j.disk)
	}
	return capture.Skip(d)
}

// timestamp is when fio printed the document, in seconds since 1970.
func (j *jsonReader) timestamp(d *json.Decoder) error {
	var seconds int64
	if err := d.Decode(&seconds); err != nil {
		return err
	}
	j.moment("ended", strconv.FormatInt(seconds, 10), time.Unix(seconds, 0))
	return nil
}

func (j *jsonReader) moment(name, value string, at time.Time) {
	if at.Year() > 1980 && at.Year() < 2200 {
		j.r.fact(capture.Fact{Name: name, Value: value, At: capture.Moment{Time: at.UTC(), Clock: capture.UTC}})
	}
}

func (j *jsonReader) job(d *json.Decoder) error {
	if len(j.jobs) == maxJobs {
		j.r.dropped++
		return capture.Skip(d)
	}
	var one fiojson.Job
	if err := d.Decode(&one); err != nil {
		return err
	}
	j.jobs = append(j.jobs, one)
	return nil
}

func (j *jsonReader) disk(d *json.Decoder) error {
	var one fiojson.Disk
	if err := d.Decode(&one); err != nil {
		return err
	}
	j.r.fact(capture.Fact{Name: "disk stats " + one.Name, Value: fmt.Sprintf("ios=%d/%d, merge=%d/%d, ticks=%d/%d, in_queue=%d, util=%.2f%%",
		one.ReadIOs, one.WriteIOs, one.ReadMerges, one.WriteMerges, one.ReadTicks, one.WriteTicks, one.InQueue, one.Util)})
	return nil
}

// add adds a job to what was found; entries is how many the document has of its name.
func (j *jsonReader) add(one *fiojson.Job, entries int, cut bool) {
	if strings.EqualFold(one.Name, "All clients") {
		return // the sum of the others
	}
	r := j.r
	options := mergeOptions(j.global, one.Options)
	job := capture.Job{Name: one.Name, Version: r.version, Options: options}
	if options != nil {
		job.Jobs, job.Depth, job.Block = jobsOf(options, entries, cut), underWay(options["ioengine"], count(options["iodepth"], 1)), blockOption(options)
	}
	read, readScale := transferOf(one.Read)
	write, writeScale := transferOf(one.Write)
	job.Read, job.Write = read, write
	job.Runtime = max(readScale.runtime, writeScale.runtime)
	if sync := timesOf(one.Sync.Latency, 1, one.Sync.Operations); sync.Max > 0 {
		job.Sync = &sync
	}
	if one.Error != 0 {
		r.found.Notes = append(r.found.Notes, failed(one.Name, strconv.Itoa(one.Error), syscall.Errno(one.Error).Error()))
	}
	r.trims = r.trims || one.Trim.IOPS > 0
	r.note(one.Mixed != nil, capture.LeftOut, fmt.Sprintf("job %s reports reads and writes as one (unified_rw_reporting), which was left out", one.Name))
	if one.Start > 0 {
		j.moment(one.Name+" began", strconv.FormatInt(one.Start, 10), time.UnixMilli(one.Start))
	}
	if job.Read == nil && job.Write == nil && job.Sync == nil {
		r.note(one.Mixed == nil, capture.LeftOut, fmt.Sprintf("job %s has no reads, writes or syncs", one.Name))
		return
	}
	r.found.Jobs = append(r.found.Jobs, job)
	r.found.Notes = append(r.found.Notes, stated{job, [2]scale{readScale, writeScale}, [4]int64{one.Read.Operations, one.Write.Operations}, 1000}.check()...)
}

// transferOf returns what a job transferred; nil for nothing. bw is in KiB/s in every release (issue 422
// of axboe/fio), and is rounded down; bw_bytes is not.
func transferOf(d fiojson.Direction) (*capture.Transfer, scale) {
	rate, step := d.BytesRate, 1.0
	if rate == 0 {
		rate, step = d.KiBRate*1024, 1024
	}
	if !valid(d.IOPS) || !valid(rate) || d.IOPS == 0 && rate == 0 || d.Runtime < 0 {
		return nil, scale{}
	}
	t := &capture.Transfer{IOPS: d.IOPS, Bytes: rate, Times: timesOf(d.Completion, 1, d.Operations)}
	if t.Times.Max == 0 {
		t.Times = timesOf(d.OldCompletion, 1000, d.Operations)
	}
	return t, scale{iopsStep: 1, bytesStep: step, runtime: float64(d.Runtime) / 1000}
}

// timesOf returns a distribution whose values are in a unit of so many nanoseconds.
func timesOf(l fiojson.Latency, unit float64, operations int64) capture.Times {
	if l.Max <= 0 || !valid(l.Max*unit) || !valid(l.Min*unit) || !valid(l.Mean*unit) || !valid(l.Stddev*unit) {
		return capture.Times{}
	}
	t := capture.Times{Count: l.Count, Mean: inNanoseconds(l.Mean, unit), Stddev: inNanoseconds(l.Stddev, unit), Min: int64(l.Min * unit), Max: int64(l.Max * unit)}
	if t.Count <= 0 {
		t.Count = max(operations, 0)
	}
	for text, value := range l.Percentiles {
		share, err := strconv.ParseFloat(text, 64)
		if err == nil && share > 0 && share <= 100 && valid(float64(value)*unit) && len(t.Percentiles) < maxPoints {
			t.Percentiles = append(t.Percentiles, capture.Percentile{Share: share, Value: int64(float64(value) * unit)})
		}
	}
	sort.Slice(t.Percentiles, func(a, b int) bool { return t.Percentiles[a].Share < t.Percentiles[b].Share })
	return t
}

func valid(x float64) bool { return x >= 0 && x < math.MaxInt64/2 }

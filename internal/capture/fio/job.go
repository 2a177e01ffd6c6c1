package fio

import (
	"fmt"
	"math"
	"regexp"
	"strconv"

	"plinth/internal/capture"
	"plinth/internal/record"
)

// units are those of latencies, in nanoseconds.
var units = map[string]int64{"nsec": 1, "usec": 1000, "msec": 1_000_000}

// current returns the job whose lines are being read; nil if there is none. The first lines of a text
// may be missing, so that it begins within a job.
func (r *reader) current() *job {
	if r.summary != noSummary || len(r.jobs) == 0 {
		return nil
	}
	return r.jobs[len(r.jobs)-1]
}

func (r *reader) inJob([]string) bool { return r.current() != nil }

func (r *reader) transferLine(match []string) bool {
	return r.transfer(match[1], match[2], match[3], match[4], 1000)
}

func (r *reader) oldTransferLine(match []string) bool {
	return r.transfer(match[1], match[3], match[2], match[4], 1024)
}

func (r *reader) transfer(direction, iopsText, rateText, runtimeText string, base float64) bool {
	iops, ok1 := parse(iopsText, 1000)
	rate, ok2 := parse(rateText, base)
	runtime, err := strconv.ParseInt(runtimeText, 10, 64)
	if !ok1 || !ok2 || err != nil || r.summary != noSummary {
		return false
	}
	j := r.current()
	if j == nil {
		j = &job{Job: capture.Job{Jobs: 0}}
		j.notes = append(j.notes, record.Note{Rule: capture.Cut, Text: "the text begins within a job: its name, version and depth are unknown"})
		r.jobs = append(r.jobs, j)
	}
	seconds := float64(runtime) / 1000
	t := &capture.Transfer{IOPS: iops.value, Bytes: rate.value}
	j.transfer, j.times, j.points, j.scale = t, &t.Times, nil, &scale{}
	switch direction {
	case "read":
		j.Read, j.scale = t, &j.scales[0]
	case "write":
		j.Write, j.scale = t, &j.scales[1]
	case "mixed":
		j.mixed = true
	default:
		r.trims = true
	}
	*j.scale = scale{iops.step, rate.step, seconds}
	if direction == "read" || direction == "write" {
		j.Runtime = max(j.Runtime, seconds)
	}
	return true
}

func (r *reader) sync([]string) bool {
	j := r.current()
	if j == nil {
		return false
	}
	j.times, j.points = &capture.Times{}, nil
	return true
}

func (r *reader) latency(match []string) bool {
	j := r.current()
	if j == nil {
		return false
	}
	unit := float64(units[match[2]])
	low, ok1 := parse(match[3], 1000)
	high, ok2 := parse(match[4], 1000)
	mean, ok3 := capture.Number([]byte(match[5]))
	stddev, ok4 := capture.Number([]byte(match[6]))
	if !ok1 || !ok2 || !ok3 || !ok4 || high.value*unit > math.MaxInt64/2 {
		return false
	}
	switch {
	case match[1] == "sync" && j.times != nil:
		j.Sync = j.times
	case match[1] != "clat" || j.times == nil || j.times.Max > 0:
		return true // the time of submission, or all of it; or that of a priority
	}
	j.rounding = max(j.rounding, unit, high.step*unit)
	j.times.Min, j.times.Max = int64(low.value*unit), int64(high.value*unit)
	j.times.Mean, j.times.Stddev = inNanoseconds(mean, unit), inNanoseconds(stddev, unit)
	return true
}

// inNanoseconds converts a number with a few decimals without the error of binary fractions.
func inNanoseconds(x, unit float64) float64 { return math.Round(x*unit*1000) / 1000 }

func (r *reader) percentilesBegin(match []string) bool {
	j := r.current()
	if j == nil {
		return false
	}
	j.points, j.unit = nil, units[match[3]]
	if (match[1] == "clat" || match[1] == "sync") && match[2] == "" {
		j.points = j.times
		j.rounding = max(j.rounding, float64(j.unit))
	}
	return true
}

var point = regexp.MustCompile(`(\d+(?:\.\d+)?)th=\[>?\s*(\d+)\]`)

// maxPoints is above the 20 percentiles that fio prints at most.
const maxPoints = 64

// percentiles reads a line of a block of percentiles.
func (r *reader) percentiles(match []string) bool {
	j := r.current()
	matches := point.FindAllStringSubmatch(match[0], -1)
	if j == nil || j.unit == 0 || len(matches) == 0 {
		return false
	}
	for _, match := range matches {
		share, err1 := strconv.ParseFloat(match[1], 64)
		value, err2 := strconv.ParseInt(match[2], 10, 64)
		if err1 != nil || err2 != nil || value > math.MaxInt64/j.unit || share > 100 {
			return false
		}
		if j.points != nil && len(j.points.Percentiles) < maxPoints {
			j.points.Percentiles = append(j.points.Percentiles, capture.Percentile{Share: share, Value: value * j.unit})
		}
	}
	return true
}

func (r *reader) issued(match []string) bool {
	j := r.current()
	if j == nil {
		return false
	}
	for i, text := range match[1:] {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			j.issued[i] = n
		}
	}
	return true
}

// finish adds a job of text to what was found.
func (r *reader) finish(j *job) {
	j.Version = r.version
	if j.Read != nil {
		j.Read.Times.Count = j.issued[0]
	}
	if j.Write != nil {
		j.Write.Times.Count = j.issued[1]
	}
	if j.Sync != nil {
		j.Sync.Count = j.issued[3]
	}
	r.found.Notes = append(r.found.Notes, j.notes...)
	r.note(j.mixed, capture.LeftOut, fmt.Sprintf("job %s reports reads and writes as one (unified_rw_reporting), which was left out", j.Name))
	if j.Read == nil && j.Write == nil && j.Sync == nil {
		return
	}
	r.found.Jobs = append(r.found.Jobs, j.Job)
	r.found.Notes = append(r.found.Notes, stated{j.Job, j.scales, j.issued, j.rounding}.check()...)
}

func failed(name, errno, text string) record.Note {
	if text != "" {
		text = " (" + text + ")"
	}
	return record.Note{Rule: capture.Cut, Text: fmt.Sprintf("job %s ended with error %s%s", name, errno, text)}
}

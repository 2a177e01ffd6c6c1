package sysbench

import (
	"strings"

	"plinth/internal/capture"
	"plinth/internal/record"
)

// fileTest holds the results of a fileio test.
type fileTest struct {
	mode        string
	block       int64
	stated      bool // there are rates
	read, write capture.Transfer
	fsyncs      float64 // per second
}

func (r *reader) blockSize(match []string) bool {
	r.file.block = int64(number(match[1]) * map[string]float64{"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}[match[2]])
	return kindOf("fileio")(r, match)
}

func (r *reader) fileMode(match []string) bool {
	r.file.mode = match[1] + " " + match[2]
	return kindOf("fileio")(r, match)
}

func (r *reader) fileRate(match []string) bool {
	x := number(match[2])
	switch match[1] {
	case "reads/s":
		r.file.read.IOPS = x
	case "writes/s":
		r.file.write.IOPS = x
	case "fsyncs/s":
		r.file.fsyncs = x
	case "read, MiB/s":
		r.file.read.Bytes = x * (1 << 20)
	default:
		r.file.write.Bytes = x * (1 << 20)
	}
	r.file.stated = true
	return kindOf("fileio")(r, match)
}

// fileJob returns a fileio test as a job: each thread has one request under way. Its latencies are those
// of reads, writes and fsyncs together.
func (r *reader) fileJob() (capture.Found, error) {
	job := capture.Job{
		Name: strings.TrimSpace("sysbench fileio " + r.file.mode), Version: r.run.Version, Options: map[string]string{"tool": "sysbench"},
		Jobs: r.run.Threads, Depth: 1, Block: r.file.block, Runtime: r.run.Result.Duration,
	}
	if r.file.read.IOPS > 0 {
		job.Read = &r.file.read
	}
	if r.file.write.IOPS > 0 {
		job.Write = &r.file.write
	}
	if r.file.fsyncs > 0 {
		job.Options["fsyncs/s"] = digits(r.file.fsyncs)
	}
	found := capture.Found{Jobs: []capture.Job{job}}
	found.Notes = append(found.Notes, record.Note{Rule: capture.LeftOut, Text: "latencies were left out: sysbench does not distinguish those of reads, writes and fsyncs"})
	if !r.fairness {
		found.Notes = append(found.Notes, record.Note{Rule: capture.Cut, Text: "the text ends before the end of the results"})
	}
	return found, nil
}

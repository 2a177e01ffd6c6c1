package fio

import (
	"math"
	"strconv"

	"plinth/internal/capture"
	"plinth/internal/record"
)

// stated is a job, and how exactly its numbers are stated.
type stated struct {
	capture.Job
	scales   [2]scale // of the reads, and of the writes
	issued   [4]int64 // reads, writes, trims, syncs; 0 if unknown
	rounding float64  // of latencies, in nanoseconds
}

const (
	// step is the relative width of the steps of fio's histogram, which has 64 in each power of two
	// (FIO_IO_U_PLAT_BITS in stat.h).
	step = 1.0 / 64
	// slack allows for numbers that fio reads one after the other while I/O goes on, and for short
	// requests.
	slack = 0.05
)

// check returns what contradicts itself in a job.
func (s stated) check() []record.Note {
	var notes []record.Note
	for i, d := range []struct {
		name     string
		transfer *capture.Transfer
	}{{"read", s.Read}, {"write", s.Write}} {
		if d.transfer != nil {
			notes = append(notes, s.transferNotes(d.name, *d.transfer, s.scales[i], s.issued[i])...)
		}
	}
	if s.Sync != nil {
		notes = append(notes, s.disorder("sync latency", *s.Sync)...)
	}
	return append(notes, s.concurrency()...)
}

func (s stated) transferNotes(name string, t capture.Transfer, scale scale, issued int64) []record.Note {
	notes := s.disorder(name+" latency", t.Times)
	if product := t.IOPS * float64(s.Block); s.Block > 0 && t.IOPS > 0 && t.Bytes > 0 &&
		math.Abs(product-t.Bytes) > float64(s.Block)*scale.iopsStep+scale.bytesStep+slack*t.Bytes {
		notes = append(notes, capture.Contradicts("job %s: %s %ss/s of %d bytes are %s bytes/s, but the bandwidth is %s bytes/s",
			s.Name, digits(t.IOPS), name, s.Block, digits(product), digits(t.Bytes)))
	}
	if scale.runtime > 0 && issued > 0 && t.IOPS > 0 {
		rate := float64(issued) / scale.runtime
		// The runtime is in whole milliseconds.
		if math.Abs(rate-t.IOPS) > scale.iopsStep+(slack+0.001/scale.runtime)*rate {
			notes = append(notes, capture.Contradicts("job %s: %d %ss in %g s are %s/s, but the IOPS are %s",
				s.Name, issued, name, scale.runtime, digits(rate), digits(t.IOPS)))
		}
	}
	return notes
}

func (s stated) disorder(name string, t capture.Times) []record.Note {
	if text := t.Disorder(capture.Precision{Step: step, Round: s.rounding}); text != "" {
		return []record.Note{capture.Contradicts("job %s: of the %s, %s", s.Name, name, text)}
	}
	return nil
}

// concurrency compares the requests under way at a time, which are the rate times the latency, with
// the number that the job can have.
func (s stated) concurrency() []record.Note {
	most, underWay := float64(s.Jobs*s.Depth), 0.0
	for _, t := range []*capture.Transfer{s.Read, s.Write} {
		if t != nil {
			underWay += t.IOPS * t.Times.Mean / 1e9
		}
	}
	if most == 0 || underWay <= most*(1+slack)+0.5 {
		return nil
	}
	return []record.Note{capture.Contradicts("job %s: the IOPS times the mean latency are %s requests under way, but %d jobs with an iodepth of %d have at most %.0f",
		s.Name, digits(underWay), s.Jobs, s.Depth, most)}
}

func digits(x float64) string {
	return strconv.FormatFloat(capture.Digits(x, 4), 'f', -1, 64)
}

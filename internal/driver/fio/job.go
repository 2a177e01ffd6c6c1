package fio

import (
	"time"

	"plinth/internal/unit"
)

// Pattern is the kind of requests that a job makes, as fio's option rw calls it.
type Pattern string

// The patterns.
const (
	Read        Pattern = "read"
	Write       Pattern = "write"
	RandomRead  Pattern = "randread"
	RandomWrite Pattern = "randwrite"
	RandomMixed Pattern = "randrw"
)

// Writes says whether a pattern changes what it is let loose on.
func (p Pattern) Writes() bool { return p != Read && p != RandomRead }

// Job is one load that fio makes for a while.
type Job struct {
	Name    string // letters, digits and hyphens; the result has the same
	Pattern Pattern
	Block   unit.Size     // of one request
	Depth   int           // requests under way at once, 1 or more
	Reads   int           // per cent of reads, of RandomMixed
	Time    time.Duration // how long, to the millisecond

	// Durable has an fdatasync follow each write.
	Durable bool
	// Buffered goes through the page cache. Then each of Depth threads makes one
	// request at a time: asynchronous requests that are buffered wait all the same.
	Buffered bool
	// Seconds is the beginning of the path of a file that has the bytes of each
	// second (ReadSeconds); "" for none.
	Seconds string
}

// Target is what the jobs work on: a file that is there, or a block device.
type Target struct {
	Path string
	Size unit.Size // the part of it that is used, from its beginning
	Seed uint64    // of the random offsets
}

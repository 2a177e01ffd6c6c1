// Package fio drives fio, the load generator for disks: it builds the command
// line of some jobs that run one after the other, and reads what fio prints of
// them as JSON, whole latency histograms included.
//
// The options are those of fio's manual (HOWTO.rst); histograms need fio 3.16 or
// later.
package fio

import (
	"fmt"
	"strconv"
	"strings"
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

// Arguments is the command line of jobs that run one after the other.
//
// Requests are asynchronous by libaio and not by io_uring, which containers and
// hardened kernels forbid. Threads take the place of processes: they need no
// shared memory, of which a killed fio would leave some behind.
func Arguments(target Target, jobs []Job) []string {
	args := []string{
		"--output-format=json+",
		"--filename=" + strings.ReplaceAll(target.Path, ":", `\:`), // a colon separates files
		fmt.Sprintf("--size=%d", int64(target.Size)),
		"--allow_file_create=0",
		"--thread=1", "--group_reporting=1", "--time_based=1",
		"--lat_percentiles=1", "--clat_percentiles=0", // from submission to completion
		"--randrepeat=0", "--randseed=" + strconv.FormatUint(target.Seed, 10),
		"--norandommap=1", // a map of the blocks that were read costs memory, and time at its end
	}
	for _, j := range jobs {
		args = append(args, j.arguments()...)
	}
	return args
}

func (j Job) arguments() []string {
	args := []string{
		"--name=" + j.Name, "--stonewall",
		"--rw=" + string(j.Pattern),
		fmt.Sprintf("--bs=%d", int64(j.Block)),
		fmt.Sprintf("--runtime=%dms", j.Time.Milliseconds()),
	}
	args = append(args, j.engine()...)
	if j.Pattern == RandomMixed {
		args = append(args, "--rwmixread="+strconv.Itoa(j.Reads))
	}
	if j.Durable {
		args = append(args, "--fdatasync=1")
	}
	if j.Seconds != "" {
		args = append(args, "--write_bw_log="+j.Seconds, "--log_avg_msec=1000", "--per_job_logs=0")
	}
	return args
}

// engine is how requests are made. One at a time is made by pread and pwrite, as
// PostgreSQL makes them. That adds nothing to a latency: on an emulated device of
// 1.8 ms the medians of psync, pvsync2, libaio and io_uring, and of plinth's own
// reads and writes, lay within 40 us of each other, psync's the lowest (fio 3.33,
// Linux 6.18). fio's histogram has bins of 1.6 %.
func (j Job) engine() []string {
	switch {
	case j.Buffered && j.Depth > 1:
		return []string{"--direct=0", "--ioengine=psync", "--numjobs=" + strconv.Itoa(j.Depth)}
	case j.Buffered:
		return []string{"--direct=0", "--ioengine=psync"}
	case j.Depth > 1:
		return []string{"--direct=1", "--ioengine=libaio", "--iodepth=" + strconv.Itoa(j.Depth)}
	}
	return []string{"--direct=1", "--ioengine=psync"}
}

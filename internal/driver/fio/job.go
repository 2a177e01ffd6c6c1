// Package fio drives fio, the load generator for disks: it builds the command line of jobs
// that run one after the other, and reads fio's JSON output, including full latency
// histograms.
//
// The options are those of fio's manual (HOWTO.rst); histograms need fio 3.16 or later.
package fio

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"plinth/internal/unit"
)

// Pattern is the kind of requests in a job, as in fio's option rw.
type Pattern string

// The patterns.
const (
	Read        Pattern = "read"
	Write       Pattern = "write"
	RandomRead  Pattern = "randread"
	RandomWrite Pattern = "randwrite"
	RandomMixed Pattern = "randrw"
)

// Writes reports whether a pattern modifies its target.
func (p Pattern) Writes() bool { return p != Read && p != RandomRead }

// Job is one fio load of a given duration.
type Job struct {
	Name    string // letters, digits and hyphens; the result has the same
	Pattern Pattern
	Block   unit.Size     // of one request
	Depth   int           // queue depth, 1 or more
	Reads   int           // per cent of reads, for RandomMixed
	Time    time.Duration // duration, to the millisecond

	// Durable adds an fdatasync after each write.
	Durable bool
	// Buffered goes through the page cache. Then each of Depth threads makes one request at
	// a time: asynchronous requests block when they are buffered.
	Buffered bool
	// Seconds is the path prefix of a file for the bytes of each second (ReadSeconds); ""
	// for none.
	Seconds string
	// Clock is the path prefix of a file with the time of the job (ReadClock); "" for none. Only
	// without Seconds.
	Clock string
}

// Target holds what the jobs read and write: an existing file, or a block device.
type Target struct {
	Path string
	Size unit.Size // the part of it that is used, from its start
	Seed uint64    // of the random offsets
}

// Arguments returns the command line of jobs that run one after the other.
//
// Asynchronous requests use libaio, not io_uring, which containers and hardened kernels
// forbid. fio runs threads, not processes: they need no shared memory, which a killed fio
// would leave behind.
func Arguments(target Target, jobs []Job) []string {
	args := []string{
		"--output-format=json+",
		"--filename=" + strings.ReplaceAll(target.Path, ":", `\:`), // a colon separates files
		fmt.Sprintf("--size=%d", int64(target.Size)),
		"--allow_file_create=0",
		"--thread=1", "--group_reporting=1", "--time_based=1",
		"--lat_percentiles=1", "--clat_percentiles=0", // from submission to completion
		"--randrepeat=0", "--randseed=" + strconv.FormatUint(target.Seed, 10),
		"--norandommap=1", // a map of blocks already read costs memory, and time once it is nearly full
	}
	for _, j := range jobs {
		args = append(args, j.arguments()...)
	}
	return args
}

// JobFile returns jobs as a file for fio --output-format=json+ FILE.
func JobFile(target Target, jobs []Job) string {
	var b strings.Builder
	b.WriteString("[global]\n")
	for _, argument := range Arguments(target, jobs)[1:] { // the format of the output is no option of a job
		option := strings.TrimPrefix(argument, "--")
		if name, is := strings.CutPrefix(option, "name="); is {
			option = "\n[" + name + "]"
		}
		b.WriteString(option + "\n")
	}
	return b.String()
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
	if j.Clock != "" {
		args = append(args, "--write_bw_log="+j.Clock, fmt.Sprintf("--log_avg_msec=%d", clockPace(j.Time).Milliseconds()),
			"--per_job_logs=0", "--log_unix_epoch=1")
	}
	return args
}

// engine returns the options for the I/O engine. With a queue depth of one it is pread and
// pwrite, as in PostgreSQL. That adds nothing to latency: on an emulated device of 1.8 ms
// the medians of psync, pvsync2, libaio and io_uring, and of plinth's own reads and writes,
// were within 40 us of each other, psync's the lowest (fio 3.33, Linux 6.18). fio's
// histogram has bins of 1.6 %.
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

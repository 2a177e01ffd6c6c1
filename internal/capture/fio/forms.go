package fio

import (
	"regexp"
	"slices"
	"strconv"
	"time"

	"plinth/internal/capture"
)

// form is a form of line, and what is done with it. take reports whether the line was expected.
type form struct {
	line *regexp.Regexp
	take func(r *reader, match []string) bool
}

func ignore(*reader, []string) bool { return true }

// forms are the lines of a text, in the order in which they are tried.
var forms = []form{
	{regexp.MustCompile(`^\s+\|\s*\d.*$`), (*reader).percentiles},
	{regexp.MustCompile(`^\s+(slat|clat|lat|sync)(?: prio \S+)? \((nsec|usec|msec)\): min=\s*(\S+), max=\s*(\S+), avg=\s*(\S+), stdev=\s*(\S+)$`), (*reader).latency},
	{regexp.MustCompile(`^\s+(clat|lat|slat|sync)( prio .*)? percentiles \((nsec|usec|msec)\):$`), (*reader).percentilesBegin},
	{regexp.MustCompile(`^\s+(read|write|trim|mixed)\s*: IOPS=(\S+), BW=(\S+)/s \(\S+/s\)\(\S+?/(\d+)msec\)(?:;.*)?$`), (*reader).transferLine},
	{regexp.MustCompile(`^\s+(read|write|trim|mixed)\s*: io=\S+, bw=(\S+)/s, iops=(\S+)\s*, runt=\s*(\d+)msec$`), (*reader).oldTransferLine},
	{regexp.MustCompile(`^  fsync/fdatasync/sync_file_range\S*:$`), (*reader).sync},
	{regexp.MustCompile(`^\s+issued rwts?: total=(\d+),(\d+),(\d+)(?:,(\d+))?,? short=`), (*reader).issued},
	{regexp.MustCompile(`^\s+issued\s*: total=r=(\d+)/w=(\d+)/d=(\d+), short=`), (*reader).issued},
	{regexp.MustCompile(`^\s+issued r/w/d: total=(\d+)/(\d+)/(\d+), short=`), (*reader).issued},
	{regexp.MustCompile(`^\s+bw \(.{3,8}\)\s*: min=`), (*reader).inJob},
	{regexp.MustCompile(`^\s+iops\s+: min=`), (*reader).inJob},
	{regexp.MustCompile(`^\s+lat \((?:nsec|usec|msec)\)\s*:\s*[\d>]`), (*reader).inJob},
	{regexp.MustCompile(`^\s+(?:cpu|IO depths|submit|complete|latency|errors|steadystate|Description)\s*: `), (*reader).inJob},
	{regexp.MustCompile(`^(.*): \(groupid=(\d+), jobs=(\d+)\): err=\s*(-?\d+)(?: \((.*)\))?: pid=-?\d+(?:: (.*))?$`), (*reader).jobBegins},
	{regexp.MustCompile(`^(\S.*?): \(g=\d+\): rw=([a-z]+)\S*, bs=(.+), ioengine=(\S+), iodepth=(\d+)$`), (*reader).head},
	{regexp.MustCompile(`^\.\.\.$`), ignore},
	{regexp.MustCompile(`^fio-(\d+\.\d\S*)$`), (*reader).versionLine},
	{regexp.MustCompile(`^Starting \d+ (?:process|thread)`), ignore},
	{regexp.MustCompile(`^\S.*: Laying out IO file`), ignore},
	{regexp.MustCompile(`^Jobs: \d+ \(f=`), ignore},
	{regexp.MustCompile(`^note: both iodepth >= 1`), ignore},
	{regexp.MustCompile(`^fio: (.+)$`), (*reader).failure},
	{regexp.MustCompile(`^Run status group (\d+) \(all jobs\):$`), (*reader).group},
	{regexp.MustCompile(`^\s+(READ|WRITE|TRIM|MIXED): (.*\b(?:bw|aggrb)=.*)$`), (*reader).groupLine},
	{regexp.MustCompile(`^Disk stats \(read/write\):$`), (*reader).disks},
	{regexp.MustCompile(`^\s+(\S+): (ios=\d+/\d+, .*util=[\d.]+%)$`), (*reader).disk},
}

// synchronous are the engines of fio that have one request under way, whatever iodepth is; fio says so in a note.
var synchronous = []string{"psync", "sync", "vsync", "pvsync", "pvsync2", "mmap", "splice"}

// underWay returns how many requests of a job are under way. Outputs of old versions lack the engine.
func underWay(engine string, depth int) int {
	if slices.Contains(synchronous, engine) {
		return min(depth, 1)
	}
	return depth
}

// head holds the options that fio prints of a job before it runs.
type head struct {
	rw, engine string
	bs         string
	depth      int
}

func (r *reader) head(match []string) bool {
	if r.ended() {
		return false
	}
	if len(r.heads) == maxJobs {
		r.dropped++
		return true
	}
	depth, err := strconv.Atoi(match[5])
	if err != nil {
		return false
	}
	r.heads[match[1]] = head{rw: match[2], bs: match[3], engine: match[4], depth: depth}
	return true
}

// ended reports whether what begins an output cannot belong to this one.
func (r *reader) ended() bool {
	return len(r.jobs) > 0 || !r.document.Empty() || r.summary != noSummary
}

func (r *reader) versionLine(match []string) bool {
	if r.version != "" || r.ended() {
		return false
	}
	r.version = match[1]
	return true
}

func (r *reader) failure(match []string) bool {
	if r.message == "" {
		r.message = match[1]
	}
	return true
}

func (r *reader) jobBegins(match []string) bool {
	if r.summary != noSummary {
		return false // the results of another output, whose head is missing
	}
	jobs, err := strconv.Atoi(match[3])
	if err != nil {
		return false
	}
	if len(r.jobs) == maxJobs {
		r.dropped++
		return true
	}
	h := r.heads[match[1]]
	j := &job{Job: capture.Job{Name: match[1], Jobs: jobs, Depth: underWay(h.engine, h.depth), Block: blockSize(h.bs, h.rw)}}
	if h.rw != "" {
		j.Options = map[string]string{"rw": h.rw, "bs": h.bs, "ioengine": h.engine}
	}
	if match[4] != "0" {
		j.notes = append(j.notes, failed(j.Name, match[4], match[5]))
	}
	r.jobs = append(r.jobs, j)
	if at, err := time.Parse(time.ANSIC, match[6]); err == nil {
		r.fact(capture.Fact{Name: match[1] + " ended", Value: match[6], At: capture.Moment{Time: at, Clock: capture.Local}})
	}
	return true
}

func (r *reader) group(match []string) bool {
	r.summary = groupSummary
	return match[1] != ""
}

func (r *reader) groupLine(match []string) bool {
	if r.summary != groupSummary || r.unended {
		return false
	}
	r.fact(capture.Fact{Name: "run status " + match[1], Value: match[2]})
	return true
}

func (r *reader) disks([]string) bool {
	r.summary = diskSummary
	return true
}

// disk keeps what a disk did during all jobs; the members of an array are listed below it.
func (r *reader) disk(match []string) bool {
	if r.summary != diskSummary || r.unended {
		return false
	}
	r.fact(capture.Fact{Name: "disk stats " + match[1], Value: match[2]})
	return true
}

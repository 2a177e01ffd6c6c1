// Package fio reads what fio prints: text (--output-format=normal), JSON (json, json+) and both in one
// output, of releases 2.0 to 3.x. Sources: stat.c, lib/num2str.c and the section "Interpreting the
// output" of HOWTO.rst.
//
// Units of text: each line of latencies and each block of percentiles states its own (nsec, usec or
// msec); "k" after a number is 1000. Sizes have i for powers of two ("KiB") from release 2.16 on; before,
// "KB" is 1024 bytes (with kb_base=1024, the default).
package fio

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"plinth/internal/capture"
	"plinth/internal/record"
)

// Kinds returns fio, whose text and JSON are one kind: one output can hold both.
func Kinds() []capture.Kind {
	return []capture.Kind{{
		Name:   "fio",
		Title:  "output of fio",
		Begins: begins,
		New:    func() capture.Reader { return &reader{heads: map[string]head{}} },
	}}
}

const (
	maxJobs  = 10_000
	maxFacts = 1000
)

// reader reads one output.
type reader struct {
	version  string
	heads    map[string]head // by job
	document capture.Document
	jobs     []*job // of text
	found    capture.Found
	message  string // fio's first error
	summary  summary
	unended  bool // the next line has no end
	cut      bool // the text ends within a line
	dropped  int  // jobs and facts beyond the maximum
	trims    bool
}

// summary says which part of what follows the jobs is being read.
type summary int

const (
	noSummary summary = iota
	groupSummary
	diskSummary
)

// job is one job of a text.
type job struct {
	capture.Job
	mixed    bool // reads and writes are not distinguished
	transfer *capture.Transfer
	scale    *scale         // of transfer
	times    *capture.Times // the latencies that follow belong to it
	points   *capture.Times // the percentiles that follow belong to it
	unit     int64          // of points, in nanoseconds
	scales   [2]scale       // of the reads, and of the writes
	issued   [4]int64       // reads, writes, trims, syncs
	rounding float64        // largest unit in which latencies were printed, in nanoseconds
	notes    []record.Note
}

// scale says how exactly a text states a transfer.
type scale struct {
	iopsStep  float64 // the last printed digit of the IOPS
	bytesStep float64 // and of the bytes per second
	runtime   float64 // seconds
}

func begins(lines []string) bool {
	line := lines[0]
	if i := strings.LastIndexByte(line, '\r'); i >= 0 {
		line = line[i+1:]
	}
	if strings.HasPrefix(strings.TrimSpace(line), "{") {
		return jsonBegins.MatchString(strings.Join(lines, "\n"))
	}
	return textBegins.MatchString(line)
}

var (
	jsonBegins = regexp.MustCompile(`^\s*\{\s*"fio version"\s*:\s*"fio`)
	textBegins = regexp.MustCompile(`^(?:` +
		`\S.*: \(g=\d+\): rw=\w+` +
		`|fio-\d+\.\d\S*` +
		`|\S.*: \(groupid=\d+, jobs=\d+\): err=.*` +
		`|\s+(?:read|write|trim|mixed)\s*: IOPS=[\d.]+[kM]?, BW=.*msec\).*` +
		`|\s+(?:read|write|trim|mixed)\s*: io=[\d.]+\w+, bw=.*runt=\s*\d+msec` +
		`|Run status group \d+ \(all jobs\):` +
		`)\s*$|^\S.*: \(g=\d+\): rw=\S+, bs=`)
)

// Unended announces a line without an end: see capture.Cutter.
func (r *reader) Unended() { r.unended = true }

// Line reads one line. A carriage return separates reports of progress, of which a terminal shows the
// last one.
func (r *reader) Line(line []byte) bool {
	if r.unended {
		line, r.cut = capture.WithoutLastNumber(line), true
	}
	parts := strings.Split(strings.TrimRight(string(line), "\r\t "), "\r")
	text := parts[len(parts)-1]
	if len(r.jobs) == 0 && (!r.document.Empty() || strings.HasPrefix(text, "{")) && !r.document.Complete() {
		if r.document.Line([]byte(text)) {
			return true
		}
	}
	for _, form := range forms {
		if match := form.line.FindStringSubmatch(text); match != nil && form.take(r, match) {
			return true
		}
	}
	return false
}

// End returns the jobs. Those of JSON are more exact than the same ones of text.
func (r *reader) End() (capture.Found, error) {
	for _, j := range r.jobs {
		r.finish(j)
	}
	if !r.document.Empty() {
		texts := r.found.Jobs
		r.found.Jobs = nil
		if err := r.readDocument(); err != nil {
			return capture.Found{}, err
		}
		r.merge(texts)
	}
	r.note(r.trims, capture.LeftOut, "what jobs trimmed was left out")
	r.note(r.dropped > 0, capture.LeftOut, fmt.Sprintf("%d jobs, disks and groups were left out: there are more than plinth keeps", r.dropped))
	r.note(r.cut && r.document.Empty(), capture.Cut, "the text ends in the middle of a line")
	if len(r.found.Jobs) == 0 {
		return capture.Found{}, r.refusal()
	}
	r.note(r.message != "", capture.Cut, "fio reported an error: "+r.message)
	return r.found, nil
}

func (r *reader) refusal() error {
	switch {
	case r.message != "":
		return fmt.Errorf("fio failed: %s", r.message)
	case len(r.found.Notes) > 0:
		return errors.New("it has no reads, writes or syncs of a job: " + r.found.Notes[0].Text)
	}
	return errors.New("it has no results of a job")
}

func (r *reader) note(when bool, rule, text string) {
	if when {
		r.found.Notes = append(r.found.Notes, record.Note{Rule: rule, Text: text})
	}
}

// merge adds the jobs of text that JSON does not have.
func (r *reader) merge(texts []capture.Job) {
	names := map[string]int{}
	for _, j := range r.found.Jobs {
		names[j.Name]++
	}
	repeated := 0
	for _, j := range texts {
		if names[j.Name] > 0 {
			names[j.Name]--
			repeated++
			continue
		}
		r.found.Jobs = append(r.found.Jobs, j)
	}
	r.note(repeated > 0, capture.LeftOut, fmt.Sprintf("the output has %d jobs twice, as JSON and as text: the text was left out", repeated))
}

func (r *reader) fact(f capture.Fact) {
	if len(r.found.Facts) == maxFacts {
		r.dropped++
		return
	}
	f.Source = "fio"
	r.found.Facts = append(r.found.Facts, f)
}

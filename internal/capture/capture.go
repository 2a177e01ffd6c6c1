// Package capture reads what other people's tools printed: summaries of load generators, logs,
// tables of iostat and its relatives, statistics of a server. Its subpackages read one tool each;
// this package has what they share. Readers take a text line by line, keep what they understood as
// numbers in plinth's units, and never guess: a value that the text does not state stays zero,
// NaN or absent.
package capture

import (
	"time"

	"plinth/internal/record"
)

// Kind is one format that can be read.
type Kind struct {
	Name  string // as --as takes it: "pgbench", "iostat"
	Title string // in messages: "output of pgbench"
	// Begins reports whether a section of this kind begins with the first of lines. The lines after
	// it are those that follow in the text, at most Ahead in all.
	Begins func(lines []string) bool
	New    func() Reader
}

// Ahead is how many lines Begins can see.
const Ahead = 6

// Reader reads one section of a text. It holds no more than its results: a log of any length is
// read in bounded memory.
type Reader interface {
	// Line takes the next line, without its end, and reports whether it belongs to the section and
	// was understood. After false the reader is as it was before, and goes on with the next line: a
	// message of another program may stand in the middle of a section. The line is valid only during
	// the call.
	Line(line []byte) bool
	// End ends the section and returns what was read. An error refuses the section as a whole; its
	// text says why.
	End() (Found, error)
}

// Cutter is a Reader of lines that may be cut within a number without a sign of it.
type Cutter interface {
	Reader
	// Unended announces that the next line is the last one, and that it has no end: a number at its
	// end may lack digits. See WithoutLastNumber.
	Unended()
}

// LastLine is embedded by readers that drop what they took from a last line without an end.
type LastLine struct {
	announced bool
	// Cut says that the section took the last line of the text, which has no end.
	Cut bool
}

// Unended implements Cutter.
func (l *LastLine) Unended() { l.announced = true }

// Took notes whether a line was taken, and returns it.
func (l *LastLine) Took(taken bool) bool {
	l.Cut = l.Cut || taken && l.announced
	return taken
}

// Found holds what a reader took from one section.
type Found struct {
	Runs   []Run
	Series []Series
	Facts  []Fact
	Events []Event
	Jobs   []Job
	// Notes point out what contradicts itself, was left out, or is not complete. Their rules are the
	// constants below.
	Notes []record.Note
}

// Statements returns the facts, and those of the events.
func (f Found) Statements() []Fact {
	all := f.Facts[:len(f.Facts):len(f.Facts)]
	for _, e := range f.Events {
		all = append(all, e.Facts...)
	}
	return all
}

// Rules of notes.
const (
	Contradiction = "import-contradiction" // two numbers of the same text cannot both be right
	Cut           = "import-cut"           // the text ends before its end
	LeftOut       = "import-left-out"      // readings that were not used, such as averages since boot
	Unclear       = "import-unclear"       // a number whose meaning the text leaves open
)

// Run is one execution of a load generator, as its output describes it.
type Run struct {
	// Environment is where it was measured, if the text says so, as tables of results do.
	Environment string

	Tool     string // "pgbench"
	Version  string // "16.11"; empty if the text does not say
	Workload string // "tpcb-like", "SET": a name as experiment files have it, where there is one
	Clients  int    // 0 if unknown
	Threads  int
	Rate     float64 // scheduled transactions per second; 0 for none
	// Reconnect says that each transaction made its own connection, whose time its latency may lack.
	Reconnect bool
	// Pipeline is how many requests a client has under way at the same time; 0 or 1 for one.
	Pipeline int
	// Options holds what else the text states of the load, in the tool's words: "scaling factor": "1250".
	Options map[string]string
	// Result has what was measured. Percentiles, extremes and counts that the text does not state are
	// zero; Result.Histogram stays empty.
	Result record.Result
	// Known names the fields of Result that the text states, because zero can be a value of theirs:
	// "failures", "retries", "skipped", "late".
	Known map[string]bool
	// Began is when the load began, if the text says so; see Clock.
	Began Moment
	// Notes are those of this run alone.
	Notes []record.Note
	// Progress has the readings during the run, if there are any: columns as in docs/metrics.md
	// ("tps", "latency_mean_ns"). Its times are relative to the beginning of the load.
	Progress Series
}

// Series is a table of readings over time.
type Series struct {
	Source string // the program: "iostat"
	// Columns hold one value for each row, NaN where a row has none. A column that states the same
	// quantity as one of plinth's metrics has its name and unit (docs/metrics.md:
	// "diskstats.nvme0n1.writes"); another one has the program's name and the tool's spelling
	// ("iostat.nvme0n1.aqu-sz"), and the tool's unit.
	Columns []record.Column
	// Times says when each row was read, at the end of the time that it covers. It is empty if the
	// text has no times.
	Times []Moment
	// Interval is how many seconds a row covers, if that is the same for all and stated or certain;
	// 0 if it is unknown.
	Interval float64
}

// Job is one job of fio: what a disk did under one load.
type Job struct {
	Name    string // as the job is called
	Version string // of fio: "3.36"
	Options map[string]string
	Jobs    int   // numjobs that were added up; 1 if each is listed
	Depth   int   // iodepth; 0 if unknown
	Block   int64 // bytes a request; 0 if unknown or mixed
	Runtime float64
	Read    *Transfer // nil if the job did not read
	Write   *Transfer
	Sync    *Times // of fsync or fdatasync; nil if there were none
}

// Transfer holds what a job read or wrote.
type Transfer struct {
	IOPS  float64
	Bytes float64 // per second
	Times Times   // clat: from submission to completion
}

// Times describes a distribution of durations, in nanoseconds. What is unknown is zero.
type Times struct {
	Count       int64
	Mean        float64
	Stddev      float64
	Min, Max    int64
	Percentiles []Percentile // in ascending order
}

// Percentile is one point of a distribution: Share is from 0 to 100.
type Percentile struct {
	Share float64
	Value int64 // nanoseconds
}

// Fact is one statement of a text that is not a reading over time: "kernel" "6.14.0-1018-aws", or a
// statistic at one moment.
type Fact struct {
	Source string // the program or file: "mpstat", "/proc/meminfo"
	Name   string // "pg_stat_bgwriter.buffers_backend"
	Value  string // as printed, with its unit if it has one
	At     Moment
}

// Event is something that happened at a moment, such as a checkpoint.
type Event struct {
	At    Moment
	Kind  string // as in record.Mark; "" for what is no mark
	Text  string // as in record.Mark; it may have characters that act on a terminal
	Facts []Fact // that state the same, for an event that falls into no run
}

// Moment is a time as a text states it.
type Moment struct {
	Time  time.Time // in UTC if Clock is UTC, else the digits of the clock as if they were UTC
	Clock Clock
}

// Clock says what a time of a text refers to.
type Clock int

// The clocks, from the least to the most that they say.
const (
	NoClock  Clock = iota // there is no time
	Relative              // since the beginning of the run; Time counts from the year 1970
	OfDay                 // a time of day, without a date or zone
	Local                 // a date and a time of day, without a zone
	UTC                   // a moment
)

// String returns a moment as far as it is known: "2026-01-03 15:07:40 UTC", "15:07:40"; "" without one.
func (m Moment) String() string {
	switch m.Clock {
	case Relative:
		return m.Time.Sub(time.Unix(0, 0)).String() + " after the beginning"
	case OfDay:
		return m.Time.Format(time.TimeOnly)
	case Local:
		return m.Time.Format(time.DateTime)
	case UTC:
		return m.Time.UTC().Format(time.DateTime) + " UTC"
	}
	return ""
}

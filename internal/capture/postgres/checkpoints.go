package postgres

import (
	"regexp"
	"strings"

	"plinth/internal/capture"
)

// checkpointNumbers are the numbers of "checkpoint complete", from 9.1 to 18: LogCheckpointEnd in xlog.c.
var checkpointNumbers = []struct {
	name string
	find *regexp.Regexp
}{
	{"buffers", regexp.MustCompile(`wrote (\d+) buffers`)},
	{"buffers_share", regexp.MustCompile(`buffers \((\d+\.\d%)\)`)},
	{"slru_buffers", regexp.MustCompile(`wrote (\d+) SLRU buffers`)},
	{"wal_added", regexp.MustCompile(`(\d+) (?:WAL|transaction log) file\(s\) added`)},
	{"wal_removed", regexp.MustCompile(`(\d+) removed`)},
	{"wal_recycled", regexp.MustCompile(`(\d+) recycled`)},
	{"write", regexp.MustCompile(`write=(\d+\.\d{3} s)`)},
	{"sync", regexp.MustCompile(` sync=(\d+\.\d{3} s)`)},
	{"total", regexp.MustCompile(`total=(\d+\.\d{3} s)`)},
	{"sync_files", regexp.MustCompile(`sync files=(\d+),`)},
	{"sync_longest", regexp.MustCompile(`longest=(\d+\.\d{3} s)`)},
	{"sync_average", regexp.MustCompile(`average=(\d+\.\d{3} s)`)},
	{"distance", regexp.MustCompile(`distance=(\d+ kB)`)},
	{"estimate", regexp.MustCompile(`estimate=(\d+ kB)`)},
	{"lsn", regexp.MustCompile(`; lsn=([0-9A-F]+/[0-9A-F]+)`)},
	{"redo_lsn", regexp.MustCompile(`redo lsn=([0-9A-F]+/[0-9A-F]+)`)},
}

// checkpoint returns what a message about a checkpoint or restartpoint states.
func (e *events) checkpoint(at capture.Moment, message string) []capture.Fact {
	what, rest, _ := strings.Cut(message, " ")
	if reason, ok := strings.CutPrefix(rest, "starting:"); ok {
		e.one(what + "s started")
		return []capture.Fact{fact(what+".starting", strings.TrimSpace(reason), at)}
	}
	numbers, ok := strings.CutPrefix(rest, "complete:")
	if !ok {
		return nil
	}
	e.one(what + "s completed")
	if e.stated == maxStated { // the numbers would not be kept
		return nil
	}
	var facts []capture.Fact
	for _, number := range checkpointNumbers {
		if found := number.find.FindStringSubmatch(numbers); found != nil {
			facts = append(facts, fact(what+"."+number.name, found[1], at))
		}
	}
	return facts
}

// automatic returns what the first line of a message of autovacuum states.
func (e *events) automatic(at capture.Moment, message string) []capture.Fact {
	kind, rest, ok := strings.Cut(strings.TrimPrefix(message, "automatic "), ` of table "`)
	if !ok {
		return nil
	}
	table, details, ok := strings.Cut(rest, `"`)
	if !ok {
		return nil
	}
	name := "autovacuum"
	if kind == "analyze" {
		name = "autoanalyze"
	}
	e.one(name)
	if elapsed := elapsedIn(details); elapsed != "" { // an old version has all on one line
		return []capture.Fact{fact(name, table+", "+elapsed, at)}
	}
	e.vacuum = true
	return []capture.Fact{fact(name, table, at)}
}

// detail reads a line that follows the first one of a message.
func (e *events) detail(line []byte) {
	if !e.vacuum {
		return
	}
	if elapsed := elapsedIn(string(line)); elapsed != "" {
		e.vacuum = false
		if facts := e.events[len(e.events)-1].Facts; len(facts) > 0 {
			facts[0].Value += ", " + elapsed
		}
	}
}

// elapsedIn returns the time that a vacuum took, at the end of a text: "0.22 s".
func elapsedIn(text string) string {
	if _, elapsed, ok := strings.Cut(text, "elapsed: "); ok && strings.HasSuffix(elapsed, " s") {
		return elapsed
	}
	return ""
}

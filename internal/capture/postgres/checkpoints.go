package postgres

import (
	"bytes"
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

func (e *events) checkpoint(at capture.Moment, message string) {
	what, rest, _ := strings.Cut(message, " ") // checkpoint or restartpoint
	if reason, ok := strings.CutPrefix(rest, "starting:"); ok {
		e.one(what + "s started")
		if e.room() {
			e.facts = append(e.facts, fact(what+".starting", strings.TrimSpace(reason), at))
		}
		return
	}
	numbers, ok := strings.CutPrefix(rest, "complete:")
	if !ok {
		return
	}
	e.one(what + "s completed")
	if !e.room() {
		return
	}
	for _, number := range checkpointNumbers {
		if found := number.find.FindStringSubmatch(numbers); found != nil {
			e.facts = append(e.facts, fact(what+"."+number.name, found[1], at))
		}
	}
}

func (e *events) automatic(at capture.Moment, message string) {
	kind, rest, ok := strings.Cut(strings.TrimPrefix(message, "automatic "), ` of table "`)
	if !ok {
		return
	}
	table, _, ok := strings.Cut(rest, `"`)
	if !ok {
		return
	}
	name := "autovacuum"
	if kind == "analyze" {
		name = "autoanalyze"
	}
	e.one(name)
	if e.room() {
		e.vacuum = len(e.facts)
		e.facts = append(e.facts, fact(name, table, at))
		e.detail([]byte(rest)) // an old version has all on one line
	}
}

// detail reads a line that follows the first one of a message.
func (e *events) detail(line []byte) {
	if e.vacuum < 0 || e.vacuum >= len(e.facts) {
		return
	}
	if _, elapsed, ok := bytes.Cut(line, []byte("elapsed: ")); ok && bytes.HasSuffix(elapsed, []byte(" s")) {
		e.facts[e.vacuum].Value += ", " + string(elapsed)
		e.vacuum = -1
	}
}

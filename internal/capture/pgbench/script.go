package pgbench

import (
	"path"
	"regexp"
	"strconv"
	"strings"

	"plinth/internal/record"
)

// builtins maps what pgbench calls its own scripts to their names as -b takes them. Before 9.6, the
// texts had no brackets.
var builtins = map[string]string{
	"TPC-B (sort of)":              "tpcb-like",
	"Update only pgbench_accounts": "simple-update",
	"SELECT only":                  "select-only",
	"simple update":                "simple-update",
	"select only":                  "select-only",
}

// workload returns the name of a script: of one of pgbench's own, or the base name of its file.
func workload(description string) string {
	if inner, ok := strings.CutPrefix(description, "<builtin: "); ok {
		description = strings.TrimSuffix(inner, ">")
	}
	if name, ok := builtins[description]; ok {
		return name
	}
	if description == "Custom query" || description == "multiple scripts" {
		return description
	}
	return path.Base(description)
}

// statement is a row of a table of statement latencies.
type statement struct {
	script            int // index; -1 if there are no parts about scripts
	file              int // number of the script in 9.x, which has no such parts; 0 if there is only one
	mean              float64
	failures, retries int64
	text              string
}

const maxStatements = 10_000

var (
	scriptLine = regexp.MustCompile(`^SQL script (\d+): (\S.*)$`)
	tableLine  = regexp.MustCompile(`^(?:- )?statement latencies in milliseconds(?:, file (\d+)|( and failures)|(, failures and retries))?:$`)
	// The number of a row of such a table: %f in 9.x, %.3f later.
	rows = map[int]*regexp.Regexp{
		1: regexp.MustCompile(`^\s+(\d+[.,](?:\d{3}|\d{6}))\s+(\S.*)$`),
		2: regexp.MustCompile(`^\s+(\d+[.,]\d{3})\s+(\d+)\s+(\S.*)$`),
		3: regexp.MustCompile(`^\s+(\d+[.,]\d{3})\s+(\d+)\s+(\d+)\s+(\S.*)$`),
	}
)

// ofScript takes a line of the part about one script.
func (r *output) ofScript(line string) bool {
	if m := tableLine.FindStringSubmatch(line); m != nil {
		return r.begins(m)
	}
	if m := scriptLine.FindStringSubmatch(line); m != nil {
		if n, _ := strconv.Atoi(m[1]); n != len(r.scripts)+1 || n > maxScripts || !r.complete() {
			return false
		}
		r.table = 0
		one := newStats()
		one.words["name"] = m[2]
		r.scripts = append(r.scripts, one)
		return true
	}
	rest, ok := strings.CutPrefix(line, "- ")
	if !ok || len(r.scripts) == 0 {
		return false
	}
	return r.scripts[len(r.scripts)-1].takes(ofScripts, rest)
}

const maxScripts = 128 // pgbench's MAX_SCRIPTS

// begins begins a table of statement latencies.
func (r *output) begins(m []string) bool {
	if !r.complete() || len(r.scripts) == 0 && m[1] == "" && len(r.statements) > 0 {
		return false
	}
	r.table = 1
	r.file, _ = strconv.Atoi(m[1])
	switch {
	case m[2] != "":
		r.table = 2
	case m[3] != "":
		r.table = 3
	}
	return true
}

// statement takes a row of a table of statement latencies. The statement's text is its first line.
func (r *output) statement(line string) bool {
	if r.table == 0 {
		return false
	}
	m := rows[r.table].FindStringSubmatch(line)
	if m == nil || len(r.statements) == maxStatements {
		return false
	}
	mean, ok := number(m[1])
	if !ok {
		return false
	}
	one := statement{script: len(r.scripts) - 1, file: r.file, mean: mean * 1e6, text: strings.ToValidUTF8(strings.TrimSpace(m[len(m)-1]), "")}
	if r.table > 1 {
		one.failures, _ = strconv.ParseInt(m[2], 10, 64)
	}
	if r.table > 2 {
		one.retries, _ = strconv.ParseInt(m[3], 10, 64)
	}
	r.statements = append(r.statements, one)
	return true
}

// result returns what the summary says of one script. The count is not known if the summary ends before
// that of the skipped transactions.
func (s *stats) result(total *stats) record.ScriptResult {
	n, ended := s.numbers, s.ended()
	if _, has := n["skipped"]; !has && total.numbers["skipped"] > 0 {
		ended = 0
	}
	return record.ScriptResult{
		Name: workload(s.words["name"]), Transactions: ended, TPS: s.tps(),
		Failures: int64(n["failed"]), Retries: int64(n["retries"]), Skipped: int64(n["skipped"]),
		Latency: record.Latency{Mean: n["latency_ms"] * 1e6, Stddev: n["stddev_ms"] * 1e6},
	}
}

// ended returns how many transactions of a script ended successfully. The count that all versions
// print includes the skipped ones before 15, which has no count of failures, and all in 18, which
// prints another count.
func (s *stats) ended() int64 {
	if n, ok := s.numbers["processed"]; ok {
		return int64(n)
	}
	ended := s.numbers["share_of"]
	if _, ok := s.numbers["failed"]; !ok {
		ended -= s.numbers["skipped"]
	}
	return int64(ended)
}

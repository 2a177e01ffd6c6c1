package pgbench

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"plinth/internal/capture"
	"plinth/internal/record"
)

// output reads what one execution of pgbench prints, to standard output and to standard error, in
// any order of the two.
type output struct {
	version, server string
	vacuumed        bool
	inVacuum        bool // "end." may follow
	total           *stats
	scripts         []*stats
	statements      []statement
	table           int // columns of the statement latencies that follow; 0 outside of a table
	file            int // whose statement latencies follow, in 9.x with several files
	progress        progress
	early           int // lines of progress before the summary began
	messages        messages
	unended         bool // the next line has no end
	torn            bool // the last line was not complete, and is not used
}

func newOutput() *output { return &output{total: newStats()} }

var (
	version = regexp.MustCompile(`^pgbench \((?:PostgreSQL\) )?(?P<version>\d[^\s,()]*)\)?(?: \([^()]*\))?(?:, server (?P<server>\d[^\s,()]*)(?: \([^()]*\))?)?\)?$`)
	vacuum  = regexp.MustCompile(`^starting vacuum(?: \S+)?\.\.\.(?P<rest>.*)$`)
)

// ended reports whether a line has what ends its format. The names of files have no such end.
func ended(line string) bool {
	if strings.HasPrefix(line, "transaction type:") || scriptLine.MatchString(line) {
		return strings.HasSuffix(line, ">")
	}
	return unitLast.MatchString(line)
}

var unitLast = regexp.MustCompile(`(?:\)|\d m?s)$`)

// trim removes what may surround a line that was copied.
func trim(line string) string { return strings.TrimSpace(line) }

// maxText is how much is used of a line. Only a statement can be longer.
const maxText = 2000

// Line implements capture.Reader.
func (r *output) Line(line []byte) bool {
	text := string(line[:min(len(line), maxText)])
	if r.unended && !r.whole(trim(text)) {
		r.torn = true
		return false
	}
	if r.statement(text) || r.messages.usage && strings.HasPrefix(text, "  ") {
		return true
	}
	if text = trim(text); text == "" {
		return false
	}
	for _, takes := range []func(string) bool{r.ofTotal, r.ofScript, r.ofProgress, r.versionLine, r.vacuumLine, r.message} {
		if takes(text) {
			return true
		}
	}
	return false
}

// Unended implements capture.Cutter.
func (r *output) Unended() { r.unended = true }

// whole reports whether a line without an end is complete: it ends with what ends its format.
func (r *output) whole(text string) bool {
	whole := ended(text) || failureLine.MatchString(text) || notFound.MatchString(text)
	if progressLine.MatchString(text) {
		whole = r.progress.rows() > 0 // which shows the fields that a line has
	}
	return whole && r.table == 0
}

func (r *output) versionLine(line string) bool {
	m := version.FindStringSubmatch(line)
	if m == nil || r.version != "" || r.begun() {
		return false
	}
	r.version, r.server = m[1], m[2]
	return true
}

// begun reports whether the summary has begun.
func (r *output) begun() bool { return len(r.total.words)+len(r.total.numbers) > 0 }

// complete reports whether the part of the summary about all scripts is complete: rates are its end.
func (r *output) complete() bool { return len(r.total.rates()) > 0 }

// failed reports whether pgbench could not begin: what follows is of another execution.
func (r *output) failed() bool {
	return r.messages.first != "" && !r.messages.broken() && !r.begun() && r.progress.rows() == 0
}

func (r *output) vacuumLine(line string) bool {
	if r.inVacuum && line == "end." {
		r.inVacuum = false
		return true
	}
	m := vacuum.FindStringSubmatch(line)
	if m == nil {
		return false
	}
	again := r.vacuumed && strings.HasPrefix(line, "starting vacuum...")
	if again || r.failed() || r.begun() && r.progress.rows() > 0 {
		return false
	}
	r.vacuumed, r.inVacuum = true, m[1] != "end."
	return true
}

func (r *output) ofTotal(line string) bool {
	if r.complete() && !strings.HasPrefix(line, "tps = ") || len(r.scripts) > 0 || r.failed() {
		return false
	}
	first := !r.begun()
	if !r.total.takes(totals, line) {
		return false
	}
	if first {
		r.early = r.progress.rows()
	}
	return true
}

func (r *output) ofProgress(line string) bool {
	if !progressLine.MatchString(line) || r.failed() {
		return false
	}
	if r.complete() && r.early > 0 && !r.progress.continues(line) {
		return false
	}
	return r.progress.line(line)
}

// End implements capture.Reader.
func (r *output) End() (capture.Found, error) {
	if err := r.refusal(); err != nil {
		return capture.Found{}, err
	}
	run := r.run()
	found := capture.Found{Runs: []capture.Run{run}, Facts: r.facts()}
	found.Notes = append(r.shortcomings(), contradictions(r, &run)...)
	return found, nil
}

// refusal returns why nothing can be used.
func (r *output) refusal() error {
	processed, counted := r.total.numbers["processed"]
	switch {
	case r.messages.usage:
		return errors.New("it is pgbench's usage text: pgbench did not run")
	case r.messages.missing != "":
		return fmt.Errorf("pgbench did not run: %s", r.messages.missing)
	case !r.begun() && r.progress.rows() == 0 && r.messages.first != "":
		return fmt.Errorf("pgbench failed: %s", r.messages.first)
	case !r.begun() && r.progress.rows() == 0:
		return errors.New("the text ends before pgbench's results")
	case counted && processed == 0 && !r.complete():
		return fmt.Errorf("pgbench processed no transaction%s", r.messages.because())
	case !r.measured() && r.progress.rows() == 0:
		return fmt.Errorf("pgbench's summary ends before its results%s", r.messages.because())
	}
	return nil
}

// measured reports whether the summary has a number that was measured.
func (r *output) measured() bool {
	for _, name := range []string{"processed", "latency_ms"} {
		if _, ok := r.total.numbers[name]; ok {
			return true
		}
	}
	return r.complete()
}

// shortcomings says what of the results is incomplete or unclear.
func (r *output) shortcomings() []record.Note {
	var notes []record.Note
	add := func(rule, format string, args ...any) {
		notes = append(notes, record.Note{Rule: rule, Text: fmt.Sprintf(format, args...)})
	}
	planned, isPlanned := r.total.numbers["planned"]
	processed := r.total.numbers["processed"] + r.total.numbers["failed"] + r.total.numbers["skipped"]
	switch {
	case r.messages.broken() || isPlanned && processed < planned:
		add(capture.Cut, "the run was aborted, so its results are incomplete%s", r.messages.because())
	case !r.begun():
		add(capture.Cut, "there is only pgbench's progress, without its summary%s", r.messages.because())
	case !r.complete():
		add(capture.Cut, "pgbench's summary has no TPS: it is an excerpt or was cut off")
	case r.torn:
		add(capture.Cut, "the last line is incomplete")
	}
	if _, ok := r.total.numbers["tps_bare"]; ok {
		add(capture.Unclear, "the text does not say whether the TPS include the time for connecting")
	}
	if n := r.total.numbers; n["tps_excluding"] > 1.25*n["tps_including"] && n["tps_including"] > 0 {
		add(capture.Unclear, "connecting took %.0f%% of the time: each transaction may have made its own connection (-C)", 100*(1-n["tps_including"]/n["tps_excluding"]))
	}
	if r.total.words["latency_of"] != "" {
		add(capture.Unclear, "the latency average includes failed transactions")
	}
	if r.progress.headless() {
		add(capture.Cut, "the first lines of progress are missing: the text has it from %s s on", grouped(r.progress.times[0], 1))
	}
	if r.progress.cut > 0 {
		add(capture.LeftOut, "%d lines of progress after the first %d are left out", r.progress.cut, maxRows)
	}
	return notes
}

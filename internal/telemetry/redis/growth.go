package redis

import (
	"fmt"
	"math"
	"time"
)

// growth measures how many bytes were appended to the append-only file. Between two samples
// that is the growth in size, unless a rewrite ended between them: then what was appended
// after it is known, and what was appended before is not. A load that writes large values
// has several rewrites a second, which would leave nothing but gaps. Since commands are
// appended much as they arrive, bytes received from clients in that time give an estimate,
// scaled by the share that was appended otherwise. (The server's write_bytes of
// /proc/PID/io would include the rewriting processes, and is available only for servers on
// this machine.)
type growth struct {
	bytes float64 // total

	appended, input float64 // in intervals without the end of a rewrite
}

// add adds what was appended between two samples, and reports whether that is known.
// rewritten means that a rewrite was seen to end: sizes that happen to be equal would not
// show it.
func (g *growth) add(now, before *sample, rewritten bool) bool {
	input := now.input() - before.input()
	appended := now.values[aofSize] - before.values[aofSize]
	switch {
	case math.IsNaN(appended) || !(input >= 0): // it was off, or the server was restarted
		return false
	case rewritten || now.replaced(before):
		after := now.values[aofSize] - now.values[aofBase]
		if g.input == 0 {
			return false
		}
		appended = max(0, after, input*g.appended/g.input)
	default:
		g.appended += appended
		g.input += input
	}
	g.bytes += appended
	return true
}

// phase is a rewrite or a save, as seen by samples.
type phase struct {
	start, end string // kinds of marks
	began      time.Time
	took       time.Duration // the last one that ended; 0 if it fell between two samples
	late       bool          // it started before the first sample: its duration is unknown
	goes       bool
}

var (
	rewritePhase = phase{start: rewriteStart, end: rewriteEnd}
	savePhase    = phase{start: saveStart, end: saveEnd}
)

// step takes the next sample: how many began since the previous one, and whether one is in
// progress. It reports whether one has ended.
func (p *phase) step(at time.Time, begun float64, goes bool) (ended bool) {
	went := p.goes
	p.goes = goes
	ended = went && (!goes || begun > 0) || begun > 1 || begun > 0 && !goes
	p.took, p.late = 0, ended && went && p.began.IsZero()
	if ended && went && !p.late {
		p.took = at.Sub(p.began)
	}
	if begun > 0 {
		p.began = at
	}
	return ended
}

// ended returns the text of the mark of an end.
func (p *phase) ended(status string) string {
	took := "in less than 0.1 s"
	if p.took > 0 {
		took = fmt.Sprintf("%.1f s", p.took.Seconds())
	}
	if p.late {
		took = ""
	}
	if status == "err" {
		return join("failed", took)
	}
	return took
}

// mark marks changes since the previous sample. The server's log has the same to the
// millisecond, except for the duration of a fork.
func (p *persistence) mark(rewrites, saves float64, rewritten, saved bool) {
	now, before := &p.now, &p.before
	if now.forked(before) && known(now.values[forkTime]) {
		p.add(forked, fmt.Sprintf("%.0f µs", now.values[forkTime]))
	}
	if p.server.settings.logged {
		return
	}
	if rewrites > 0 {
		p.add(p.rewrite.start, several(rewrites))
	}
	if saves > 0 {
		p.add(p.backup.start, several(saves))
	}
	if rewritten {
		p.add(p.rewrite.end, p.rewrite.ended(now.rewritten))
	}
	if saved {
		p.add(p.backup.end, p.backup.ended(now.saved))
	}
	if n := now.grown(before, aofDelayed); n > 0 {
		p.add(delayed, several(n))
	}
}

// several returns how often, if more than once.
func several(n float64) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf("%.0f times", n)
}

// mostWaiting limits the marks that wait for a reading: a server that cannot be read
// produces none, so the limit is not reached in practice.
const mostWaiting = 100

func (p *persistence) add(kind, text string) {
	if len(p.marks) < mostWaiting {
		p.marks = append(p.marks, mark{p.at, kind, text})
	}
}

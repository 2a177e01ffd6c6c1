package share

import (
	"math"
	"slices"
	"strings"

	"plinth/internal/figure/window"
)

// commands computes the time that each command took. One that takes seconds is counted when it ends, and the
// server does not answer before: the latency monitor knows it.
func (r *reading) commands() {
	r.Commands, r.Calls = map[string][]float64{}, map[string]float64{}
	for name := range r.w.Columns {
		command, is := strings.CutPrefix(name, "info.cmdstat_")
		command, isToo := strings.CutSuffix(command, ".calls")
		if !is || !isToo || slices.Contains(forkingCommands, command) {
			continue
		}
		seconds := make([]float64, len(r.rows))
		for i, row := range r.rows {
			calls := zero(r.w.At(name, row))
			seconds[i] = calls * zero(r.w.At("info.cmdstat_"+command+".usec_per_call", row))
			r.Calls[command] += calls
		}
		r.Commands[command] = seconds
	}
	unanswered := make([]float64, len(r.rows))
	for i, row := range r.rows {
		if r.silent(i) {
			unanswered[i] = max(0, r.working(i), r.event("command", row)-r.Executing(i))
		}
	}
	r.Commands[""] = unanswered
}

// silent reports whether the server did not answer in a second of the timeline.
func (r *reading) silent(i int) bool { return math.IsNaN(r.w.At(mainCPU+"sys", r.rows[i])) }

// working returns the time for which the thread of a server that does not answer was on a CPU, or waited for
// one, if next to nothing ended meanwhile: it executes one command. A thread that waits for a disk does not use
// a CPU.
func (r *reading) working(i int) float64 {
	row := r.rows[i]
	ready := zero(r.w.At(serverCPU, row)) + zero(r.w.At(delay, row))
	if ready < 0.5 || !r.still(i) {
		return 0
	}
	return min(1, ready)
}

// still reports whether next to nothing ended in a second of the timeline.
func (r *reading) still(i int) bool {
	return r.TPS[i] < 0.1*window.Total(r.TPS)/float64(len(r.TPS))
}

// Executing returns the time that commands took in a second of the timeline.
func (t *Timeline) Executing(i int) (sum float64) {
	for _, seconds := range t.Commands {
		sum += seconds[i]
	}
	return sum
}

// forkingCommands are the commands whose time is that of a fork.
var forkingCommands = []string{"bgsave", "bgrewriteaof", "psync", "sync"}

// event returns how long the longest event of the latency monitor lasted within a second. One of several
// seconds is reported in that in which it ended.
func (r *reading) event(name string, row int) float64 {
	values := r.w.Columns["latency."+name]
	if values == nil {
		return 0
	}
	most := 0.0
	for later := row; later < len(values) && later < row+longest; later++ {
		most = max(most, min(1, zero(values[later])-float64(later-row)))
	}
	return most
}

// longest is the longest event that is looked for, in seconds.
const longest = 60

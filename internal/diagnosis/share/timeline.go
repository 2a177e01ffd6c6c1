package share

import (
	"math"
	"slices"
	"strings"

	"plinth/internal/figure/window"
	"plinth/internal/record"
)

// Timeline holds what transactions spent their time on, second by second.
type Timeline struct {
	Seconds  []float64            // of the window, those with a known throughput and latency
	TPS      []float64            // in each of these seconds
	InFlight []float64            // transactions in flight
	Late     []float64            // how long after they were due transactions began, in ns; 0 in a closed loop
	Parts    map[string][]float64 // those that were in a part; NaN where it is not known
	Columns  map[string][]string  // from which a part is computed
	Commands map[string][]float64 // Redis: the time that each command took; that of a command without an answer is under ""
	Calls    map[string]float64   // Redis: of each command
	missing  []record.Gap
	inServer bool // no client measures the response time: the whole is the work of the server's sessions

	w    *window.Window
	rows []int // of the window
}

// The columns from which parts are computed.
const (
	tps       = "tps"
	latency   = "latency_mean_ns"
	late      = "schedule_lag_mean_ns"
	active    = "wait.active"
	server    = "process.server."
	backends  = "process.server.backends."
	own       = "plinth.cpu"
	generator = "process.generator."
)

// Of returns the timeline of a run. If there is none, why says so.
func Of(w *window.Window, e record.Environment) (t *Timeline, why string) {
	switch e.Server {
	case "PostgreSQL":
	case "Redis", "Valkey":
		return redis(w, e)
	default:
		return nil, "only the response times of PostgreSQL, Redis and Valkey are divided"
	}
	if t, why = whole(w, active); why != "" {
		return nil, why
	}
	t.counters()
	t.waits()
	if t.inServer {
		t.sum()
	} else {
		t.client(e)
	}
	return t, ""
}

// sum makes the whole of what is known: that is the time that transactions spend in the server. If their CPU time is not
// known, it is the sessions that were seen at work: waits alone would be shares of each other.
func (t *Timeline) sum() {
	if t.Parts[CPU] == nil {
		copy(t.InFlight, t.of(active))
		return
	}
	for i := range t.rows {
		t.InFlight[i] = 0
		for _, values := range t.Parts {
			if !math.IsNaN(values[i]) {
				t.InFlight[i] += values[i]
			}
		}
	}
}

// whole returns a timeline without parts: what is to be divided. The columns needed must be known.
func whole(w *window.Window, needed ...string) (*Timeline, string) {
	rows, why := w.Known(append([]string{tps}, needed...)...)
	if why != "" {
		return nil, why
	}
	_, unmeasured := w.Known(latency)
	t := &Timeline{Parts: map[string][]float64{}, Columns: map[string][]string{}, w: w, inServer: w.Run.Result.Loop == "" && unmeasured != ""}
	for _, i := range rows {
		n, each, behind := w.At(tps, i), w.At(latency, i), 0.0
		if lag := w.At(late, i); w.Run.Result.Loop == "open" && lag > 0 {
			each, behind = max(0, each-lag), lag // the latency is from when the transaction was due
		}
		switch {
		case n == 0 || t.inServer:
			each = 0
		case math.IsNaN(each):
			continue
		}
		t.rows = append(t.rows, i)
		t.Seconds = append(t.Seconds, w.Seconds[i])
		t.TPS = append(t.TPS, n)
		t.InFlight = append(t.InFlight, n*each/1e9)
		t.Late = append(t.Late, behind)
	}
	if len(t.rows) == 0 {
		return nil, "the mean latency is not known"
	}
	if w.Run.Result.Loop == "closed" {
		t.level()
	}
	return t, ""
}

// level makes the transactions in flight the same in all seconds, as they are in a closed loop. A latency is
// counted in the second in which the transaction ends: while a lock holds up all of them, none would seem to
// be in flight.
func (t *Timeline) level() {
	level := window.Total(t.InFlight) / float64(len(t.InFlight))
	for i := range t.InFlight {
		t.InFlight[i] = level
	}
}

// add adds the sum of columns, less those in without, to a part.
func (t *Timeline) add(part string, values []float64, columns ...string) {
	if t.Parts[part] == nil {
		t.Parts[part] = make([]float64, len(t.rows))
	}
	for i, v := range values {
		t.Parts[part][i] += v
	}
	t.Columns[part] = append(t.Columns[part], columns...)
	slices.Sort(t.Columns[part])
}

// of returns a column in the timeline's seconds.
func (t *Timeline) of(column string) []float64 {
	values := make([]float64, len(t.rows))
	for at, i := range t.rows {
		values[at] = t.w.At(column, i)
	}
	return values
}

// count adds a column to a part, or notes why it is not known.
func (t *Timeline) count(part, column string) {
	if _, why := t.w.Known(column); why != "" {
		t.missing = append(t.missing, record.Gap{What: part, Why: why})
		return
	}
	t.add(part, t.of(column), column)
}

// counters adds what the server's processes counted, without the queries of plinth. Records of earlier versions
// have the CPU time of the whole server only.
func (t *Timeline) counters() {
	if _, why := t.w.Known(backends + "cpu"); why == "" {
		t.count(CPU, backends+"cpu")
	} else if _, why := t.w.Known(server + "cpu"); why == "" {
		t.count(CPU, server+"cpu")
		t.missing = append(t.missing, record.Gap{What: CPU, Why: "that of the server's background processes is included, because the record does not have it apart"})
	} else {
		t.count(CPU, backends+"cpu")
	}
	t.count(RunDelay, backends+"run_delay")
	if values, mine := t.Parts[CPU], t.of(own); values != nil {
		for i, v := range mine {
			if !math.IsNaN(v) {
				values[i] = max(0, values[i]-v)
			}
		}
	}
}

// waits adds what sessions were seen waiting for. An event that was never seen in a second was not
// waited for.
func (t *Timeline) waits() {
	for name := range t.w.Columns {
		event, is := strings.CutPrefix(name, "wait.")
		if !is || !strings.Contains(event, ".") {
			continue
		}
		values := t.of(name)
		for i, v := range values {
			if math.IsNaN(v) {
				values[i] = 0
			}
		}
		t.add(partOf(event), values, name)
	}
}

// client adds the load generator and the network.
func (t *Timeline) client(e record.Environment) {
	switch {
	case len(t.w.Run.Generators) > 0:
		t.network()
	case e.Elsewhere:
		t.missing = append(t.missing, record.Gap{What: Network, Why: "the round trip is not known apart from the server's own time"})
		fallthrough
	default:
		t.count(Generator, generator+"cpu")
		t.count(GeneratorDelay, generator+"run_delay")
	}
}

// network adds the round trips of the statements, as the load generators' connections measured them.
func (t *Timeline) network() {
	t.missing = append(t.missing, record.Gap{What: Generator, Why: "it runs on another machine"})
	trips, connections := 0.0, 0.0
	for _, g := range t.w.Run.Generators {
		if g.Network != nil && g.Network.RoundTrip > 0 {
			trips += g.Network.RoundTrip
			connections++
		}
	}
	if connections == 0 {
		t.missing = append(t.missing, record.Gap{What: Network, Why: "the round trip was not measured"})
		return
	}
	each := t.w.Run.Result.StatementsPerTransaction() * trips / connections / 1e9
	values := make([]float64, len(t.rows))
	for i, n := range t.TPS {
		values[i] = n * each
	}
	t.add(Network, values, "generators.network.round_trip_ns")
}

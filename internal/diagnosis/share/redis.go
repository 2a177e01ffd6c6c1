package share

import (
	"maps"
	"math"
	"slices"
	"strings"

	"plinth/internal/figure/window"
	"plinth/internal/record"
)

// redis returns the timeline of a run of Redis or Valkey.
//
// One thread serves all requests, and one thread of the load generator sends those of its clients. A request
// waits for whatever these threads do meanwhile: the part of the requests that is at the server is divided as
// the time of the server's thread.
func redis(w *window.Window, e record.Environment) (*Timeline, string) {
	t, why := whole(w)
	if why != "" {
		return nil, why
	}
	r := &reading{Timeline: t, environment: e}
	main, column := r.main()
	if main == nil {
		return nil, "the CPU time of the server's thread is not known"
	}
	r.commands()
	of := r.generator()
	for i := range t.rows {
		r.share(i, r.thread(i, main[i]))
	}
	r.columns(column, of)
	if len(w.Run.Generators) > 0 {
		r.remote()
	}
	return t, ""
}

// reading computes a timeline of Redis.
type reading struct {
	*Timeline
	environment record.Environment
	load        *load // nil if it is not known
}

// thread holds how long the server's thread did each thing in a second, in seconds.
type thread struct{ command, wait, loop, fork, aof, delay float64 }

// load holds how long the threads of the load generator were on a CPU, and waited for one, in each second, as a
// share of their time.
type load struct{ cpu, delay []float64 }

const (
	mainCPU   = "info.used_cpu_"
	serverCPU = "process.server.cpu"
	delay     = "process.server.run_delay"
	loopTime  = "info.eventloop_duration_sum"
	forks     = "info.total_forks"
	forkTime  = "info.latest_fork_usec"
	appended  = "info.aof_current_size"
)

// main returns the CPU time of the server's thread. While it does not answer, that of the whole process is
// known. Versions before 6.2 do not report it: their thread uses nearly all of the process's CPU time.
func (r *reading) main() (values []float64, columns []string) {
	process := r.of(serverCPU)
	names := []string{mainCPU + "sys_main_thread", mainCPU + "user_main_thread"}
	if _, why := r.w.Known(names[0]); why != "" {
		names = []string{mainCPU + "sys", mainCPU + "user"}
	}
	known := false
	for at, i := range r.rows {
		v := r.w.Sum(names, i)
		if math.IsNaN(v) {
			v = process[at]
		}
		known = known || !math.IsNaN(v)
		values = append(values, min(1, zero(v)))
	}
	if !known {
		return nil, nil
	}
	return values, names
}

// zero returns 0 for a value that is not known.
func zero(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}

// thread divides a second of the server's thread.
func (r *reading) thread(i int, cpu float64) (s thread) {
	row := r.rows[i]
	s.delay = min(1-cpu, zero(r.w.At(delay, row)))
	if all := r.w.At(serverCPU, row); all > cpu { // other threads and children wait as well
		s.delay *= cpu / all
	}
	commands := r.Executing(i)
	forking := zero(r.w.At(forks, row)) * zero(r.w.At(forkTime, row))
	s.command = min(cpu, commands)
	room := 1 - cpu - s.delay
	s.wait = min(room, max(0, commands-cpu-s.delay))
	s.fork = min(cpu-s.command, forking)
	s.loop = cpu - s.command - s.fork
	s.aof = min(room-s.wait, r.blocked(i, cpu+s.delay+s.wait))
	return s
}

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

// blocked returns the time that the thread waited for the append-only file: what it took for its event loop
// beyond the rest. Versions before 7.2 do not report it: it is then the time in which the file's disk was busy
// where each reply waits for it, or where nothing ended; and otherwise what the latency monitor recorded.
func (r *reading) blocked(i int, rest float64) float64 {
	row := r.rows[i]
	if !r.appends() {
		return 0
	}
	events := 0.0
	for name := range r.w.Columns {
		if event, is := strings.CutPrefix(name, "latency."); is && strings.HasPrefix(event, "aof-") && event != "aof-rewrite-diff-write" {
			events = max(events, r.event(event, row))
		}
	}
	if whole := r.w.At(loopTime, row); !math.IsNaN(whole) {
		return max(events, whole-rest, 0)
	}
	disk := r.busyDisk(row)
	if r.environment.Settings["appendfsync"] == "always" {
		if r.load != nil && r.w.Run.Result.Loop == "closed" {
			disk = max(disk, r.flushing(i, 1-rest, disk))
		}
		return max(events, disk)
	}
	// The latency monitor reports the latest event only.
	if r.silent(i) && r.still(i) && disk > 0.5 {
		return 1 - rest
	}
	return events
}

// flushing returns for how long the thread waits for flushes, of the time in which it neither runs nor waits for a
// CPU, in a closed loop: at least while the load generator is idle, as all requests are then at the thread. If the
// disk is busy for most of that time, flushes follow each other: the thread waits for one unless all requests are at
// the generator.
func (r *reading) flushing(i int, rest, disk float64) float64 {
	sending := r.sending(i)
	if disk < rest/2 {
		return rest - sending
	}
	return rest - empty(r.InFlight[i], sending/max(1-sending, 1e-9))
}

// appends reports whether the server has an append-only file.
func (r *reading) appends() bool {
	_, why := r.w.Known(appended)
	return why == "" || r.environment.Settings["appendonly"] == "yes"
}

// busyDisk returns the share of a second in which the file's disk was busy.
func (r *reading) busyDisk(row int) (most float64) {
	for _, disk := range record.DevicesOf(r.environment.Volumes, "data") {
		most = max(most, zero(r.w.At("diskstats."+disk+".utilisation", row)))
	}
	return most
}

// generator reads how busy the load generator's threads were.
func (r *reading) generator() (columns []string) {
	names := []string{generator + "cpu", generator + "run_delay"}
	_, why := r.w.Known(names[0])
	switch {
	case len(r.w.Run.Generators) > 0:
		why = "it runs on another machine"
	case why == "" && r.environment.Elsewhere:
		r.missing = append(r.missing, record.Gap{What: Network, Why: "the round trip is not known apart from the server's own time"})
	}
	if why != "" {
		r.missing = append(r.missing, record.Gap{What: Generator, Why: why})
		return nil
	}
	threads := float64(max(1, r.w.Run.Threads))
	l := &load{cpu: r.of(names[0]), delay: r.of(names[1])}
	for i := range l.cpu {
		l.cpu[i] = min(1, zero(l.cpu[i])/threads)
		l.delay[i] = min(1-l.cpu[i], zero(l.delay[i])/threads)
	}
	r.load = l
	return names
}

// sending returns the time for which the load generator's threads were busy.
func (r *reading) sending(i int) float64 {
	if r.load == nil {
		return 0
	}
	return r.load.cpu[i] + r.load.delay[i]
}

// put sets a part in a second.
func (r *reading) put(i int, part string, sessions float64) {
	if r.Parts[part] == nil {
		r.Parts[part] = make([]float64, len(r.rows))
	}
	r.Parts[part][i] = sessions
}

// columns notes from which columns the parts were computed, and which were not known.
func (r *reading) columns(main, generator []string) {
	known := func(names ...string) (some []string) {
		for _, name := range names {
			if r.w.Columns[name] != nil {
				some = append(some, name)
			}
		}
		return some
	}
	var commands, files []string
	for _, name := range slices.Sorted(maps.Keys(r.w.Columns)) {
		switch {
		case strings.HasPrefix(name, "info.cmdstat_"):
			commands = append(commands, name)
		case strings.HasPrefix(name, "latency.aof-"):
			files = append(files, name)
		}
	}
	r.Columns[Command] = commands
	r.Columns[CommandWait] = slices.Concat(commands, known("latency.command"))
	r.Columns[EventLoop] = main
	r.Columns[Fork] = known(forkTime, forks)
	r.Columns[RunDelay] = known(delay)
	r.Columns[AOF] = slices.Concat(known(loopTime), files)
	r.Columns[Generator], r.Columns[GeneratorDelay] = generator, generator
	if _, why := r.w.Known(delay); why != "" {
		r.missing = append(r.missing, record.Gap{What: RunDelay, Why: why})
		delete(r.Parts, RunDelay)
	}
	if _, why := r.w.Known(loopTime); why != "" && r.appends() && r.environment.Settings["appendfsync"] != "always" {
		r.missing = append(r.missing, record.Gap{What: AOF, Why: "only what the latency monitor recorded is known: " + why})
	}
}

// remote adds the round trips to load generators on other machines. What is in the network is not at the
// server.
func (r *reading) remote() {
	r.network()
	trips := r.Parts[Network]
	for part, values := range r.Parts {
		if part == Network || trips == nil {
			continue
		}
		for i := range values {
			values[i] *= max(0, 1-trips[i]/max(r.InFlight[i], 1e-9))
		}
	}
}

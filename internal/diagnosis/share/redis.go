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

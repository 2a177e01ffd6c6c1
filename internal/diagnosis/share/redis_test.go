package share

import (
	"math"
	"testing"

	"plinth/internal/figure/window"
	"plinth/internal/record"
)

// steady returns a column with the same value in all of ten seconds.
func steady(v float64) []float64 {
	values := make([]float64, 10)
	for i := range values {
		values[i] = v
	}
	return values
}

// run is a made run of Redis: ten seconds, and 10 requests in flight.
type run struct {
	loop        string
	generators  []record.GeneratorRun
	environment record.Environment
	columns     map[string][]float64
}

func (r run) timeline(t *testing.T) *Timeline {
	t.Helper()
	second := make([]float64, 10)
	for i := range second {
		second[i] = float64(i)
	}
	all := record.Points{Columns: []record.Column{{Name: "second", Values: second}}}
	for name, values := range map[string][]float64{
		"tps": steady(1000), "latency_mean_ns": steady(10e6),
		"info.used_cpu_sys": steady(0), "info.used_cpu_sys_main_thread": steady(0.2), "info.used_cpu_user_main_thread": steady(0.2),
		"process.server.cpu": steady(0.4), "process.server.run_delay": steady(0.1),
		"process.generator.cpu": steady(0.2), "process.generator.run_delay": steady(0.1),
	} {
		if _, changed := r.columns[name]; !changed {
			all.Columns = append(all.Columns, record.Column{Name: name, Values: values})
		}
	}
	for name, values := range r.columns {
		if values != nil {
			all.Columns = append(all.Columns, record.Column{Name: name, Values: values})
		}
	}
	r.environment.Server = "Redis"
	made := &record.Run{Generators: r.generators}
	made.Threads = 1
	made.Result.Loop = r.loop
	timeline, why := Of(window.New(made, all), r.environment)
	if why != "" {
		t.Fatal(why)
	}
	return timeline
}

func TestRedisDivision(t *testing.T) {
	unknown := math.NaN()
	always := record.Environment{
		Settings: map[string]string{"appendfsync": "always"}, Volumes: []record.Volume{{Role: "data", Device: "sdb"}},
	}
	everysec := record.Environment{Settings: map[string]string{"appendfsync": "everysec"}}
	for _, c := range []struct {
		name string
		run  run
		want map[string]float64 // sessions
	}{
		{
			"neither side is busy all the time",
			run{columns: map[string][]float64{"info.cmdstat_get.calls": steady(1000), "info.cmdstat_get.usec_per_call": steady(100e-6)}},
			map[string]float64{Command: 1, EventLoop: 3, RunDelay: 1, Generator: 2, GeneratorDelay: 1, Unexplained: 2},
		},
		{
			"both are", // in 0.9 of the time, each has half of the requests, and none of them waits for a CPU
			run{columns: map[string][]float64{
				"info.used_cpu_sys_main_thread": steady(0.7), "process.server.cpu": steady(0.9),
				"process.generator.cpu": steady(0.9), "process.generator.run_delay": steady(0),
			}},
			map[string]float64{EventLoop: 4.5, RunDelay: 1, Generator: 4.5},
		},
		{
			"children use a CPU as well",
			run{columns: map[string][]float64{"process.server.cpu": steady(0.8)}},
			map[string]float64{EventLoop: 4, RunDelay: 0.5, Generator: 2, GeneratorDelay: 1, Unexplained: 2.5},
		},
		{
			// The thread is always busy, and for 0.3 the generator as well: it holds 0.3269 of the requests then, as it takes
			// 0.3 where the thread takes 0.4, apart from waits in which all requests are held up.
			"each reply waits for the disk",
			run{environment: always, columns: map[string][]float64{"info.aof_current_size": steady(1), "diskstats.sdb.utilisation": steady(0.9)}},
			map[string]float64{EventLoop: 3.019186, RunDelay: 1, AOF: 5, Generator: 0.653876, GeneratorDelay: 0.326938},
		},
		{
			// The disk is busy for most of the time in which the thread does not run, so the thread waits for it for all of
			// that time, 0.6, although the generator is idle for 0.9.
			"flushes follow each other",
			run{environment: always, columns: map[string][]float64{
				"info.aof_current_size": steady(1), "diskstats.sdb.utilisation": steady(0.4), "info.used_cpu_user_main_thread": steady(0.1),
				"process.server.cpu": steady(0.3), "process.generator.cpu": steady(0.1), "process.generator.run_delay": steady(0),
			}},
			map[string]float64{EventLoop: 2.850046, RunDelay: 1, AOF: 6, Generator: 0.149954},
		},
		{
			"each reply waits for the disk, which is not busy all that time", // the generator is idle for 0.7
			run{environment: always, columns: map[string][]float64{"info.aof_current_size": steady(1), "diskstats.sdb.utilisation": steady(0.1)}},
			map[string]float64{EventLoop: 4, RunDelay: 1, AOF: 2, Generator: 2, GeneratorDelay: 1},
		},
		{
			"the event loop took longer than its CPU time",
			run{environment: everysec, columns: map[string][]float64{"info.aof_current_size": steady(1), "info.eventloop_duration_sum": steady(0.7)}},
			map[string]float64{EventLoop: 4, RunDelay: 1, AOF: 2, Generator: 2, GeneratorDelay: 1},
		},
		{
			"the event loop waits, and there is no append-only file",
			run{environment: everysec, columns: map[string][]float64{"info.eventloop_duration_sum": steady(0.7)}},
			map[string]float64{EventLoop: 4, RunDelay: 1, Generator: 2, GeneratorDelay: 1, Unexplained: 2},
		},
		{
			"forks",
			run{columns: map[string][]float64{"info.total_forks": steady(2), "info.latest_fork_usec": steady(0.05)}},
			map[string]float64{EventLoop: 3, Fork: 1, RunDelay: 1, Generator: 2, GeneratorDelay: 1, Unexplained: 2},
		},
		{
			"a command that sleeps for two seconds, without an answer to INFO",
			run{columns: map[string][]float64{
				"tps":                           {1250, 1250, 1250, 1250, 0, 0, 1250, 1250, 1250, 1250},
				"latency_mean_ns":               steady(8e6),
				"latency.command":               {0, 0, 0, 0, unknown, 2, 0, 0, 0, 0},
				"info.used_cpu_sys":             {0, 0, 0, 0, unknown, unknown, 0, 0, 0, 0},
				"info.used_cpu_sys_main_thread": {0.3, 0.3, 0.3, 0.3, unknown, unknown, 0.3, 0.3, 0.3, 0.3},
				"process.server.cpu":            {0.5, 0.5, 0.5, 0.5, 0, 0, 0.5, 0.5, 0.5, 0.5},
				"process.server.run_delay":      steady(0),
				"process.generator.cpu":         {0.5, 0.5, 0.5, 0.5, 0, 0, 0.5, 0.5, 0.5, 0.5},
				"process.generator.run_delay":   steady(0),
			}, loop: "closed"},
			map[string]float64{CommandWait: 1.6, EventLoop: 3.2, Generator: 3.2},
		},
		{
			"a write to the append-only file that lasts for two seconds, of which the latency monitor no longer tells",
			run{environment: record.Environment{
				Settings: map[string]string{"appendfsync": "everysec", "appendonly": "yes"}, Volumes: always.Volumes,
			}, columns: map[string][]float64{
				"tps":                           {1250, 1250, 1250, 1250, 0, 0, 1250, 1250, 1250, 1250},
				"latency_mean_ns":               steady(8e6),
				"info.used_cpu_sys":             {0, 0, 0, 0, unknown, unknown, 0, 0, 0, 0},
				"info.used_cpu_sys_main_thread": {0.3, 0.3, 0.3, 0.3, unknown, unknown, 0.3, 0.3, 0.3, 0.3},
				"process.server.cpu":            {0.5, 0.5, 0.5, 0.5, 0, 0, 0.5, 0.5, 0.5, 0.5},
				"process.server.run_delay":      steady(0),
				"process.generator.cpu":         {0.5, 0.5, 0.5, 0.5, 0, 0, 0.5, 0.5, 0.5, 0.5},
				"process.generator.run_delay":   steady(0),
				"diskstats.sdb.utilisation":     steady(1),
			}, loop: "closed"},
			map[string]float64{AOF: 1.6, EventLoop: 3.2, Generator: 3.2},
		},
		{
			"a script that computes for two seconds",
			run{columns: map[string][]float64{
				"tps":                           {1250, 1250, 1250, 1250, 0, 0, 1250, 1250, 1250, 1250},
				"latency_mean_ns":               steady(8e6),
				"info.used_cpu_sys":             {0, 0, 0, 0, unknown, unknown, 0, 0, 0, 0},
				"info.used_cpu_sys_main_thread": {0.3, 0.3, 0.3, 0.3, unknown, unknown, 0.3, 0.3, 0.3, 0.3},
				"process.server.cpu":            {0.5, 0.5, 0.5, 0.5, 1, 1, 0.5, 0.5, 0.5, 0.5},
				"process.server.run_delay":      steady(0),
				"process.generator.cpu":         {0.5, 0.5, 0.5, 0.5, 0, 0, 0.5, 0.5, 0.5, 0.5},
				"process.generator.run_delay":   steady(0),
			}, loop: "closed"},
			map[string]float64{Command: 1.6, EventLoop: 3.2, Generator: 3.2},
		},
		{
			"the generator is elsewhere, and its round trips are known",
			run{generators: []record.GeneratorRun{{Network: &record.Network{RoundTrip: 4e6}}}},
			map[string]float64{EventLoop: 2.4, RunDelay: 0.6, Network: 4, Unexplained: 3},
		},
		{
			"an open loop with few requests", // 0.5 in flight, and the two sides are busy for 0.8
			run{columns: map[string][]float64{"latency_mean_ns": steady(0.5e6)}, loop: "open"},
			map[string]float64{EventLoop: 0.25, RunDelay: 0.0625, Generator: 0.125, GeneratorDelay: 0.0625},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.run.loop == "" {
				c.run.loop = "closed"
			}
			d, why := c.run.timeline(t).Divide(0, math.Inf(1), Fewest)
			if why != "" {
				t.Fatal(why)
			}
			sum := 0.0
			for _, p := range d.Parts {
				sum += p.Sessions
				if math.Abs(p.Sessions-c.want[p.Name]) > 1e-6 {
					t.Errorf("%s: %.4f sessions, want %.4f", p.Name, p.Sessions, c.want[p.Name])
				}
			}
			for name, want := range c.want {
				if want > 0 && d.Part(name).Sessions == 0 {
					t.Errorf("%s is missing: %+v", name, d.Parts)
				}
			}
			if math.Abs(sum-d.InFlight) > 1e-6 {
				t.Errorf("the parts are %.4f, and %.4f requests were in flight", sum, d.InFlight)
			}
		})
	}
}

// TestRedisMissing checks that what is not known is said, and not taken for nothing.
func TestRedisMissing(t *testing.T) {
	for _, c := range []struct {
		name, what string
		run        run
	}{
		{"no generator", Generator, run{columns: map[string][]float64{"process.generator.cpu": nil}}},
		{"no run delay", RunDelay, run{columns: map[string][]float64{"process.server.run_delay": nil}}},
		{"no event loop", AOF, run{
			columns:     map[string][]float64{"info.aof_current_size": steady(1)},
			environment: record.Environment{Settings: map[string]string{"appendfsync": "everysec"}},
		}},
		{"elsewhere", Network, run{environment: record.Environment{Elsewhere: true}}},
	} {
		c.run.loop = "closed"
		d, why := c.run.timeline(t).Divide(0, math.Inf(1), Fewest)
		if why != "" {
			t.Fatal(why)
		}
		said := false
		for _, gap := range d.Missing {
			said = said || gap.What == c.what && gap.Why != ""
		}
		if !said || d.Part(c.what).Sessions != 0 {
			t.Errorf("%s: %+v, %+v", c.name, d.Missing, d.Part(c.what))
		}
	}
}

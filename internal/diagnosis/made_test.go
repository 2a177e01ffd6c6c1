package diagnosis

import (
	"maps"
	"slices"

	"plinth/internal/device"
	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/unit"
)

// seconds is the length of a made run.
const seconds = 20

// at returns the value of a column in a second, from 0 to seconds-1.
type at func(second int) float64

// steadily returns a column with one value.
func steadily(v float64) at { return func(int) float64 { return v } }

// from returns a column that changes in a second, and stays so.
func from(second int, before, after float64) at {
	return inSeconds(second, seconds, before, after)
}

// between returns a column with another value from one second to before another.
func inSeconds(first, end int, otherwise, then float64) at {
	return func(second int) float64 {
		if second >= first && second < end {
			return then
		}
		return otherwise
	}
}

// columns are the columns of a made run.
type columns map[string]at

// quiet returns the columns of a run of 8 clients on two CPUs, in which transactions take 8 ms: 1,000 a second.
// Little is known to be spent: the rest is for a test to add.
func quiet() columns {
	return columns{
		"tps": steadily(1000), "latency_mean_ns": steadily(8e6), "wait.active": steadily(1),
		"stat.cpu.user": steadily(0.3), "stat.cpu.nice": steadily(0), "stat.cpu.system": steadily(0.2), "stat.cpu.irq": steadily(0),
		"stat.cpu.softirq": steadily(0), "stat.cpu.idle": steadily(1.5), "stat.cpu.iowait": steadily(0), "stat.cpu.steal": steadily(0),
		"process.server.cpu": steadily(0.3), "process.others.cpu": steadily(0.05), "process.generator.cpu": steadily(0.1),
		"process.generator.run_delay": steadily(0.05), "process.plinth.cpu": steadily(0.01), "plinth.cpu": steadily(0),
		"process.server.backends.cpu": steadily(0.3), "process.server.backends.run_delay": steadily(0.1),
		"cgroup.cpu.nr_throttled": steadily(0), "stat.processes": steadily(1),
	}
}

// with returns the columns with others in addition, or in their place.
func (c columns) with(more columns) columns {
	all := maps.Clone(c)
	maps.Copy(all, more)
	return all
}

// without returns the columns without some.
func (c columns) without(names ...string) columns {
	all := maps.Clone(c)
	for _, name := range names {
		delete(all, name)
	}
	return all
}

func (c columns) points() record.Points {
	var p record.Points
	p.Columns = append(p.Columns, record.Column{Name: "second", Values: valuesOf(func(s int) float64 { return float64(s) })})
	for _, name := range slices.Sorted(maps.Keys(c)) {
		p.Columns = append(p.Columns, record.Column{Name: name, Values: valuesOf(c[name])})
	}
	return p
}

func valuesOf(f at) []float64 {
	values := make([]float64, seconds)
	for s := range values {
		values[s] = f(s)
	}
	return values
}

// inputOf returns a run with columns, in an environment on one disk. The figures are computed from the columns.
func inputOf(c columns) Input {
	tps := 0.0
	for _, v := range valuesOf(c["tps"]) {
		tps += v / seconds
	}
	run := &record.Run{
		RunID:  record.RunID{Environment: "one", Cell: experiment.Cell{Workload: "w", Clients: 8, Threads: 1}, Repeat: 1},
		Status: record.Valid, Result: record.Result{Loop: "closed", TPS: tps}, Telemetry: &record.Telemetry{},
	}
	return Input{Run: run, Points: c.points(), Environment: record.Environment{
		Name: "one", Server: "PostgreSQL", Settings: map[string]string{"synchronous_commit": "on"},
		Volumes: []record.Volume{{Role: "data", Device: "vdb", Disks: []string{"vdb"}}},
	}}
}

// disk returns the columns of a disk.
func disk(name string, reads, writes, readBytes, writeBytes float64) columns {
	prefix := "diskstats." + name + "."
	return columns{
		prefix + "reads": steadily(reads), prefix + "writes": steadily(writes), prefix + "read_bytes": steadily(readBytes),
		prefix + "write_bytes": steadily(writeBytes), prefix + "utilisation": steadily(0.95), prefix + "queue": steadily(4),
	}
}

// limits gives the environment's disks the limits of a model: operations and bytes a second.
func (in Input) limits(iops, throughput float64) Input {
	for i := range in.Environment.Volumes {
		d := device.Device{Name: "model"}
		d.IOPS.Rate, d.Throughput.Rate = iops, unit.Rate(throughput)
		in.Environment.Volumes[i].Emulation = &record.Emulation{Model: d}
	}
	return in
}

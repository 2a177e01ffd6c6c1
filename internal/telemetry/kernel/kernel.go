// Package kernel samples this machine's kernel counters once a second. Each source is a thin
// reader, which keeps its files open, and a pure parser of their text. A reading
// allocates nothing, so that watching a load does not disturb it.
package kernel

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"plinth/internal/host/watch"
	"plinth/internal/metric"
	"plinth/internal/telemetry"
)

// Options selects what to read beyond the machine itself.
type Options struct {
	Root string // "/", or a captured tree

	// Disks are the kernel's names of the disks under data and WAL: "nvme0n1".
	Disks []string

	// Owners are process trees, by name: "server", "generator", "plinth". Each function
	// returns the current process id of the root, 0 if there is none. A tree inside another
	// belongs to the inner one.
	Owners map[string]func() int

	// Apart says that plinth did not start the server: if its processes are not visible here, nothing that
	// plinth's own control group counts is the server's.
	Apart bool

	// Idle are plinth's own threads that keep CPUs awake: their time counts as idle.
	Idle []watch.IdleThread
}

// kind is a kind of source.
type kind struct {
	name    string
	metrics []metric.Metric
	open    func(*machine) (reader, error)
}

// reader reads one subject.
type reader interface {
	// readTo reads into a board. The first call creates the columns, so a reader belongs to
	// that board.
	readTo(b *telemetry.Board) error
	close()
}

// source is a reader with its kind.
type source struct {
	kind
	reader
}

// Name returns the prefix of the names of its metrics.
func (s source) Name() string { return s.name }

// Metrics returns all metrics that it can have on any machine.
func (s source) Metrics() []metric.Metric { return s.metrics }

// Read reads the source. It waits for the kernel only.
func (s source) Read(_ context.Context, b *telemetry.Board) error { return s.readTo(b) }

// Close closes its files.
func (s source) Close() { s.close() }

// machine holds what sources are opened with.
type machine struct {
	Options
	stat *stat // counts how busy the machine is; nil where missing
}

// kinds returns all kinds, in reading order. Frequencies come last: some kernels are slow
// to return them.
func kinds() []kind {
	return []kind{
		{"stat", statMetrics, openStat},
		{"process", processMetrics, openProcesses},
		{"schedstat", schedstatMetrics, openSchedstat},
		{"meminfo", meminfoMetrics, openMeminfo},
		{"vmstat", vmstatMetrics, openVmstat},
		{"pressure", pressureMetrics, openPressure},
		{"diskstats", diskMetrics(), openDiskstats},
		{"netdev", netMetrics(), openNetdev},
		{"numastat", numastatMetrics, openNumastat},
		{"cgroup", cgroupMetrics, openCgroup},
		{"perf", perfMetrics, openEvents},
		{"cpufreq", cpufreqMetrics, openCpufreq},
	}
}

// Lane opens all sources. A source that cannot be read is listed as missing, with the
// reason.
func Lane(o Options) telemetry.Lane {
	lane := telemetry.Lane{Name: "kernel"}
	m := &machine{Options: o}
	for _, k := range kinds() {
		r, err := k.openTried(m)
		if err != nil {
			lane.Missing = append(lane.Missing, telemetry.Missing{Name: k.name, Why: why(err)})
			continue
		}
		if stat, ok := r.(*stat); ok {
			m.stat = stat
		}
		lane.Sources = append(lane.Sources, source{k, r})
	}
	return lane
}

// openTried opens a source to see whether it can be read, and then opens it again, because
// a reader belongs to the first board it was read to.
func (k kind) openTried(m *machine) (reader, error) {
	r, err := k.open(m)
	if err != nil {
		return nil, err
	}
	scratch := telemetry.NewBoard(k.name)
	scratch.Begin(time.Now())
	err = r.readTo(scratch)
	r.close()
	if err != nil {
		return nil, err
	}
	return k.open(m)
}

// why returns the file and the cause of an error, without the steps that led there.
func why(err error) string {
	var file *fs.PathError
	switch {
	case !errors.As(err, &file):
		return err.Error()
	case errors.Is(err, fs.ErrNotExist):
		return file.Path + " does not exist"
	case errors.Is(err, unix.EOPNOTSUPP): // returned by /proc/pressure
		return "this kernel counts it only if booted with psi=1"
	}
	return file.Error()
}

// Metrics returns all metrics of the kernel, in order, for documentation.
func Metrics() []metric.Metric {
	var all []metric.Metric
	for _, k := range kinds() {
		all = append(all, k.metrics...)
	}
	return slices.Clip(all)
}

// from sets the fields that metrics share: the file they are read from, and where it is
// documented.
func from(source, doc string, metrics ...metric.Metric) []metric.Metric {
	for i := range metrics {
		metrics[i].Source, metrics[i].Doc = source, doc
	}
	return metrics
}

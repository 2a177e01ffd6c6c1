package kernel

import (
	"fmt"

	"plinth/internal/host/proc"
	"plinth/internal/metric"
	"plinth/internal/telemetry"
)

var pressureMetrics = from("/proc/pressure", "Documentation/accounting/psi.rst",
	metric.Metric{Name: "pressure.{resource}.some", Kind: metric.Rate, Unit: "s/s",
		Help: "time that at least one thread waited for the resource: cpu, io, memory; since Linux 4.20"},
	metric.Metric{Name: "pressure.{resource}.full", Kind: metric.Rate, Unit: "s/s",
		Help: "time that all non-idle threads waited for the resource at once; for cpu, only since Linux 5.13, and zero except in control groups"},
)

// pressure is the source of the time that work waits for a resource.
type pressure []*pressureFile

func openPressure(m *machine) (reader, error) {
	var p pressure
	for _, resource := range resources {
		f := newFile(m.Root, "proc/pressure/"+resource)
		p = append(p, &pressureFile{file: &f, resource: resource, metrics: pressureMetrics, awake: resource == "cpu" && len(m.Idle) > 0})
	}
	return p, nil
}

var resources = []string{"cpu", "io", "memory"}

func (p pressure) close() {
	for _, f := range p {
		f.close()
	}
}

// readTo fails only if none of the files could be read.
func (p pressure) readTo(b *telemetry.Board) error {
	read := 0
	var failed error
	for _, f := range p {
		if err := f.readTo(b); err != nil {
			failed = err
			continue
		}
		read++
	}
	if read == 0 {
		return failed
	}
	return nil
}

// pressureFile is one pressure file, of the machine or of a control group.
type pressureFile struct {
	file     *file
	resource string
	metrics  []metric.Metric   // some, full
	slots    [2]telemetry.Slot // of the metrics
	bound    bool
	awake    bool // the threads that keep CPUs awake wait for them all the time
}

func (f *pressureFile) close() { f.file.close() }

func (f *pressureFile) readTo(b *telemetry.Board) error {
	text, err := f.file.readShort()
	var totals [2]proc.Value
	if err == nil {
		if totals, err = proc.Pressure(text); err != nil {
			err = fmt.Errorf("%s %w", f.file.path, err)
		}
	}
	if !f.bound {
		f.bind(b, totals, err)
	}
	for i, total := range totals {
		if total.There && !f.awake {
			b.Put(f.slots[i], float64(total.N)/1e6)
		}
	}
	return err
}

// bind creates the columns. A line that is missing at the first reading stays missing.
func (f *pressureFile) bind(b *telemetry.Board, totals [2]proc.Value, err error) {
	f.bound = true
	for i, m := range f.metrics {
		f.slots[i] = b.Column(m, f.resource)
		missing := "" // clears what another control group may have set
		switch {
		case err != nil:
			missing = why(err)
		case f.awake:
			missing = whyAwake
		case !totals[i].There:
			missing = "this kernel does not report it"
		}
		b.Absent(m, missing, f.resource)
	}
}

package kernel

import (
	"fmt"
	"strings"

	"plinth/internal/host/proc"
	"plinth/internal/metric"
	"plinth/internal/telemetry"
)

// tally is a source that is one file with a name and a number on each line:
// /proc/meminfo and /proc/vmstat.
type tally struct {
	name    string
	metrics []metric.Metric
	factor  []float64 // of each metric, from what the file tells to its unit
	file    file
	keys    proc.Keyed
	values  []proc.Value
	slots   []telemetry.Slot // of each metric; nil before the first reading
}

// newTally is a source whose metrics are called by its own name, a dot, and the
// name in the file.
func newTally(root, path, name string, metrics []metric.Metric) *tally {
	t := &tally{name: name, metrics: metrics, file: newFile(root, path), keys: proc.Keyed{}, values: make([]proc.Value, len(metrics))}
	for i, m := range metrics {
		t.keys[m.Name[len(name)+1:]] = i
		t.factor = append(t.factor, 1)
		if strings.HasPrefix(m.Unit, "bytes") {
			t.factor[i] = 1024 // both files count KiB
		}
	}
	return t
}

func (t *tally) close() { t.file.close() }

func (t *tally) readTo(b *telemetry.Board) error {
	text, err := t.file.read()
	if err != nil {
		return err
	}
	if err := t.keys.Parse(text, t.values); err != nil {
		return fmt.Errorf("%s %w", t.file.path, err)
	}
	if t.slots == nil {
		t.bind(b)
	}
	for i, v := range t.values {
		if v.There {
			b.Put(t.slots[i], float64(v.N)*t.factor[i])
		}
	}
	return nil
}

// bind makes the columns. What is not there at the first reading is not counted
// by this kernel, or is under another name.
func (t *tally) bind(b *telemetry.Board) {
	for i, m := range t.metrics {
		t.slots = append(t.slots, b.Column(m))
		if !t.values[i].There {
			b.Absent(m, "this kernel does not tell it")
		}
	}
}

package postgres

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"plinth/internal/metric"
	"plinth/internal/telemetry"
)

// figures is a question whose answer is one row of numbers.
type figures struct {
	title  string
	ratios []ratio

	// of returns the figures of a major version, the expression that changes when their
	// counters are reset, and the FROM clause.
	of func(major int) (list []figure, reset, from string, err error)

	list  []figure // as last asked
	slots []telemetry.Slot
}

// figure is one number: an expression, and the column it fills.
type figure struct {
	metric metric.Metric
	sql    string  // "" where servers of this version lack it
	why    string  // why it may be null
	scale  float64 // multiplies the value; 0 means 1
	hidden bool    // a counter used only in ratios
}

// ratio is a column computed from two figures, given by name.
type ratio struct {
	metric  metric.Metric
	of, per string
}

// newest is the newest major version this package supports.
const newest = 18

func (f *figures) name() string { return f.title }

func (f *figures) metrics() (all []metric.Metric) {
	list, _, _, _ := f.of(newest)
	for _, one := range list {
		if !one.hidden {
			all = append(all, one.metric)
		}
	}
	for _, r := range f.ratios {
		all = append(all, r.metric)
	}
	return all
}

func (f *figures) sql(major int) (string, error) { return f.statement(major) }

// statement returns the query for all figures, followed by further expressions.
func (f *figures) statement(major int, more ...string) (string, error) {
	list, reset, from, err := f.of(major)
	if err != nil {
		return "", err
	}
	f.list = list
	expressions := []string{reset}
	for _, one := range list {
		expressions = append(expressions, cmp.Or(one.sql, "NULL"))
	}
	expressions = append(expressions, more...)
	return strings.TrimSpace("SELECT " + strings.Join(expressions, ", ") + " " + from), nil
}

func (f *figures) put(b *telemetry.Board, a *answer) error {
	if a.rows.count() != 1 || a.rows.width <= len(f.list) {
		return fmt.Errorf("%s: the server returned %d rows of %d columns, not one row of more than %d", f.title, a.rows.count(), a.rows.width, len(f.list))
	}
	if f.slots == nil {
		f.addColumns(b)
	}
	for i := range f.list {
		one := &f.list[i]
		v := a.rows.number(0, i+1)
		switch {
		case math.IsNaN(v):
			b.Unknown(f.slots[i], cmp.Or(one.why, "the server does not report it"))
		case one.scale != 0:
			b.Put(f.slots[i], v*one.scale)
		default:
			b.Put(f.slots[i], v)
		}
	}
	return nil
}

// addColumns creates the columns.
func (f *figures) addColumns(b *telemetry.Board) {
	slots := map[string]telemetry.Slot{}
	for _, one := range f.list {
		slot := one.slot(b)
		slots[one.metric.Name] = slot
		f.slots = append(f.slots, slot)
	}
	for _, r := range f.ratios {
		b.Ratio(r.metric, slots[r.of], slots[r.per])
	}
}

func (f figure) slot(b *telemetry.Board) telemetry.Slot {
	if f.hidden {
		return b.Counter(f.metric.Name)
	}
	return b.Column(f.metric)
}

// milliseconds is the scale of times that the server counts in milliseconds.
const milliseconds = 0.001

// timed returns the expression of a time that is counted only while a setting is on: the
// server reports zero otherwise.
func timed(setting, expression string) (sql, why string) {
	return "CASE WHEN current_setting('" + setting + "')::bool THEN " + expression + " END", setting + " is off"
}

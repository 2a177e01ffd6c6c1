package document

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"plinth/internal/capture"
	"plinth/internal/capture/sysstat/layout"
	"plinth/internal/capture/sysstat/names"
	"plinth/internal/capture/sysstat/table"
)

// readings are the reports of a document.
type readings struct {
	tool     string // "iostat", "mpstat", "sar"
	table    *table.Moments
	plans    map[string]*table.Plan
	header   header
	days     layout.Days
	reports  int
	timed    int // reports with a time
	row      int
	at       capture.Moment
	gap      float64
	mixed    bool
	covers   int64
	first    []capture.Fact // the values of the first report
	spans    [2]float64     // seconds that the first report covers, and the longest of the others
	lost     int
	comments int
}

// object is an element of a document.
type object = map[string]any

const (
	maxPlans = 20_000
	maxFacts = 2_000
)

// element takes one element of statistics, or of the lists of restarts and comments.
func (r *readings) element(head, text []byte) error {
	var e object
	if err := json.Unmarshal(text, &e); err != nil {
		return fmt.Errorf("report %d cannot be read: %w", r.reports+1, err)
	}
	tool := toolOf(e)
	if tool == "" {
		r.comments++
		return nil
	}
	if r.table == nil {
		r.tool, r.table, r.plans = tool, table.NewMoments(tool), map[string]*table.Plan{}
	}
	if tool != r.tool {
		return errors.New("it has reports of several programs")
	}
	if !r.header.known {
		r.header = parseHeader(head)
	}
	r.reports++
	r.moment(e)
	r.row = -1
	if r.tool == "sar" {
		r.activities(e)
	} else {
		r.row = r.table.AddRow(r.at)
		r.report(e)
	}
	return nil
}

// toolOf returns the program that printed an element; "" if it is none of statistics.
func toolOf(e object) string {
	if _, ok := e["timestamp"].(object); ok {
		return "sar"
	}
	has := func(keys ...string) bool {
		return slices.ContainsFunc(keys, func(key string) bool { _, ok := e[key]; return ok })
	}
	switch {
	case has("avg-cpu", "disk"):
		return "iostat"
	case has("cpu-load", "node-load", "sum-interrupts", "individual-interrupts", "soft-interrupts"):
		return "mpstat"
	}
	return ""
}

// moment finds out when a report was made.
func (r *readings) moment(e object) {
	before := r.at
	r.at = capture.Moment{}
	switch stamp := e["timestamp"].(type) {
	case string:
		r.at = r.textMoment(stamp)
	case object:
		date, _ := stamp["date"].(string)
		clock, _ := stamp["time"].(string)
		t, err := time.Parse(time.DateTime, date+" "+clock)
		if err != nil {
			break
		}
		r.at = capture.Moment{Time: t, Clock: capture.Local}
		if utc, _ := stamp["utc"].(float64); utc == 1 || stamp["tz"] == "UTC" {
			r.at.Clock = capture.UTC
		}
		seconds, _ := stamp["interval"].(float64)
		r.covers = int64(seconds)
	}
	if r.at.Clock == capture.NoClock {
		return
	}
	r.timed++
	if before.Clock == r.at.Clock {
		gap := r.at.Time.Sub(before.Time).Seconds()
		r.mixed = r.mixed || r.gap != 0 && r.gap != gap
		r.gap = gap
	}
}

// textMoment parses a time of iostat, with its date, or of mpstat, without one.
func (r *readings) textMoment(stamp string) capture.Moment {
	at, ok := layout.Stamp(stamp)
	if ok && at.Clock != capture.OfDay {
		return at
	}
	if ok { // the date can be read in two ways
		total, _ := r.days.Next(int(at.Time.Unix()))
		return layout.NewClock("").Moment(total)
	}
	fields := layout.Fields(nil, []byte(stamp))
	seconds, used := layout.TimeOfDay(fields)
	if used == 0 || used != len(fields) {
		return capture.Moment{}
	}
	total, _ := r.days.Next(seconds)
	return r.header.clock.Moment(total)
}

// apply stores the values of one object. key identifies its plan.
func (r *readings) apply(key, label string, values object, heading func(key string) string, outs func(heading string) []names.Out) {
	var keys, headings []string
	var numbers []layout.Number
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if v, ok := values[name].(float64); ok {
			keys = append(keys, name)
			headings = append(headings, heading(name))
			numbers = append(numbers, layout.Number{Value: v, Decimals: decimals})
		}
	}
	key += "\t" + strings.Join(keys, ";")
	plan := r.plans[key]
	if plan == nil {
		if len(r.plans) >= maxPlans {
			r.lost++
			return
		}
		plan = r.table.NewPlan(label, headings, outs)
		r.plans[key] = plan
	}
	row := r.row
	if r.tool == "sar" {
		row = r.table.Row(plan, r.at, r.covers)
	}
	if r.reports == 1 && r.tool != "sar" {
		for i, n := range numbers[:min(len(numbers), maxFacts-len(r.first))] {
			r.first = append(r.first, capture.Fact{Source: r.tool, Name: "first report." + label + "." + headings[i], Value: strconv.FormatFloat(n.Value, 'f', -1, 64), At: r.at})
		}
	}
	later := min(r.reports-1, 1)
	r.spans[later] = max(r.spans[later], plan.Span(numbers))
	r.table.Apply(row, plan, numbers)
}

// decimals is how many digits sysstat prints after the point in JSON, whatever --dec says.
const decimals = 2

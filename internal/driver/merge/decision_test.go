package merge

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"plinth/internal/driver"
	"plinth/internal/driver/drivertest"
	"plinth/internal/driver/latency"
	"plinth/internal/driver/pgbench"
	"plinth/internal/driver/redisbench"
	"plinth/internal/driver/redisload"
	"plinth/internal/metric"
	"plinth/internal/record"
)

// decision says how a field of several outcomes becomes one, and what it becomes if two load
// generators measured exactly the same: twice as much, the same, or something else.
type decision struct {
	becomes string
	how     string
}

const (
	double = "double"
	same   = "same"
	other  = "other"
)

// decisions has every field of an outcome. A field that is added has to be decided here, and merged
// accordingly.
var decisions = map[string]decision{
	"Outcome.Driver":   {same, "by its fields"},
	"Outcome.Result":   {same, "by its fields"},
	"Outcome.Points":   {other, "column by column: see rules"},
	"Outcome.KeyReads": {double, "added"},
	"Outcome.Begin":    {same, "the earliest, by the reference clock"},
	"Outcome.End":      {same, "Begin and the merged Duration"},
	"Outcome.Problems": {other, "all, each with its load generator's name, after those of the merge"},
	"Outcome.Warnings": {other, "all, each with its load generator's name, after those of the merge"},

	"Driver.Program": {same, "must be the same"},
	"Driver.Version": {same, "the first one's; a difference is a warning"},
	"Driver.Command": {same, "the first one's; each load generator keeps its own in its raw files"},

	"Result.Loop":         {same, "must be the same"},
	"Result.Duration":     {same, "the longest: seconds are merged by number"},
	"Result.Transactions": {double, "added"},
	"Result.TPS":          {double, "added transactions over the merged duration"},
	"Result.Latency":      {same, "by its fields"},
	"Result.Failures":     {double, "added"},
	"Result.Retries":      {double, "added"},
	"Result.Skipped":      {double, "added"},
	"Result.Late":         {double, "added"},
	"Result.Partial":      {same, "if it is so for any"},
	"Result.Lag":          {same, "by its fields; nil if none has one"},
	"Result.Hits":         {same, "weighted by KeyReads; nil if these are unknown"},
	"Result.Scripts":      {same, "script by script, by their fields; names and order must be the same"},
	"Result.Statements":   {same, "statement by statement; left out if they differ, with a warning"},

	"Latency.Mean":      {same, "weighted by transactions"},
	"Latency.Stddev":    {same, "of the merged histogram"},
	"Latency.Min":       {same, "the smallest"},
	"Latency.P50":       {same, "of the merged histogram, at most Max"},
	"Latency.P95":       {same, "of the merged histogram, at most Max"},
	"Latency.P99":       {same, "of the merged histogram, at most Max"},
	"Latency.P999":      {same, "of the merged histogram, at most Max"},
	"Latency.Max":       {same, "the largest"},
	"Latency.Histogram": {other, "counters are added"},

	"Lag.Mean": {same, "weighted by transactions"},
	"Lag.Max":  {same, "the largest"},

	"ScriptResult.Name":         {same, "must be the same"},
	"ScriptResult.Transactions": {double, "added"},
	"ScriptResult.TPS":          {double, "added transactions over the merged duration"},
	"ScriptResult.Failures":     {double, "added"},
	"ScriptResult.Retries":      {double, "added"},
	"ScriptResult.Skipped":      {double, "added"},
	"ScriptResult.Late":         {double, "added"},
	"ScriptResult.Latency":      {same, "by its fields"},
	"ScriptResult.Lag":          {same, "by its fields; nil if none has one"},

	"StatementMean.Script":    {same, "must be the same"},
	"StatementMean.Statement": {same, "must be the same"},
	"StatementMean.Mean":      {same, "weighted by its script's transactions in the window: pgbench does not print how often it was executed"},
}

// fullPart returns a part without an empty field, but for notes.
func fullPart(t *testing.T) Part {
	t.Helper()
	var all []transaction
	for n := range 400 {
		all = append(all, transaction{second: n % 4, script: n / 4 % 2, nanos: int64(n%10+1) * 1_000_003, lag: int64(n), failed: n%15 == 0})
	}
	p := mix.part(1, all)
	o, hits := p.Outcome, 0.25
	o.Driver.Command, o.KeyReads = []string{"test", "-c", "4"}, 100
	r := &o.Result
	r.Retries, r.Skipped, r.Late, r.Partial, r.Hits = 3, 4, 5, true, &hits
	for i := range r.Scripts {
		r.Scripts[i].Retries, r.Scripts[i].Skipped, r.Scripts[i].Late = 1, 2, 3
	}
	return p
}

// TestEveryFieldIsDecided merges two equal outcomes in which every field has a value, and compares
// each field of the merged outcome with its decision.
func TestEveryFieldIsDecided(t *testing.T) {
	t.Parallel()
	one := fullPart(t)
	two, err := Outcomes([]Part{one, fullPart(t)}, mix.agreed(), drivertest.In(t, t.TempDir()))
	if err != nil || two.Problems != nil {
		t.Fatal(two, err)
	}
	seen := map[string]bool{}
	compareFields(t, seen, reflect.ValueOf(*one.Outcome), reflect.ValueOf(*two))
	for name := range decisions {
		if !seen[name] {
			t.Errorf("%s is decided, but does not exist", name)
		}
	}
}

// compareFields compares the fields of a struct of one outcome with those of two merged.
func compareFields(t *testing.T, seen map[string]bool, one, two reflect.Value) {
	t.Helper()
	for i := range one.NumField() {
		name := one.Type().Name() + "." + one.Type().Field(i).Name
		seen[name] = true
		d, decided := decisions[name]
		if !decided || d.how == "" {
			t.Errorf("%s has no decision", name)
			continue
		}
		if d.becomes == other {
			continue
		}
		a, b := one.Field(i), two.Field(i)
		if a.IsZero() {
			t.Errorf("%s is empty in this test", name)
		}
		compareValues(t, seen, name, d.becomes, a, b)
	}
}

func compareValues(t *testing.T, seen map[string]bool, name, becomes string, a, b reflect.Value) {
	t.Helper()
	if _, is := a.Interface().(time.Time); is {
		if !a.Interface().(time.Time).Equal(b.Interface().(time.Time)) {
			t.Errorf("%s is %v, want %v", name, b, a)
		}
		return
	}
	factor := 1.0
	if becomes == double {
		factor = 2
	}
	switch a.Kind() {
	case reflect.Pointer:
		if b.IsNil() {
			t.Errorf("%s is lost", name)
			return
		}
		compareValues(t, seen, name, becomes, a.Elem(), b.Elem())
	case reflect.Struct:
		compareFields(t, seen, a, b)
	case reflect.Slice:
		if a.Len() != b.Len() {
			t.Errorf("%s has %d elements, want %d", name, b.Len(), a.Len())
			return
		}
		for i := range a.Len() {
			compareValues(t, seen, name, becomes, a.Index(i), b.Index(i))
		}
	case reflect.Int64:
		if float64(b.Int()) != factor*float64(a.Int()) {
			t.Errorf("%s is %d, one alone has %d", name, b.Int(), a.Int())
		}
	case reflect.Float64:
		if !drivertest.Near(b.Float(), factor*a.Float()) {
			t.Errorf("%s is %v, one alone has %v", name, b.Float(), a.Float())
		}
	case reflect.String, reflect.Bool:
		if !a.Equal(b) {
			t.Errorf("%s is %v, want %v", name, b, a)
		}
	default:
		t.Errorf("%s: a %s is not compared", name, a.Kind())
	}
}

// TestEveryColumnHasARule checks the columns of all load generators: counts are added, and nothing
// else is.
func TestEveryColumnHasARule(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for program, columns := range map[string][]metric.Metric{"pgbench": pgbench.Metrics(), "redisload": redisload.Metrics(), "redisbench": redisbench.Metrics()} {
		for _, m := range columns {
			used[m.Name] = true
			r := rules[m.Name]
			kinds := map[bool]string{true: "counts", false: "anything else"}
			switch {
			case r == 0:
				t.Errorf("%s: column %s has no rule", program, m.Name)
			case (r == sum) != (m.Kind == metric.Rate):
				t.Errorf("%s: column %s does not have the rule of %s", program, m.Name, kinds[m.Kind == metric.Rate])
			case (r == mean) != (m.Kind == metric.Ratio):
				t.Errorf("%s: column %s is of kind %s", program, m.Name, m.Kind)
			case (r == most) != strings.Contains(m.Name, "_max_"):
				t.Errorf("%s: column %s is not merged as its name says", program, m.Name)
			}
		}
	}
	for name := range rules {
		if !used[name] {
			t.Errorf("no load generator has the column %s", name)
		}
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	gap := math.NaN()
	for i, c := range []struct {
		rule rule
		all  []reading
		want float64
	}{
		{sum, []reading{{3, 3}, {4, 4}}, 7},
		{sum, []reading{{3, 3}, {gap, gap}}, gap},
		{mean, []reading{{10, 1}, {20, 3}}, 17.5},
		{mean, []reading{{10, 1}, {gap, 0}}, 10},
		{mean, []reading{{gap, 0}, {gap, 0}}, gap},
		{mean, []reading{{10, 1}, {gap, 2}}, gap},
		{mean, []reading{{10, 1}, {5, gap}}, gap},
		{most, []reading{{10, 1}, {20, 3}, {gap, 0}}, 20},
		{most, []reading{{10, 1}, {gap, 3}}, gap},
		{p99, []reading{{10, 1}, {gap, 0}}, 10},
		{p99, []reading{{10, 1}, {20, 1}}, gap}, // until the histogram is known
	} {
		if got := c.rule.of(c.all); !drivertest.Near(got, c.want) {
			t.Errorf("case %d: %v, want %v", i, got, c.want)
		}
	}
}

// TestRedisBenchmark merges outcomes of redis-benchmark: fractional requests a second, one histogram
// for the whole run, and windows that end with the requests.
func TestRedisBenchmark(t *testing.T) {
	t.Parallel()
	part := func(name string, seconds float64, tps, mean []float64, nanos int64, n int) Part {
		c, h := latency.New(), record.NewHistogram()
		for range n {
			c.Add(nanos)
			_ = h.RecordValue(nanos)
		}
		var log bytes.Buffer
		l := latency.NewLog(&log)
		l.Begin("redis-benchmark", windowBegin)
		l.Interval("", 0, seconds, c)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		second, summary := []float64{0, 1, 2}[:len(tps)], record.Summarise(h)
		summary.Min = nanos // exact, as printed: the histogram's is the lower end of a bucket
		return Part{Name: name, Log: &log, Outcome: &driver.Outcome{
			Driver: record.Driver{Program: "redis-benchmark", Version: "7.0.15"},
			Result: record.Result{Loop: "closed", Duration: seconds, Transactions: int64(n), TPS: float64(n) / seconds, Latency: summary},
			Points: record.Points{Columns: []record.Column{{Name: "second", Values: second}, {Name: "tps", Values: tps}, {Name: "latency_mean_ns", Values: mean}}},
			Begin:  windowBegin, End: windowBegin.Add(time.Duration(seconds * float64(time.Second))),
		}}
	}
	kept := drivertest.In(t, t.TempDir())
	o, err := Outcomes([]Part{
		part("load1", 3.05, []float64{1.5, 2.5, 3}, []float64{100, 200, 300}, 1_000_000, 7),
		part("load2", 2.95, []float64{4.5, 2.5}, []float64{500, 600}, 3_000_000, 8),
	}, Agreement{Window: windowBegin}, kept)
	if err != nil || o.Problems != nil || o.Warnings != nil {
		t.Fatal(o, err)
	}
	if r := o.Result; r.Transactions != 15 || r.Duration != 3.05 || !drivertest.Near(r.TPS, 15/3.05) || r.Latency.P50 < 2_990_000 || r.Latency.Min != 1_000_000 {
		t.Errorf("%+v", r)
	}
	if got := fmt.Sprint(o.Points); got != "{[{second [0 1]} {tps [6 5]} {latency_mean_ns [400 400]}]}" {
		t.Errorf("points %s: the third second is not whole for both", got)
	}
	if log := string(kept.Log(t)); strings.Count(log, "\n0.000000,3.050000,") != 1 || strings.Count(log, "HIST") != 1 {
		t.Errorf("the log is %s", log)
	}
}

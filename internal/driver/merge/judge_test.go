package merge

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"plinth/internal/driver"
	"plinth/internal/driver/drivertest"
	"plinth/internal/record"
)

// two returns two equal parts: load1 and load2.
func two() []Part {
	all := []transaction{{nanos: 5}, {second: 3, script: 1, nanos: 7}}
	return []Part{mix.part(1, all), mix.part(2, all)}
}

// shift moves the window of a part.
func shift(p *Part, begin, end time.Duration) {
	p.Outcome.Begin, p.Outcome.End = p.Outcome.Begin.Add(begin), p.Outcome.End.Add(end)
}

// lines returns notes, one a line: "rule: text".
func lines(notes []record.Note) string {
	var all []string
	for _, n := range notes {
		all = append(all, n.Rule+": "+n.Text)
	}
	return strings.Join(all, "\n")
}

func TestProblems(t *testing.T) {
	t.Parallel()
	const second = time.Second
	for name, c := range map[string]struct {
		change   func(p *Part, a *Agreement) // of load2
		problems string
		warnings string
	}{
		"nothing":     {func(*Part, *Agreement) {}, "", ""},
		"a bit late":  {func(p *Part, _ *Agreement) { shift(p, second/10, second/10) }, "", ""},
		"a bit early": {func(p *Part, _ *Agreement) { shift(p, -second/10, -second/10) }, "", ""},
		"late": {func(p *Part, _ *Agreement) { shift(p, 1300*second/1000, 1300*second/1000) },
			"generator-late: generator load2 began 1.3 s late\ngenerators-apart: the load generators drove the server together for 2.7 s of 4 s", ""},
		"later than the other ends": {func(p *Part, _ *Agreement) { shift(p, 5*second, 5*second) },
			"generator-late: generator load2 began 5 s late\ngenerators-apart: the windows of the load generators do not overlap", ""},
		"early": {func(p *Part, _ *Agreement) { shift(p, -second/2, -second/20) },
			"generator-early: generator load2 began 0.5 s early\ngenerators-apart: the load generators drove the server together for 4 s of 4 s", ""},
		"late by its clock alone": {func(p *Part, _ *Agreement) { shift(p, second, second); p.Clock.Offset = -second }, "", ""},
		"perhaps late":            {func(p *Part, _ *Agreement) { shift(p, second/5, second/5); p.Clock.Bound = second / 10 }, "", ""},
		"late for certain": {func(p *Part, _ *Agreement) { shift(p, second/4, second/4); p.Clock.Bound = second / 10 },
			"generator-late: generator load2 began 0.25 s late\ngenerators-apart: the load generators drove the server together for 3.8 s of 4 s", ""},
		"a clock that is unknown": {func(p *Part, _ *Agreement) { p.Clock.Bound = second },
			"", "generator-clock: the clock of generator load2 is known only to 1 s: whether it began on time is unknown"},
		"nothing due": {func(p *Part, _ *Agreement) { shift(p, second/2, second/2); p.Share.Rate = 20 }, "", ""},
		"due, but late": {func(p *Part, _ *Agreement) { shift(p, second/2, second/2); p.Share.Rate = 100 },
			"generator-late: generator load2 began 0.5 s late\ngenerators-apart: the load generators drove the server together for 3.5 s of 4 s", ""},
		"ended early": {func(p *Part, _ *Agreement) { shift(p, 0, -second); p.Outcome.Result.Duration = 3 },
			"generator-ended: generator load2 ended 1 s early\ngenerators-apart: the load generators drove the server together for 3 s of 4 s", ""},
		"ended early, by a number": {func(p *Part, a *Agreement) { shift(p, 0, -second); p.Outcome.Result.Duration, a.Length = 3, 0 },
			"generator-ended: generator load2 ended 1 s early\ngenerators-apart: the load generators drove the server together for 3 s of 4 s", ""},
		"ended a bit early, by a number": {func(p *Part, a *Agreement) { shift(p, 0, -150*second/1000); a.Length = 0 },
			"", "generator-ended: generator load2 ended 0.15 s early: meanwhile only the others drove the server"},
		"no agreement": {func(p *Part, a *Agreement) { shift(p, second/5, second/5); *a = Agreement{Length: a.Length} },
			"generator-late: generator load2 began 0.2 s late\ngenerators-apart: the load generators drove the server together for 3.8 s of 4 s", ""},
		"seconds missing": {func(p *Part, _ *Agreement) {
			for i := range p.Outcome.Points.Columns {
				c := &p.Outcome.Points.Columns[i]
				c.Values = append(c.Values[:2:2], c.Values[3:]...)
			}
		}, "generator-seconds: generator load2 has no points for 1 of 4 seconds of its window; the first one is second 1", ""},
		"no points": {func(p *Part, _ *Agreement) {
			for i := range p.Outcome.Points.Columns {
				p.Outcome.Points.Columns[i].Values = nil
			}
		}, "generator-seconds: generator load2 has no points for 4 of 4 seconds of its window; the first one is second 0", ""},
		"nothing measured": {func(p *Part, _ *Agreement) { p.Outcome.Begin, p.Outcome.End = time.Time{}, time.Time{} },
			"generator-empty: generator load2 measured nothing", ""},
		"a log that was cut": {func(p *Part, _ *Agreement) { p.Log = strings.NewReader("Tag=read,0.0") },
			"generator-log: the histogram log of generator load2 has 0 latencies, its result 2", ""},
		"no log": {func(p *Part, _ *Agreement) { p.Log = nil },
			"generator-log: the histogram log of generator load2 has 0 latencies, its result 2", ""},
		"its own notes": {func(p *Part, _ *Agreement) {
			p.Outcome.Problems = []record.Note{{Rule: "log-clock", Text: "the clock jumped"}}
			p.Outcome.Warnings = []record.Note{{Rule: "late", Text: "5 took longer", Hint: "do it"}}
		}, "log-clock: generator load2: the clock jumped", "late: generator load2: 5 took longer"},
		"another version": {func(p *Part, _ *Agreement) { p.Outcome.Driver.Version = "2" },
			"", "generator-versions: generator load2 has test 2, but generator load1 has 1"},
		"other statements": {func(p *Part, _ *Agreement) { p.Outcome.Result.Statements[0].Statement = "SELECT 2" },
			"", "generator-statements: the load generators printed different statements: their latencies are left out"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			parts, agreed := two(), mix.agreed()
			c.change(&parts[1], &agreed)
			o, err := Outcomes(parts, agreed, drivertest.In(t, t.TempDir()))
			if err != nil {
				t.Fatal(err)
			}
			if got := lines(o.Problems); got != c.problems {
				t.Errorf("problems:\n%s\nwant:\n%s", got, c.problems)
			}
			if got := lines(o.Warnings); got != c.warnings {
				t.Errorf("warnings:\n%s\nwant:\n%s", got, c.warnings)
			}
		})
	}
}

// TestMissingSecondIsAGap checks that a second which one load generator lacks has a row of gaps.
func TestMissingSecondIsAGap(t *testing.T) {
	t.Parallel()
	parts := two()
	for i := range parts[1].Outcome.Points.Columns {
		c := &parts[1].Outcome.Points.Columns[i]
		c.Values = append(c.Values[:2:2], c.Values[3:]...)
	}
	o, err := Outcomes(parts, mix.agreed(), drivertest.In(t, t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range o.Points.Columns {
		if len(c.Values) != 5 || c.Name != "second" && c.Values[2] == c.Values[2] { // NaN
			t.Errorf("%s: %v", c.Name, c.Values)
		}
	}
}

func TestNotComparable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(p *Part)
		want   string
	}{
		"no outcome":       {func(p *Part) { p.Outcome = nil }, "generator load2 has none"},
		"another program":  {func(p *Part) { p.Outcome.Driver.Program = "pgbench" }, "generator load2 is pgbench, but generator load1 is test"},
		"another loop":     {func(p *Part) { p.Outcome.Result.Loop = "closed" }, "the loop of generator load2 is closed, that of generator load1 is open"},
		"fewer scripts":    {func(p *Part) { p.Outcome.Result.Scripts = nil }, "ran different scripts"},
		"other scripts":    {func(p *Part) { p.Outcome.Result.Scripts[0].Name = "x" }, "ran different scripts"},
		"fewer columns":    {func(p *Part) { p.Outcome.Points.Columns = p.Outcome.Points.Columns[:3] }, "have different columns"},
		"no second":        {func(p *Part) { p.Outcome.Points.Columns[0].Name = "minute" }, `the first column is "minute"`},
		"a short column":   {func(p *Part) { p.Outcome.Points.Columns[1].Values = nil }, "column tps has 0 rows of 5"},
		"half a second":    {func(p *Part) { p.Outcome.Points.Columns[0].Values[1] = 0.5 }, "row 1 is not that of the next second"},
		"a second twice":   {func(p *Part) { p.Outcome.Points.Columns[0].Values[1] = -1 }, "row 1 is not"},
		"an endless time":  {func(p *Part) { p.Outcome.Points.Columns[0].Values[4] = 1e300 }, "row 4 is not"},
		"no histogram":     {func(p *Part) { p.Outcome.Result.Latency.Histogram = "" }, "2 transactions have no histogram"},
		"not a histogram":  {func(p *Part) { p.Outcome.Result.Scripts[0].Latency.Histogram = "HIST" }, "script read: cannot decode"},
		"an unknown tag":   {func(p *Part) { p.Log = strings.NewReader("Tag=x,0,1,1,HIST\n") }, `histogram log of generator load2: no script has the tag "x"`},
		"a damaged log":    {func(p *Part) { p.Log = strings.NewReader("Tag=read,0,1,1,HIST\n") }, "cannot read the histogram log of generator load2"},
		"before the time":  {func(p *Part) { p.Log = strings.NewReader("Tag=read,-1,1,1,HIST\n") }, "an interval begins before the window"},
		"a log not read":   {func(p *Part) { p.Log = iotest.ErrReader(errors.New("out of order")) }, "generator load2: out of order"},
		"an endless count": {func(p *Part) { p.Outcome.Points.Columns[0].Values[0] = -1e18 }, "row 0 is not"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			parts := two()
			c.change(&parts[1])
			if _, err := Outcomes(parts, mix.agreed(), drivertest.In(t, t.TempDir())); err == nil || !strings.HasPrefix(err.Error(), "cannot ") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
		})
	}
	if _, err := Outcomes(nil, Agreement{}, nil); err == nil {
		t.Error("no part at all")
	}
	parts := two()
	for i := range parts {
		parts[i].Outcome.Points.Columns[1].Name = "temperature"
	}
	if _, err := Outcomes(parts, mix.agreed(), drivertest.In(t, t.TempDir())); err == nil || !strings.Contains(err.Error(), `unknown column "temperature"`) {
		t.Errorf("an unknown column: %v", err)
	}
}

// TestLongLog merges a log that is too long to be read whole: the result is kept, with a warning.
func TestLongLog(t *testing.T) {
	t.Parallel()
	parts := two()
	parts[1].Log = io.MultiReader(strings.NewReader(strings.Repeat("#"+strings.Repeat(" ", 1022)+"\n", longestLog/1024)), parts[1].Log)
	o, err := Outcomes(parts, mix.agreed(), drivertest.In(t, t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	want := "generator-log: the histogram log of generator load2 is longer than 64 MiB: only 0 of 2 latencies are known by the second"
	if o.Result.Transactions != 4 || len(o.Problems) != 0 || !strings.Contains(lines(o.Warnings), want) {
		t.Errorf("%d transactions; problems %q, warnings %q", o.Result.Transactions, lines(o.Problems), lines(o.Warnings))
	}
}

func TestUnwritableLog(t *testing.T) {
	t.Parallel()
	kept := drivertest.In(t, t.TempDir())
	kept.HistogramLog += "/none"
	if _, err := Outcomes(two(), mix.agreed(), kept); err == nil || !strings.HasPrefix(err.Error(), "cannot write the histogram log") {
		t.Errorf("%v", err)
	}
}

// TestNothingAtAll merges outcomes of load generators that measured nothing.
func TestNothingAtAll(t *testing.T) {
	t.Parallel()
	part := func() Part {
		return Part{Name: "a", Outcome: &driver.Outcome{Result: record.Result{Loop: "closed"}}}
	}
	o, err := Outcomes([]Part{part(), part()}, mix.agreed(), drivertest.In(t, t.TempDir()))
	if err != nil || !o.Begin.IsZero() || o.Result.Transactions != 0 || len(o.Problems) != 2 {
		t.Errorf("%+v, %v", o, err)
	}
}

// TestHits checks that shares of key reads are weighted by reads.
func TestHits(t *testing.T) {
	t.Parallel()
	share := func(v float64) *float64 { return &v }
	for name, c := range map[string]struct {
		reads [2]int64
		hits  [2]*float64
		want  *float64
	}{
		"weighted":         {[2]int64{300, 100}, [2]*float64{share(1), share(0.5)}, share(0.875)},
		"one read no key":  {[2]int64{300, 0}, [2]*float64{share(0.4), nil}, share(0.4)},
		"none read a key":  {[2]int64{0, 0}, [2]*float64{nil, nil}, nil},
		"reads not known":  {[2]int64{300, 0}, [2]*float64{share(0.4), share(0.6)}, nil},
		"no key was found": {[2]int64{10, 10}, [2]*float64{share(0), share(0)}, share(0)},
	} {
		var parts []Part
		for i := range c.hits {
			parts = append(parts, Part{Outcome: &driver.Outcome{KeyReads: c.reads[i], Result: record.Result{Hits: c.hits[i]}}})
		}
		got := mergeHits(parts)
		if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

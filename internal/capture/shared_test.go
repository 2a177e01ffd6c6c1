package capture

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"plinth/internal/record"
)

func TestZone(t *testing.T) {
	for name, want := range map[string]time.Duration{"UTC": 0, "GMT": 0, "Z": 0, "+02": 2 * time.Hour, "+0530": 330 * time.Minute, "-03:30": -210 * time.Minute} {
		if got, known := Zone(name); !known || got != want {
			t.Errorf("%s is %v, %t", name, got, known)
		}
	}
	for _, name := range []string{"", "CET", "CST", "PDT", "Europe/Berlin", "+2", "+1660", "+99"} {
		if got, known := Zone(name); known {
			t.Errorf("%s is %v", name, got)
		}
	}
}

func TestStamp(t *testing.T) {
	at := time.Date(2026, 1, 3, 15, 15, 15, 0, time.UTC)
	ofDay := time.Date(1970, 1, 1, 15, 15, 15, 0, time.UTC)
	for line, want := range map[string]Moment{
		"15:15:15":                        {ofDay, OfDay},
		"=== 15:15:15 ===":                {ofDay, OfDay},
		"--- 2026-01-03 15:15:15 ---":     {at, Local},
		"2026-01-03T15:15:15Z":            {at, UTC},
		"2026-01-03 15:15:15 CET":         {at, Local},
		"2026-01-03 15:15:15.25+01":       {at.Add(250*time.Millisecond - time.Hour), UTC},
		"2026-01-03T15:15:15-03:30":       {at.Add(210 * time.Minute), UTC},
		"Sat Jan  3 15:15:15 UTC 2026":    {at, UTC},
		"Sat Jan  3 15:15:15 2026":        {at, Local},
		"Sat Jan  3 03:15:15 PM CET 2026": {at, Local},
		"Sat 3 Jan 15:15:15 UTC 2026":     {at, UTC},
		"Sat, 03 Jan 2026 15:15:15 +0100": {at.Add(-time.Hour), UTC},
		"1767453315":                      {at, UTC},
		"1767453315.5":                    {at.Add(500 * time.Millisecond), UTC},
	} {
		if got, ok := Stamp(line); !ok || got != want {
			t.Errorf("%q is %v, %t; want %v", line, got, ok, want)
		}
	}
	for _, line := range []string{"", "15:15", "2026-01-03", "tps = 1767453315", "1767453315 1", "+176745331", "15:15:15 LOG", "2026-01-03 15:15:15 started", "2026-01-03 15:15:15 4", "12:60:12", "17674533150", "IO | 15:15:15"} {
		if got, ok := Stamp(line); ok {
			t.Errorf("%q is %v", line, got)
		}
	}
}

func FuzzStamp(f *testing.F) {
	f.Add("=== 2026-01-03 15:15:15+01 ===")
	f.Fuzz(func(t *testing.T, line string) {
		if got, ok := Stamp(line); ok && got.Clock == NoClock {
			t.Errorf("%q is %v", line, got)
		}
	})
}

func moments(clock Clock, seconds ...float64) []Moment {
	var all []Moment
	for _, s := range seconds {
		all = append(all, Moment{time.Unix(0, int64(s*1e9)).UTC(), clock})
	}
	return all
}

func TestRows(t *testing.T) {
	var rows Rows
	for i, at := range moments(OfDay, 86398, 86399, 0, 1) {
		rows.Add(at)
		rows.Set("a", float64(i))
		if i > 1 {
			rows.Set("b", 7)
		}
	}
	rows.Add(moments(OfDay, 2)[0])
	rows.DropLast()
	series := rows.Series("x", 0)[0]
	if series.Interval != 1 || series.Times[3].Time != time.Unix(86401, 0).UTC() {
		t.Errorf("interval %v, times %v", series.Interval, series.Times)
	}
	if b := series.Column("b"); len(b) != 4 || !math.IsNaN(b[0]) || b[3] != 7 {
		t.Errorf("b is %v", b)
	}
}

func TestRowsAreBounded(t *testing.T) {
	var rows Rows
	for range maxCells/16 + 10 {
		rows.Add(Moment{})
		rows.Set("a", 1)
	}
	if notes := rows.Notes(); rows.Len() != maxCells/16 || len(notes) != 1 || notes[0].Rule != LeftOut {
		t.Errorf("%d rows, notes %v", rows.Len(), notes)
	}
	if series := rows.Series("x", 0)[0]; series.Times != nil || len(series.Columns[0].Values) != rows.Len() {
		t.Errorf("times %v", series.Times)
	}
}

func TestRate(t *testing.T) {
	nan := math.NaN()
	for name, test := range map[string]struct {
		times  []Moment
		values []float64
		want   []float64
	}{
		"fractions":           {moments(UTC, 0.5, 1.5, 3.5), []float64{10, 20, 60}, []float64{nan, 20, 40}},
		"regular, in seconds": {moments(UTC, 0, 1, 3, 4), []float64{0, 8, 16, 24}, []float64{nan, 12, 12, 12}},
		"irregular":           {moments(UTC, 0, 1, 11), []float64{0, 8, 18}, []float64{nan, 16, 2}},
		"a reset":             {moments(UTC, 0, 5, 10), []float64{100, 0, 50}, []float64{nan, nan, 20}},
		"a gap":               {moments(UTC, 0, 5, 10), []float64{0, nan, 50}, []float64{nan, nan, nan}},
		"no times":            {nil, []float64{0, 1}, []float64{nan, nan}},
		"two, too close":      {moments(UTC, 0, 1), []float64{0, 8}, []float64{nan, nan}},
		"going back":          {moments(UTC, 10.5, 5.5), []float64{0, 8}, []float64{nan, nan}},
	} {
		series := Series{Times: test.times, Columns: []record.Column{{Name: "n", Values: test.values}}}
		series.Rate("n", "rate", 2)
		same := slices.EqualFunc(series.Column("rate"), test.want, func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) })
		if !same {
			t.Errorf("%s: %v, want %v", name, series.Column("rate"), test.want)
		}
	}
}

type unended struct {
	lettersReader
	LastLine
}

func (u *unended) Line(line []byte) bool { return u.Took(u.lettersReader.Line(line)) }

func TestUnended(t *testing.T) {
	for text, want := range map[string]bool{"BEGIN a\na": true, "BEGIN a\na\n": false, "BEGIN a\na\nother": false, "BEGIN a\na\n```": false} {
		reader := &unended{lettersReader: lettersReader{letter: "a"}}
		kind := letters("a")
		kind.New = func() Reader { return reader }
		if _, err := Read(strings.NewReader(text), []Kind{kind}); err != nil || reader.Cut != want {
			t.Errorf("%q: cut %t, error %v", text, reader.Cut, err)
		}
	}
}

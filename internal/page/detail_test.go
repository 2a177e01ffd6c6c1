package page

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"plinth/internal/page/pagetest"
	"plinth/internal/record"
)

// A run that cannot be drawn says why, and takes nothing else with it.
func TestDetailMissing(t *testing.T) {
	for _, c := range []struct {
		name    string
		columns []record.Column
		damage  func(t *testing.T, path string)
		want    string
	}{
		{"no points", nil, nil, "points.parquet is not in the record"},
		{"ended at once", nil, nil, "it ended before its first whole second"},
		{"ended at once, with points of nothing", []record.Column{column("second"), column("tps")}, nil, "it ended before its first whole second"},
		{"no second", []record.Column{column("tps", 1, 2)}, nil, `column "second"`},
		{"nonsense for seconds", []record.Column{column("second", nan, math.Inf(1)), column("tps", 1, 2)}, nil, "they contain no whole second"},
		{"far apart", []record.Column{column("second", 0, 900_000), column("tps", 1, 2)}, nil, "far apart"},
		{"cut", []record.Column{column("second", 0), column("tps", 1)},
			func(t *testing.T, path string) { must(t, os.Truncate(path, 50)) }, "cannot be drawn"},
		{"a damaged column", []record.Column{column("second", 0), column("tps", 1)}, garble, "cannot be drawn"},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := madeRun("disk", busy, 1, 100)
			run.columns = c.columns
			if strings.HasPrefix(c.name, "ended at once") {
				run.Result.Duration = 0.4
			}
			run.log = head + second(t, "", 0, 1_000_000)
			run.Telemetry = &record.Telemetry{Marks: []record.Mark{{Second: 1, Kind: "checkpoint-start"}}}
			rec := written(t, run)
			if c.damage != nil {
				c.damage(t, pointsPath(rec, 0))
			}
			d := NewDetail(rec, &rec.Runs[0], 0)
			if len(d.Tracks) != 0 || !strings.Contains(d.Missing, c.want) {
				t.Errorf("%d tracks, %q; want ... %s", len(d.Tracks), d.Missing, c.want)
			}
			if d.Heat == nil || len(d.Marks) != 1 {
				t.Errorf("heat %v, marks %v", d.Heat, d.Marks)
			}
		})
	}
}

// garble leaves the footer as it is, and nothing of the columns.
func garble(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	footer := len(data) - 8 - int(binary.LittleEndian.Uint32(data[len(data)-8:]))
	for i := 4; i < footer; i++ {
		data[i] = 0xff
	}
	must(t, os.WriteFile(path, data, 0o644))
}

// The heat map is done without where its log is missing or damaged.
func TestDetailWithoutHeat(t *testing.T) {
	for name, log := range map[string]string{"missing": "", "damaged": head + "0.0,1.0,1.0,HISTXXXX\n"} {
		run := madeRun("disk", busy, 1, 100)
		run.log = log
		rec := written(t, run)
		if d := NewDetail(rec, &rec.Runs[0], 0); d.Heat != nil || len(d.Tracks) != 1 || d.Missing != "" {
			t.Errorf("%s: heat %v, %d tracks, %q", name, d.Heat, len(d.Tracks), d.Missing)
		}
	}
}

// A run that nobody observed has the tracks of its load; one of which nothing is known
// has none.
func TestDetailOfLittle(t *testing.T) {
	run := madeRun("disk", busy, 1, 100)
	unknown := madeRun("disk", busy, 2, 100)
	unknown.columns = []record.Column{column("second", -1, 0), column("tps", nan, nan)}
	rec := written(t, run, unknown)
	if d := NewDetail(rec, &rec.Runs[0], 0); len(d.Tracks) != 1 || d.Tracks[0].ID != "tps" || d.Marks == nil {
		t.Errorf("%+v", d)
	}
	if d := NewDetail(rec, &rec.Runs[1], 0); d.Tracks == nil || len(d.Tracks) != 0 || d.Start != -1 {
		t.Errorf("%+v", d)
	}
}

// Names come from the server and from files: none of them is long, or turns the text
// around it.
func TestDetailIsHostile(t *testing.T) {
	run := madeRun("disk", busy, 1, 100)
	for _, text := range pagetest.Hostile {
		run.columns = append(run.columns, column("script."+text+".tps", 1, 1, 1), column("wait."+text, 1, 1, 1))
	}
	run.Telemetry = &record.Telemetry{}
	for _, text := range pagetest.Hostile {
		run.Telemetry.Marks = append(run.Telemetry.Marks, record.Mark{Kind: text, Text: text})
	}
	rec := written(t, run)
	d := NewDetail(rec, &rec.Runs[0], 0)
	data, err := json.Marshal(d)
	must(t, err)
	if strings.ContainsAny(string(data), "<>\u202e") || strings.Contains(string(data), `\u001b`) || strings.Contains(string(data), `\u202e`) {
		t.Errorf("a name is not clean: %s", data)
	}
	shown := 0
	for _, track := range d.Tracks {
		for _, s := range track.Series {
			shown++
			if n := utf8.RuneCountInString(s.Name); n > longName || n == 0 {
				t.Errorf("a name has %d characters", n)
			}
		}
	}
	if shown < len(pagetest.Hostile) {
		t.Errorf("only %d series", shown)
	}
}

// A run of days is drawn, and in a bounded size.
func TestDetailOfAHugeRun(t *testing.T) {
	const rows = 150_000
	seconds, tps := make([]float64, rows), make([]float64, rows)
	for i := range seconds {
		seconds[i], tps[i] = float64(i-10), float64(i%10)
	}
	run := madeRun("disk", busy, 1, 100)
	run.Phases.Load = rows
	run.columns = []record.Column{{Name: "second", Values: seconds}, {Name: "tps", Values: tps}}
	rec := written(t, run)
	for most, want := range map[int]int{0: rows / 2, fileValues: fileValues} {
		d := NewDetail(rec, &rec.Runs[0], most)
		if len(d.Tracks) != 1 || len(d.Tracks[0].Series[0].Values) > want || len(d.Tracks[0].Series[0].Low) < want*9/10 {
			t.Errorf("at most %d: %q, %d values", most, d.Missing, len(d.Tracks[0].Series[0].Low))
		}
	}
	if runs := Runs(rec, nil); len(runs[0].Overview.Low) > overviewSteps {
		t.Errorf("an overview of %d", len(runs[0].Overview.Low))
	}
}

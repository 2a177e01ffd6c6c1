package postgres

import (
	"errors"
	"math"
	"testing"
	"time"

	"plinth/internal/pglog"
	"plinth/internal/telemetry"
)

func TestSyncOf(t *testing.T) {
	for line, want := range map[string]float64{ // -1: none
		"LOG:  checkpoint complete: wrote 123 buffers (0.8%); 0 WAL file(s) added, 0 removed, 1 recycled; write=1.200 s, sync=0.030 s, total=1.300 s; " +
			"sync files=12, longest=0.010 s, average=0.003 s; distance=17034 kB, estimate=17034 kB": 0.01,
		"LOG:  checkpoint complete: wrote 123 buffers (0.8%), wrote 3 SLRU buffers; 0 WAL file(s) added, 0 removed, 1 recycled; write=1.200 s, sync=12.300 s, total=13.300 s; " +
			"sync files=120, longest=11.234 s, average=0.103 s; distance=17034 kB, estimate=17034 kB; lsn=0/1, redo lsn=0/1": 11.234,
		"LOG:  restartpoint complete: wrote 7 buffers (0.0%); write=0.1 s, sync=0.0 s, total=0.1 s; sync files=1, longest=0.000 s, average=0.000 s": 0,
		"LOG:  checkpoint complete: wrote 7 buffers (0.0%); write=0.1 s, sync=0.0 s, total=0.1 s; sync files=0, longest=0.000 s, average=0.000 s":   -1,
		"LOG:  checkpoint complete: wrote 7 buffers (0.0%)":                                        -1,
		"LOG:  checkpoint complete: sync files=9, longest=99999999999999999999 s, average=0.000 s": -1,
		"LOG:  checkpoint complete: sync files=9, longest=0.01":                                    -1,
	} {
		kind, text := readLine(line)
		seconds, synced := syncOf(text)
		if kind != pglog.CheckpointEnd || synced != (want >= 0) || synced && seconds != want {
			t.Errorf("%q (%s): %v, %v", text, kind, seconds, synced)
		}
	}
}

// TestLongestSync checks that each second has the longest sync of its checkpoints, and that an
// answer that fails loses none.
func TestLongestSync(t *testing.T) {
	begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	complete := func(longest string) string {
		return "LOG:  checkpoint complete: wrote 1 buffers (0.0%); write=0.1 s, sync=0.1 s, total=0.2 s; sync files=2, longest=" + longest + " s, average=0.001 s"
	}
	for name, c := range map[string]struct {
		log    bool // plinth follows it
		logged bool // log_checkpoints is on
		want   []float64
		why    string
	}{
		"logged":     {true, true, []float64{0.03, math.NaN(), 0.05, 0.05}, ""},
		"not logged": {true, false, []float64{math.NaN(), math.NaN(), math.NaN(), math.NaN()}, "log_checkpoints is off"},
		"no log":     {false, true, []float64{math.NaN(), math.NaN(), math.NaN(), math.NaN()}, "plinth does not read the server's log"},
	} {
		log := NewLog()
		q := newCheckpoints(log).(*checkpoints)
		if !c.log {
			q.log = nil
		}
		if _, err := q.sql(newest); err != nil {
			t.Fatal(err)
		}
		b := telemetry.NewBoard("checkpoints")
		for second, lines := range [][]string{
			{complete("9.000")}, // before the first reading
			{complete("0.030"), complete("0.010"), "LOG:  checkpoint starting: time"}, {}, {complete("0.050")}, {complete("0.020")},
		} {
			at := begin.Add(time.Duration(second) * time.Second)
			for _, line := range lines {
				log.Line(at, line)
			}
			b.Begin(at)
			q.drain(b)
			var err error
			if second == 3 {
				err = errors.New("no answer")
			} else {
				a := &answer{server: &link{logsCheckpoints: c.logged}}
				a.rows.add([][]byte{nil, []byte("1"), []byte("2"), []byte("30"), []byte("40")})
				err = q.put(b, a)
			}
			b.End(at, err)
		}
		columns, gaps := b.Columns(begin, []float64{0, 1, 2, 3})
		for _, column := range columns {
			if column.Name != longestSync.Name {
				continue
			}
			for i, want := range c.want {
				if got := column.Values[i]; got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
					t.Errorf("%s: %v, want %v", name, column.Values, c.want)
					break
				}
			}
		}
		why := ""
		for _, gap := range gaps {
			if gap.Columns[0] == longestSync.Name {
				why = gap.Why
			}
		}
		if why != c.why {
			t.Errorf("%s: %q in %+v", name, why, gaps)
		}
	}
}

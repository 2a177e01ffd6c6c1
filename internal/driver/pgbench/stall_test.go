package pgbench

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	"plinth/internal/driver/pgbench/txlog"
)

// stallLog returns the log of a server that answers each transaction within a millisecond
// and stops from the second to the fourth of more than five seconds. In an open loop 200
// transactions a second are due; in a closed loop each of two clients sends the next one
// after its answer.
func stallLog(f txlog.Form) []byte {
	const from, to, end = 2 * micro, 4 * micro, 5*micro + micro/2
	var all []txlog.Entry
	answer := func(client, due int64) (ended int64) {
		ended = due + micro/1000
		if due >= from && due < to {
			ended = to + micro/1000
		}
		all = append(all, txlog.Entry{Client: client, End: epoch + ended, Micros: ended - due, Lag: ended - due - micro/1000})
		return ended
	}
	if f.Lag {
		for due := int64(0); due < end; due += micro / 200 {
			answer(0, due)
		}
	} else {
		for client := range int64(2) {
			for at := int64(0); at < end; {
				at = answer(client, at)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b txlog.Entry) int { return int(a.End - b.End) })
	var log []byte
	for _, e := range all {
		log = append(log, logLine(f, e)...)
	}
	return log
}

// TestStalledServer shows why a rate is worth setting: a server that stops for 2 s out of 5
// delays two transactions of five. Clients that wait for it send nothing meanwhile, and so
// hide the stall: coordinated omission.
func TestStalledServer(t *testing.T) {
	for _, c := range []struct {
		loop     string
		form     txlog.Form
		from, to time.Duration // of p99
	}{
		{"open", txlog.Form{Lag: true}, 1900 * time.Millisecond, 2100 * time.Millisecond},
		{"closed", txlog.Form{}, time.Millisecond, 1100 * time.Microsecond},
	} {
		t.Run(c.loop, func(t *testing.T) {
			var hlog bytes.Buffer
			l := newTestLedger(window{length: 5 * micro}, c.form, []string{"a"}, 1, &hlog, t.TempDir())
			decodeLogs(t, l, [][]byte{stallLog(c.form)}, inOrder)
			seconds, err := l.closeWindow(true)
			if err != nil {
				t.Fatal(err)
			}
			r := l.page.result(seconds)
			if notes := l.hung(); r.Loop != c.loop || len(notes) > 0 {
				t.Errorf("%s loop, %v", r.Loop, notes)
			}
			if p99 := time.Duration(r.Latency.P99); p99 < c.from || p99 > c.to {
				t.Errorf("p99 is %s of %d, want %s to %s", p99, r.Transactions, c.from, c.to)
			}
			if longest := time.Duration(r.Latency.Max); longest < 1990*time.Millisecond {
				t.Errorf("the slowest transaction took %s", longest)
			}
			for _, column := range l.page.cols.points.Columns {
				if column.Name == "tps" && (slices.Min(column.Values) != 0 || len(column.Values) != 5) {
					t.Errorf("no second without a transaction: %s", fmt.Sprint(column.Values))
				}
			}
		})
	}
}

package pgbench

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"plinth/internal/driver/pgbench/txlog"
	"plinth/internal/record"
)

// TestUnfinished has transactions that ended after a window from 1 s to 6 s.
func TestUnfinished(t *testing.T) {
	const (
		usual  = "0 1 1000 0 100 1000\n0 2 20000 0 102 0\n"
		atRate = "0 1 1000 0 100 1000 0\n0 2 20000 0 102 0 100\n"
	)
	lagging := txlog.Form{Lag: true}
	for name, c := range map[string]struct {
		form      txlog.Form
		log, want string
	}{
		"nothing after it":            {txlog.Form{}, usual, ""},
		"begun after it":              {txlog.Form{}, usual + "1 1 900000 0 107 0\n", ""},
		"under way for a short while": {txlog.Form{}, usual + "1 1 4900000 0 110 0\n", ""},
		"under way for long": {txlog.Form{}, usual + "2 1 30 0 105 900000\n3 1 3500000 0 106 500000\n2 2 2000000 0 107 0\n",
			"when the window ended, client 3 had been waiting for 3 s for a transaction to end; the slowest measured one took 0.02 s"},
		"under way since before it": {txlog.Form{}, usual + "3 1 9000000 0 106 500000\n", "client 3 had been waiting for 5 s"},
		"others took as long":       {txlog.Form{}, usual + "1 1 1800000 0 104 0\n3 1 3500000 0 106 500000\n", ""},
		"a third of a second":       {txlog.Form{}, usual + "3 1 600000 0 106 300000\n", ""},
		"a third of a second, due":  {lagging, atRate + "3 1 600000 0 106 300000 590000\n", "client 3 had been waiting for 0.3 s"},
		"a fifth of a second, due":  {lagging, atRate + "3 1 500000 0 106 300000 490000\n", ""},
		"it failed":                 {txlog.Form{}, usual + "3 1 failed 0 106 500000\n", ""},
	} {
		var log bytes.Buffer
		l := newTestLedger(window{warmup: micro, length: 5 * micro}, c.form, []string{"a"}, 1, &log, t.TempDir())
		decodeLogs(t, l, [][]byte{[]byte(c.log)}, inOrder)
		if _, err := l.closeWindow(true); err != nil {
			t.Fatal(err)
		}
		notes := l.hung()
		if (len(notes) > 0) != (c.want != "") || c.want != "" && (notes[0].Rule != "unfinished" || !strings.Contains(notes[0].Text, c.want)) {
			t.Errorf("%s: %v", name, notes)
		}
	}
}

// TestAgreedWindow has a load that begins at different times before and after an agreed window.
func TestAgreedWindow(t *testing.T) {
	for begin, want := range map[int64]struct{ problem, warning string }{
		epoch:               {}, // two seconds before the warm-up
		epoch + 2_100_000:   {},
		epoch + 2_500_000:   {"", "the warm-up was 0.5 s shorter than requested"},
		epoch + 3*micro + 1: {"pgbench drove the first transaction 1e-06 s after the window had begun", ""},
	} {
		l := &ledger{window: window{warmup: micro, length: 5 * micro, agreed: epoch + 3*micro}, begun: true, load: begin, origin: epoch + 2*micro}
		if got := text(l.late(0)); !strings.Contains(got, want.problem) || (got == "") != (want.problem == "") {
			t.Errorf("%d: problem %q, want %q", begin, got, want.problem)
		}
		if got := text(l.shortened()); !strings.Contains(got, want.warning) || (got == "") != (want.warning == "") {
			t.Errorf("%d: warning %q, want %q", begin, got, want.warning)
		}
	}
	l := &ledger{window: window{agreed: epoch}, begun: true, load: epoch + micro}
	if late := l.late(20); late == nil {
		t.Error("1 s is not late at 20 transactions a second")
	}
	if late := l.late(5); late != nil { // the first one may be due that late
		t.Errorf("1 s is late at 5 transactions a second: %v", late)
	}
	if h := newHorizon(window{length: 5 * micro, agreed: time.Now().UnixMicro()}); h.left() > 5*time.Second+margin || h.left() < 0 {
		t.Errorf("%s are left of an agreed window of 5s", h.left())
	}
}

func text(notes []record.Note) string {
	if len(notes) == 0 {
		return ""
	}
	return notes[0].Text
}

func TestBounds(t *testing.T) {
	l := &ledger{origin: epoch, window: window{warmup: 1_500_000}}
	if begin, end := l.bounds(0); !begin.IsZero() || !end.IsZero() {
		t.Errorf("a window of nothing from %s to %s", begin, end)
	}
	begin, end := l.bounds(2.000001)
	if begin.UnixMicro() != epoch+1_500_000 || end.Sub(begin) != 2_000_001*time.Microsecond {
		t.Errorf("from %s to %s", begin, end)
	}
}

// TestLatest checks that a timed load is stopped even if no transaction of it ends, and that a number of transactions may take
// as long as it does.
func TestLatest(t *testing.T) {
	timed := newHorizon(window{warmup: 1e6, length: 2e6})
	if got := timed.latest(); got < 3*time.Second+drainTime || got > 4*time.Second+drainTime {
		t.Errorf("timed: %v", got)
	}
	for name, w := range map[string]window{"counted": {}, "agreed": {length: 2e6, agreed: 1}} {
		if got := newHorizon(w).latest(); got < time.Hour {
			t.Errorf("%s: %v", name, got)
		}
	}
}

//go:build linux

package postgres

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Sessions that fight for one row are seen waiting for each other, one that sleeps
// as sleeping; what comes up in mid-run was zero before. Who else reads statistics
// is not counted.
func TestWaitEvents(t *testing.T) {
	t.Parallel()
	c := newCluster(t, oneVersion(t))
	by := c.connect(t)
	exec1(t, by, "CREATE TABLE one (a int); INSERT INTO one VALUES (0)")
	script := filepath.Join(t.TempDir(), "storm.sql")
	if err := os.WriteFile(script, []byte("BEGIN;\nUPDATE one SET a = a + 1;\nSELECT pg_sleep(0.01);\nCOMMIT;\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := watch(t, c.on(t))
	other := watch(t, c.on(t))
	w.await(2)
	c.pgbench(t, "-n", "-f", script, "-c", "8", "-j", "2", "-T", "3")
	w.await(1)
	sleeper := c.connect(t)
	slept := make(chan error, 1)
	go func() {
		_, err := sleeper.Exec(context.Background(), "SELECT pg_sleep(3.5)")
		slept <- err
	}()
	w.await(3)
	if err := <-slept; err != nil {
		t.Fatal(err)
	}
	w.await(1)
	w.stop()
	other.stop()

	if storm := w.peak("wait.Lock.transactionid") + w.peak("wait.Lock.tuple"); storm < 3 {
		t.Errorf("%v sessions waited for the row: %v", storm, w.columns)
	}
	if sleeping := w.peak("wait.Timeout.PgSleep"); math.Abs(sleeping-1) > 0.15 {
		t.Errorf("%v sessions slept", sleeping)
	}
	if first := w.columns["wait.Timeout.PgSleep"][1]; first != 0 || w.gap("wait.Timeout.PgSleep") != "" {
		t.Errorf("before it was %v: %s", first, w.gap("wait.Timeout.PgSleep"))
	}
	if peak := w.peak("wait.active"); peak < 4 || peak > 9.5 {
		t.Errorf("at most %v sessions were active", peak)
	}
	if idle := w.columns["wait.active"][1]; idle != 0 {
		t.Errorf("%v sessions were active with nobody there", idle)
	}
	if w.peak("sessions.idle") < 1 || w.peak("sessions.active") < 1 {
		t.Error("no sessions were seen")
	}
	if pace := w.told.Cost[0].Pace; pace > 0.2 && w.told.Cost[0].Held == "" {
		t.Errorf("it was sampled every %v s, and no reason is told", pace)
	}
}

// On a server that nobody else uses, what it commits is what plinth asks; and that is
// told.
func TestOwnTransactions(t *testing.T) {
	t.Parallel()
	c := newCluster(t, oneVersion(t), "autovacuum=off")
	w := watch(t, c.on(t))
	w.await(6)
	w.stop()
	var committed, own float64
	for i, v := range w.columns["plinth.transactions"] {
		if i > 0 && !math.IsNaN(v) && !math.IsNaN(w.columns["pg_stat_database.xact_commit"][i]) {
			own, committed = own+v, committed+w.columns["pg_stat_database.xact_commit"][i]
		}
	}
	if own < 20 || math.Abs(committed-own) > 0.4*own { // the server tells of some a second late
		t.Errorf("the server committed %v, plinth asked %v times", committed, own)
	}
}

// Where sessions do not tell what they do, nothing is counted.
func TestActivitiesOff(t *testing.T) {
	t.Parallel()
	c := newCluster(t, oneVersion(t), "track_activities=off")
	_ = c.connect(t)
	w := watch(t, c.on(t))
	w.await(2)
	w.stop()
	for _, column := range []string{"wait.active", "sessions.idle"} {
		if gap := w.gap(column); !strings.Contains(gap, "track_activities is off") {
			t.Errorf("%s: %q", column, gap)
		}
	}
}

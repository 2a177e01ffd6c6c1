//go:build linux

package postgres

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"plinth/internal/telemetry/telemetrytest"
)

// TestWaitEvents checks that sessions which want one row are seen waiting for each other,
// and one that sleeps as sleeping; events that first occur during the run were zero before.
// Other sessions of plinth are not counted.
func TestWaitEvents(t *testing.T) {
	t.Parallel()
	c := newCluster(t, oneVersion(t))
	synctest.Test(t, func(t *testing.T) {
		by := c.connect(t)
		exec1(t, by, "CREATE TABLE one (a int); INSERT INTO one VALUES (0)")
		w := watch(t, c.on(t))
		other := watch(t, c.on(t))
		w.await(2)
		holder := c.connect(t)
		exec1(t, holder, "BEGIN; UPDATE one SET a = 1")
		for range 3 {
			c.begin(t, "UPDATE one SET a = a + 1")
		}
		c.begin(t, "SELECT pg_sleep(3600)")
		telemetrytest.WaitFor(t, "three sessions to wait for the row, and one to sleep", func() bool {
			return number(t, by, "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'") == 3 &&
				number(t, by, "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") == 1
		})
		w.await(3)
		exec1(t, holder, "COMMIT")
		exec1(t, by, "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'")
		w.await(1)
		w.stop()
		other.stop()

		// The first waits for the holder's transaction, the others for the row.
		if first, next := w.peak("wait.Lock.transactionid"), w.peak("wait.Lock.tuple"); first != 1 || next != 2 {
			t.Errorf("%v sessions waited for a transaction and %v for the row: %v", first, next, w.columns)
		}
		if sleeping := w.peak("wait.Timeout.PgSleep"); sleeping != 1 {
			t.Errorf("%v sessions slept", sleeping)
		}
		if first := w.columns["wait.Timeout.PgSleep"][1]; first != 0 || w.gap("wait.Timeout.PgSleep") != "" {
			t.Errorf("before it was %v: %s", first, w.gap("wait.Timeout.PgSleep"))
		}
		if peak := w.peak("wait.active"); peak != 4 {
			t.Errorf("at most %v sessions were active", peak)
		}
		if idle := w.columns["wait.active"][1]; idle != 0 {
			t.Errorf("%v sessions were active with nobody there", idle)
		}
		if idle, active := w.peak("sessions.idle"), w.peak("sessions.active"); idle < 1 || active < 1 {
			t.Errorf("%v sessions were idle and %v active", idle, active)
		}
		if c := w.told.Cost[0]; c.Pace < 0.1 || c.Pace > 0.11 || c.Held != "" {
			t.Errorf("it was sampled every %v s: %s", c.Pace, c.Held)
		}
	})
}

// TestOwnTransactions checks that on an otherwise unused server all commits are plinth's,
// and that their number is reported.
func TestOwnTransactions(t *testing.T) {
	t.Parallel()
	c := newCluster(t, oneVersion(t), "autovacuum=off")
	synctest.Test(t, func(t *testing.T) {
		by, asked := c.connect(t), 0.0
		committed := func() float64 {
			asked++
			return number(t, by, "SELECT xact_commit FROM pg_stat_database WHERE datname = 'postgres'")
		}
		before := committed()
		w := watch(t, c.on(t))
		w.await(6)
		w.stop()
		told := w.total("plinth.transactions")
		// The server reports a session's last transactions after it has ended.
		telemetrytest.WaitFor(t, "the server to tell of plinth's session", func() bool { return committed()-before >= told })
		const besides = 60 // the first reading, the last one, and the start of the session
		if all := committed() - before; told < 60 || all > told+besides+asked {
			t.Errorf("the server committed %v, plinth asked %v times, the test %v", all, told, asked)
		}
	})
}

// TestActivitiesOff checks that nothing is counted where sessions do not report their
// activity.
func TestActivitiesOff(t *testing.T) {
	t.Parallel()
	c := newCluster(t, oneVersion(t), "track_activities=off")
	synctest.Test(t, func(t *testing.T) {
		_ = c.connect(t)
		w := watch(t, c.on(t))
		w.await(2)
		w.stop()
		for _, column := range []string{"wait.active", "sessions.idle"} {
			if gap := w.gap(column); !strings.Contains(gap, "track_activities is off") {
				t.Errorf("%s: %q", column, gap)
			}
		}
	})
}

// TestLane checks that the sources have exactly the metrics that the lane may have.
func TestLane(t *testing.T) {
	lane := Lane(Options{Config: (&cluster{dir: "/nowhere"}).config(t)})
	var names, want []string
	for _, source := range lane.Sources {
		for _, m := range source.Metrics() {
			names = append(names, m.Name)
		}
		source.Close()
	}
	for _, m := range Metrics() {
		want = append(want, m.Name)
	}
	if !slices.Equal(names, want) {
		t.Errorf("sources have %q, the lane %q", names, want)
	}
}

func TestSmooth(t *testing.T) {
	for _, c := range []struct{ mean, value, want time.Duration }{{0, 8, 8}, {8, 16, 10}, {8, 0, 6}} {
		if got := smooth(c.mean, c.value); got != c.want {
			t.Errorf("a mean of %v and then %v: %v, want %v", c.mean, c.value, got, c.want)
		}
	}
}

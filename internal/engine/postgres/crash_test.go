//go:build linux

package postgres

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"plinth/internal/engine"
	"plinth/internal/engine/life"
	"plinth/internal/engine/postgres/leftover"
	"plinth/internal/host/launch"
)

const witnesses = 8

// TestPowerCut simulates a power cut without cutting power: the kernel keeps its data, but all
// processes end at once and leave nothing behind. (The conformance suite does the same with every
// version.)
func TestPowerCut(t *testing.T) {
	t.Parallel()
	config := bareConfig(t, oneInstalled(t))
	config.WALDir, config.TempDir = testDir(t), testDir(t)
	config.Tablespaces = []TablespacePlace{{"cold", testDir(t)}}
	own := startOwn(t, config)
	must(t, own.Load(t.Context(), nil))
	w, err := own.Witness(t.Context(), witnesses)
	must(t, err)
	awaitCommits(t, own, witnesses, 100)
	traces := ownTraces(t, own)
	must(t, own.Kill(t.Context()))
	if left := traces(); len(left) > 0 {
		t.Errorf("Kill has left %v", left)
	}
	if own.note != nil {
		t.Error("nothing is left, and the journal says so still")
	}
	took, err := own.Recover(t.Context())
	must(t, err)
	if took <= 0 {
		t.Errorf("recovery took %v", took)
	}
	mustHaveAll(t, own, w)
	must(t, own.Check(t.Context()))
	_, err = own.Recover(t.Context())
	mustRefuse(t, err, "it was not killed", "")
}

// awaitCommits waits until each of the given number of clients of a Witness has committed the
// given number of rows.
func awaitCommits(t *testing.T, own *Own, clients, rows int) {
	t.Helper()
	sql := fmt.Sprintf("SELECT count(*) FROM (SELECT FROM plinth_witness GROUP BY client HAVING count(*) >= %d) done", rows)
	err := life.Poll(t.Context(), patience, func() bool {
		var n int
		must(t, reachOnce(t, own.Target(), sql, &n))
		return n >= clients
	})
	must(t, err)
}

func mustCount(t *testing.T, own *Own, w engine.Witness) []engine.Testimony {
	t.Helper()
	testimonies, err := w.Count(t.Context(), own)
	must(t, err)
	return testimonies
}

func mustHaveAll(t *testing.T, own *Own, w engine.Witness) {
	t.Helper()
	testimonies := mustCount(t, own, w)
	if len(testimonies) != witnesses {
		t.Fatalf("%d testimonies", len(testimonies))
	}
	for i, one := range testimonies {
		doubt := one.Highest - one.Acknowledged
		if one.Acknowledged == 0 || one.Found != one.Acknowledged || one.Holes != 0 || doubt < 0 || doubt > 1 {
			t.Errorf("client %d: %+v", i, one)
		}
	}
}

// TestLostCommitsShow checks that a server that acknowledges before it has written loses the last
// acknowledged rows, and that Count reports it.
func TestLostCommitsShow(t *testing.T) {
	t.Parallel()
	config := bareConfig(t, oneInstalled(t))
	maps.Copy(config.Experiment.Settings, map[string]string{
		"synchronous_commit": "off", "wal_writer_delay": "10s", "wal_writer_flush_after": "0", "wal_buffers": "15MB",
	})
	own := startOwn(t, config)
	must(t, own.Load(t.Context(), nil))
	must(t, own.Checkpoint(t.Context()))
	// The only process that would write them after a while.
	var writer int
	must(t, reachOnce(t, own.Target(), "SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'", &writer))
	must(t, syscall.Kill(writer, syscall.SIGSTOP))
	w, err := own.Witness(t.Context(), 2)
	must(t, err)
	awaitCommits(t, own, 2, 50)
	must(t, own.Kill(t.Context()))
	_, err = own.Recover(t.Context())
	must(t, err)
	testimonies := mustCount(t, own, w)
	var acknowledged, found int64
	for _, one := range testimonies {
		acknowledged, found = acknowledged+one.Acknowledged, found+one.Found
	}
	if found >= acknowledged {
		t.Errorf("%d acknowledged without being written, and %d found", acknowledged, found)
	}
}

// TestWitnessIsStopped stops the writer while its server runs: no transaction is in doubt then.
func TestWitnessIsStopped(t *testing.T) {
	t.Parallel()
	own := startOwn(t, bareConfig(t, oneInstalled(t)))
	must(t, own.Load(t.Context(), nil))
	w, err := own.Witness(t.Context(), witnesses)
	must(t, err)
	awaitCommits(t, own, witnesses, 10)
	w.Stop(t.Context())
	w.Stop(t.Context())
	testimonies := mustCount(t, own, w)
	for i, one := range testimonies {
		if one.Found != one.Acknowledged || one.Highest != one.Acknowledged || one.Holes != 0 {
			t.Errorf("client %d: %+v", i, one)
		}
	}
	must(t, own.exec(t.Context(), own.name, "DELETE FROM plinth_witness WHERE client = 0 AND number = 1"))
	if one := mustCount(t, own, w)[0]; one.Holes != 1 || one.Found != one.Acknowledged-1 {
		t.Errorf("a row was deleted: %+v", one)
	}
	must(t, own.exec(t.Context(), own.name, "DROP TABLE plinth_witness"))
	if one := mustCount(t, own, w)[0]; one.Acknowledged == 0 || one.Found != 0 || one.Highest != 0 {
		t.Errorf("the table is lost: %+v", one)
	}

	// A writer whose transactions are blocked is not waited for.
	w, err = own.Witness(t.Context(), 1)
	must(t, err)
	holder := reach(t, own.Target())
	_, err = holder.Exec(t.Context(), "BEGIN; LOCK TABLE plinth_witness")
	must(t, err)
	const waiting = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'plinth_witness' AND wait_event_type = 'Lock'"
	must(t, life.Poll(t.Context(), patience, func() bool { return countOf(t, own, waiting) == 1 }))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w.Stop(ctx)
	must(t, holder.Close(t.Context()))

	if _, err := own.Witness(t.Context(), 200); err == nil {
		t.Error("200 connections were found for a witness")
	} else {
		mustRefuse(t, err, "sorry, too many clients already", "max_connections")
	}
}

// TestKill checks that a process that cannot even handle a signal is killed, too. The volume
// keeps the lock file, whose PID may belong to another process later.
func TestKill(t *testing.T) {
	t.Parallel()
	own := startOwn(t, bareConfig(t, oneInstalled(t)))
	must(t, own.Load(t.Context(), nil))
	conn := reach(t, own.Target())
	must(t, syscall.Kill(int(conn.PgConn().PID()), syscall.SIGSTOP))
	must(t, own.Kill(t.Context()))
	if left := leftover.ProcessesIn(own.DataDir); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	must(t, own.Kill(t.Context()))

	path := filepath.Join(own.DataDir, leftover.LockName)
	text, err := os.ReadFile(path)
	must(t, err)
	_, rest, _ := strings.Cut(string(text), "\n")
	for name, content := range map[string]string{
		"as it was": string(text), "torn": "", "of another process": strconv.Itoa(os.Getpid()) + "\n" + rest,
	} {
		must(t, os.WriteFile(path, []byte(content), 0o600))
		if _, err := own.Recover(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		must(t, own.Kill(t.Context()))
	}
}

// TestRecoverOfNothing must not create a server on a volume that is not mounted.
func TestRecoverOfNothing(t *testing.T) {
	t.Parallel()
	own := newServer(t, bareConfig(t, oneInstalled(t)))
	_, err := own.Recover(t.Context())
	mustRefuse(t, err, "is empty", "")
	if entries, err := os.ReadDir(own.DataDir); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v", entries, err)
	}
}

// recorder is a launcher that records the groups in which programs were started.
type recorder struct {
	launch.Launcher
	groups map[string][]string
}

func (r recorder) Start(c launch.Command) (launch.Process, error) {
	r.groups[filepath.Base(c.Path)] = c.Groups
	c.Groups = nil
	return r.Launcher.Start(c)
}

// TestGroupsAreTheServersAlone checks that the programs that create and load the server stay
// outside of its groups.
func TestGroupsAreTheServersAlone(t *testing.T) {
	t.Parallel()
	config := bareConfig(t, oneInstalled(t))
	config.Experiment.Dataset.Scale = 1
	r := recorder{launcher, map[string][]string{}}
	config.Launcher, config.Groups = r, []string{"/sys/fs/cgroup/cpu/x", "/sys/fs/cgroup/memory/x"}
	own := startOwn(t, config)
	must(t, own.Load(t.Context(), nil))
	if len(r.groups["postgres"]) != 2 || r.groups["initdb"] != nil || r.groups["pgbench"] != nil || len(r.groups) != 3 {
		t.Errorf("started in the groups %v", r.groups)
	}
}

// TestLastingWitness checks that the writes to an existing server go on after a crash, and that all that
// were acknowledged are found, before and after it.
func TestLastingWitness(t *testing.T) {
	t.Parallel()
	own := startOwn(t, bareConfig(t, oneInstalled(t)))
	must(t, own.Load(t.Context(), nil))
	c := newConnected(t, own.Target().Conninfo)
	must(t, c.Start(t.Context()))
	must(t, c.Load(t.Context(), nil))
	for range 2 {
		w, err := c.Witness(t.Context(), witnesses)
		must(t, err)
		lasting := w.(engine.Lasting)
		fault := time.Now()
		must(t, own.Kill(t.Context()))
		_, err = own.Recover(t.Context())
		must(t, err)
		must(t, lasting.Resumed(t.Context(), fault))
		testimonies, err := w.Count(t.Context(), c)
		must(t, err)
		for i, one := range testimonies {
			if one.Acknowledged < 1 || one.Found != one.Acknowledged || one.Holes > 0 {
				t.Errorf("connection %d: %+v", i, one)
			}
		}
		if from, to := lasting.Outage(); to <= from || lasting.Since(to) <= 0 {
			t.Errorf("no commit from %s to %s after the fault", lasting.Since(from), lasting.Since(to))
		}
	}
	must(t, c.Remove(t.Context()))
}

//go:build linux

package postgres

import (
	"context"
	"fmt"
	"maps"
	"os"
	"strconv"
	"testing"
	"time"

	"plinth/internal/engine"
	"plinth/internal/engine/enginetest"
	"plinth/internal/engine/postgres/install"
	"plinth/internal/experiment"
)

// pairConfigs returns the configurations of a primary and its replica, both without fsync: the
// machine stays up.
func pairConfigs(t *testing.T, programs install.Programs) (primary, replica Config) {
	t.Helper()
	needBasebackup(t, programs)
	primary = bareConfig(t, programs)
	primary.Environment.Replica = experiment.Replica{Storage: experiment.Storage{Data: experiment.Volume{Directory: "."}}}
	replica = primary
	replica.Environment = experiment.ReplicaOf(primary.Environment)
	replica.DataDir, replica.SocketDir, replica.RunID, replica.Journal = testDir(t), testDir(t), "test1r", testJournal(t)
	return primary, replica
}

// needBasebackup requires a pg_basebackup of this version or a later one.
func needBasebackup(t *testing.T, programs install.Programs) {
	t.Helper()
	if _, err := newServer(t, Config{Config: engine.Config{Launcher: launcher, SocketDir: "/tmp", Experiment: smallExperiment()}, Programs: programs}).basebackup(); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err) // PostgreSQL 17 of the tests, where 18 is not installed
	}
}

// TestPairs covers asynchronous replicas: the suite writes while the replica is down, which a
// synchronous one would block.
func TestPairs(t *testing.T) {
	t.Parallel()
	for _, programs := range outermost(testPrograms(t)) {
		t.Run(strconv.Itoa(programs.Version), func(t *testing.T) {
			t.Parallel()
			enginetest.RunPair(t, enginetest.Pair{
				New: func(t *testing.T) (primary, replica engine.Server) {
					p, r := pairConfigs(t, programs)
					addOwnTable(p.Experiment)
					p.WALDir, p.TempDir = testDir(t), testDir(t)
					r.WALDir, r.TempDir = testDir(t), testDir(t)
					p.Tablespaces = []TablespacePlace{{"cold", testDir(t)}}
					r.Tablespaces = []TablespacePlace{{"cold", testDir(t)}}
					return newServer(t, p), newServer(t, r)
				},
				Rows: countOwnRows, Drive: driveOwn, Write: writeOwn,
			})
		})
	}
}

// outermost returns the oldest and the newest: whatever changed between them changed once.
func outermost(all []install.Programs) []install.Programs {
	if len(all) < 2 {
		return all
	}
	return []install.Programs{all[0], all[len(all)-1]} // they are sorted
}

func countOwnRows(t *testing.T, target engine.Target) int64 {
	t.Helper()
	var n int64
	must(t, reachOnce(t, target, "SELECT count(*) FROM own", &n))
	return n
}

func driveOwn(t *testing.T, target engine.Target) {
	t.Helper()
	must(t, execOnce(t, target, "INSERT INTO own SELECT m + n FROM (SELECT max(id) m FROM own) o, generate_series(1, 1000) n"))
}

func writeOwn(t *testing.T, target engine.Target) error {
	t.Helper()
	return execOnce(t, target, "CREATE TABLE IF NOT EXISTS written ()")
}

func execOnce(t *testing.T, target engine.Target, sql string) error {
	t.Helper()
	conn := reach(t, target)
	defer func() { _ = conn.Close(context.Background()) }()
	_, err := conn.Exec(t.Context(), sql)
	return err
}

// pairUp starts a primary and a replica that follows it.
func pairUp(t *testing.T, primary, replica Config) (p, r *Own) {
	t.Helper()
	p = startOwn(t, primary)
	must(t, p.Load(t.Context(), nil))
	r = newServer(t, replica)
	t.Cleanup(func() { must(t, r.Remove(context.Background())) })
	must(t, r.Follow(t.Context(), p, nil))
	return p, r
}

// TestSynchronousReplicaKeepsAll checks that a synchronous replica has everything that was
// acknowledged, while an asynchronous one that is cut off from its primary loses what it did not
// receive.
func TestSynchronousReplicaKeepsAll(t *testing.T) {
	t.Parallel()
	for _, synchronous := range []bool{true, false} {
		t.Run(fmt.Sprintf("synchronous=%v", synchronous), func(t *testing.T) {
			t.Parallel()
			config, of := pairConfigs(t, oneInstalled(t))
			config.Environment.Replica.Synchronous = synchronous
			p, r := pairUp(t, config, of)
			w, err := p.Witness(t.Context(), witnesses)
			must(t, err)
			awaitCommits(t, p, witnesses, 20)
			if !synchronous { // what is acknowledged from here on does not reach the replica
				must(t, r.Kill(t.Context()))
				var most int
				must(t, reachOnce(t, p.Target(), "SELECT max(number) FROM plinth_witness", &most))
				awaitCommits(t, p, witnesses, most+20)
			}
			must(t, p.Kill(t.Context()))
			if !synchronous {
				_, err := r.Recover(t.Context())
				must(t, err)
			}
			took, err := r.Promote(t.Context())
			must(t, err)
			testimonies, err := w.Count(t.Context(), r)
			must(t, err)
			var lost int64
			var back time.Duration
			for _, one := range testimonies {
				lost, back = lost+one.Acknowledged-one.Found, max(back, one.Back)
			}
			t.Logf("promoted in %v; lost %d, %v back", took, lost, back)
			// Each client had 20 rows acknowledged after the replica was gone.
			if synchronous && (lost != 0 || back != 0) || !synchronous && (lost < 20*witnesses || back <= 0) {
				t.Errorf("lost %d, %v back", lost, back)
			}
		})
	}
}

// TestReplicaRefusals checks tablespaces that only one of the two has, and settings that do not
// fit.
func TestReplicaRefusals(t *testing.T) {
	t.Parallel()
	config, of := pairConfigs(t, oneInstalled(t))
	p := startOwn(t, config)
	must(t, p.Load(t.Context(), nil))
	of.Tablespaces = []TablespacePlace{{"cold", testDir(t)}}
	r := newServer(t, of)
	err := r.Follow(t.Context(), p, nil)
	mustRefuse(t, err, "the replica has a volume for tablespace cold", "add it to storage")
	must(t, r.Remove(t.Context()))
	c := newServer(t, config)
	c.Tablespaces = []TablespacePlace{{"cold", "/cold"}}
	_, err = newServer(t, config).mapping(c)
	mustRefuse(t, err, "the replica has no volume for tablespace cold", "add it to replica.storage")

	of.Tablespaces = nil
	of.Experiment = smallExperiment()
	maps.Copy(of.Experiment.Settings, map[string]string{"max_connections": "5"})
	r = newServer(t, of)
	t.Cleanup(func() { must(t, r.Remove(context.Background())) })
	err = r.Follow(t.Context(), p, nil)
	mustRefuse(t, err, "cannot create a replica of the server of here: cannot start PostgreSQL: FATAL", "") // each version words it differently
	if err := r.Follow(t.Context(), nil, nil); err == nil {
		t.Error("it follows nobody")
	}
	if _, err := r.Promote(t.Context()); err == nil {
		t.Error("what does not run was promoted")
	}
}

// TestBack checks how far back a loss reaches: to the first missing number.
func TestBack(t *testing.T) {
	t.Parallel()
	own := startOwn(t, bareConfig(t, oneInstalled(t)))
	must(t, own.Load(t.Context(), nil))
	w, err := own.Witness(t.Context(), 1)
	must(t, err)
	awaitCommits(t, own, 1, 50)
	w.Stop(t.Context())
	at := w.(witness).Clients[0].At
	since := func(number int) time.Duration { return at[len(at)-1] - at[number-1] }
	for _, gone := range []int{len(at), 30, 7, 1} {
		must(t, own.exec(t.Context(), own.name, fmt.Sprintf("DELETE FROM plinth_witness WHERE number = %d", gone)))
		if one := mustCount(t, own, w)[0]; one.Back != since(gone) {
			t.Errorf("%d is gone: %v back, want %v", gone, one.Back, since(gone))
		}
	}
}

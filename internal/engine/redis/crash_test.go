//go:build linux

package redis

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"plinth/internal/engine"
	"plinth/internal/engine/life"
	"plinth/internal/engine/redis/client"
	"plinth/internal/experiment"
)

const witnesses = 4

// awaitWrites waits until each client of a Witness has written the given number of numbers.
func awaitWrites(t *testing.T, own *Own, clients int, numbers int64) {
	t.Helper()
	rdb, _ := reach(t, own.Target())
	must(t, life.Poll(t.Context(), patience, func() bool {
		for i := range clients {
			if rdb.LLen(t.Context(), own.witnessKey(i)).Val() < numbers {
				return false
			}
		}
		return true
	}))
}

// TestWhatIsKept checks that each persistence policy keeps its promise at a kill, and that Count
// reports which writes are lost, and since when.
func TestWhatIsKept(t *testing.T) {
	for _, test := range []struct {
		name     string
		settings []string
		all      bool
	}{
		{"nothing", []string{"save", ""}, false},
		{"RDB that never saves", []string{"save", "3600 100000000"}, false},
		{"always", []string{"appendonly", "yes", "appendfsync", "always", "save", ""}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			own := startOwn(t, ownConfig(t, test.settings...), oneInstalled(t))
			must(t, own.Load(t.Context(), nil))
			w, err := own.Witness(t.Context(), witnesses)
			must(t, err)
			awaitWrites(t, own, witnesses, 100)
			must(t, own.Kill(t.Context()))
			took, err := own.Recover(t.Context())
			must(t, err)
			testimonies, err := w.Count(t.Context(), own)
			must(t, err)
			for i, one := range testimonies {
				kept := one.Found == one.Acknowledged && one.Back == 0 && one.Holes == 0
				lost := one.Found == 0 && one.Back > 0
				if one.Acknowledged < 100 || test.all && !kept || !test.all && !lost {
					t.Errorf("connection %d: %+v", i, one)
				}
			}
			if took <= 0 {
				t.Errorf("took %v", took)
			}
		})
	}
}

// TestLost checks that a server which went down without having saved its dataset says so, and that the dataset can be loaded again.
func TestLost(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string][]string{"nothing": {"save", ""}, "always": {"appendonly", "yes", "appendfsync", "always", "save", ""}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			own := startOwn(t, ownConfig(t, settings...), oneInstalled(t))
			lost := func(want bool, when string) {
				t.Helper()
				if got, err := own.Lost(t.Context()); err != nil || got != want {
					t.Errorf("%s: %v, %v", when, got, err)
				}
			}
			lost(false, "before it is loaded")
			must(t, own.Load(t.Context(), nil))
			lost(false, "loaded")
			must(t, own.Stop(t.Context()))
			must(t, own.Start(t.Context()))
			lost(false, "after a clean stop")
			must(t, own.Kill(t.Context()))
			must(t, own.Start(t.Context()))
			lost(name == "nothing", "after it was killed")
			must(t, own.Load(t.Context(), nil))
			lost(false, "loaded again")
		})
	}
}

// TestWitnessIsStopped stops the writer while its server runs: no write is in doubt then.
func TestWitnessIsStopped(t *testing.T) {
	t.Parallel()
	own := startOwn(t, ownConfig(t, "save", ""), oneInstalled(t))
	w, err := own.Witness(t.Context(), witnesses)
	must(t, err)
	awaitWrites(t, own, witnesses, 10)
	w.Stop(t.Context())
	w.Stop(t.Context())
	rdb, _ := reach(t, own.Target())
	must(t, rdb.LRem(t.Context(), own.witnessKey(0), 1, "1").Err())
	testimonies, err := w.Count(t.Context(), own)
	must(t, err)
	for i, one := range testimonies {
		gone := int64(0)
		if i == 0 {
			gone = 1
		}
		if one.Found != one.Acknowledged-gone || one.Highest != one.Acknowledged || one.Holes != gone || (one.Back > 0) != (gone > 0) {
			t.Errorf("connection %d: %+v", i, one)
		}
	}
	if _, err := own.Witness(t.Context(), 1); err != nil {
		t.Error(err)
	}
	if keys := rdb.Keys(t.Context(), "plinth-witness:*").Val(); len(keys) > 1 {
		t.Errorf("an earlier witness has left %v", keys)
	}
}

// TestTestify compares testify with a straightforward count of the numbers.
func TestTestify(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		acknowledged := rapid.IntRange(0, 50).Draw(t, "acknowledged")
		at := make([]time.Duration, acknowledged)
		for i := range at {
			at[i] = time.Duration(i+1) * time.Second
		}
		there := rapid.SliceOf(rapid.Int64Range(1, int64(acknowledged)+1)).Draw(t, "there")
		last := time.Duration(acknowledged+5) * time.Second // on another connection
		got := testify(at, last, there)
		want := engine.Testimony{Acknowledged: int64(acknowledged)}
		distinct := map[int64]bool{}
		for _, n := range there {
			distinct[n] = true
			want.Highest = max(want.Highest, n)
		}
		want.Holes = want.Highest - int64(len(distinct))
		for n := acknowledged; n >= 1; n-- {
			if distinct[int64(n)] {
				want.Found++
			} else {
				want.Back = last - at[n-1]
			}
		}
		if got != want {
			t.Fatalf("%v of %d: got %+v, want %+v", there, acknowledged, got, want)
		}
	})
}

// TestTornFile checks that an append-only file that ends in the middle of a command is read up to
// there, and that the server reports any other damage.
func TestTornFile(t *testing.T) {
	t.Parallel()
	own := startOwn(t, ownConfig(t, "appendonly", "yes", "save", ""), oneInstalled(t))
	must(t, own.Load(t.Context(), nil))
	rdb, _ := reach(t, own.Target())
	must(t, rdb.Set(t.Context(), "torn", strings.Repeat("x", 1000), 0).Err())
	must(t, own.Kill(t.Context()))
	files, err := filepath.Glob(filepath.Join(own.dir(), "append*", "*.incr.*"))
	must(t, err)
	file := files[len(files)-1]
	text, err := os.ReadFile(file)
	must(t, err)
	must(t, os.WriteFile(file, text[:len(text)-500], 0o600))
	_, err = own.Recover(t.Context())
	must(t, err)
	if n := countKeys(t, own.Target()); n != smallKeys {
		t.Errorf("%d keys", n)
	}
	must(t, own.Kill(t.Context()))
	must(t, os.WriteFile(file, []byte("*3\r\n$3\r\nSET\r\nnonsense"), 0o600))
	_, err = own.Recover(t.Context())
	if err == nil || !strings.Contains(err.Error(), "Bad file format reading the append only file") {
		t.Errorf("got %v", err)
	}
}

// TestEmptyPrimaryWipesItsReplica checks what Redis' documentation warns of: a primary without
// persistence that restarts at once empties its replica.
func TestEmptyPrimaryWipesItsReplica(t *testing.T) {
	t.Parallel()
	primary, replica := newPair(t, oneInstalled(t), "save", "")
	must(t, primary.Start(t.Context()))
	must(t, primary.Load(t.Context(), nil))
	must(t, replica.Follow(t.Context(), primary, nil))
	if n := countKeys(t, replica.Target()); n != smallKeys {
		t.Fatalf("the replica has %d keys", n)
	}
	must(t, primary.Kill(t.Context()))
	_, err := primary.Recover(t.Context())
	must(t, err)
	must(t, life.Poll(t.Context(), patience, func() bool { return countKeys(t, replica.Target()) == 0 }))
}

// TestPasswordStaysInside checks that the password is in no file, command line or record.
func TestPasswordStaysInside(t *testing.T) {
	t.Parallel()
	primary, replica := newPair(t, oneInstalled(t), "appendonly", "yes")
	must(t, primary.Start(t.Context()))
	must(t, replica.Follow(t.Context(), primary, nil))
	if len(primary.password) < 50 || replica.password != "" {
		t.Fatal("the primary has no password, or the replica one that nobody needs")
	}
	var seen []string
	for _, own := range []*Own{primary, replica} {
		e, err := own.Describe(t.Context())
		must(t, err)
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", own.process.PID()))
		must(t, err)
		seen = append(seen, fmt.Sprint(e), string(line), own.log.String(), own.Target().Conninfo)
		for _, dir := range []string{own.dir(), own.SocketDir} {
			must(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, _ error) error {
				if !d.Type().IsRegular() {
					return nil
				}
				text, err := os.ReadFile(path)
				seen = append(seen, string(text))
				return err
			}))
		}
	}
	for _, text := range seen {
		if strings.Contains(text, primary.password) {
			t.Errorf("the password is to be seen in %.200q", text)
		}
	}
	o := client.UnixOptions("", "")
	o.Network, o.Addr = "tcp", primary.port.String()
	stranger := client.New(o)
	defer func() { _ = stranger.Close() }()
	if err := stranger.Ping(t.Context()).Err(); !client.Says(err, "NOAUTH") {
		t.Errorf("somebody without the password is told %v", err)
	}
}

// TestDumpOfAStop checks that a server without persistence has its keys again after a stop, but
// none of them after a kill.
func TestDumpOfAStop(t *testing.T) {
	t.Parallel()
	own := startOwn(t, ownConfig(t, "save", ""), oneInstalled(t))
	must(t, own.Load(t.Context(), nil))
	must(t, own.Stop(t.Context()))
	must(t, own.Start(t.Context()))
	if n := countKeys(t, own.Target()); n != smallKeys {
		t.Errorf("%d keys after a stop and a start", n)
	}
	must(t, own.Kill(t.Context()))
	_, err := own.Recover(t.Context())
	must(t, err)
	if n := countKeys(t, own.Target()); n != 0 {
		t.Errorf("%d keys after a kill, of a server that keeps nothing", n)
	}
}

// TestKillEndsChildren checks that Kill also ends a save in progress, and a process that cannot
// handle signals.
func TestKillEndsChildren(t *testing.T) {
	t.Parallel()
	own := startOwn(t, ownConfig(t, "save", "", "rdb-key-save-delay", "1000000"), oneInstalled(t))
	must(t, own.Load(t.Context(), nil))
	rdb, _ := reach(t, own.Target())
	must(t, rdb.BgSave(t.Context()).Err())
	leader := own.process.PID()
	must(t, life.Poll(t.Context(), patience, func() bool { return len(members(leader, own.process.Place)) == 2 }))
	a, err := own.Activity(t.Context())
	must(t, err)
	if a.Busy[savesCount] != 1 || a.Counts[savesCount] != 0 {
		t.Errorf("while it saves: %+v", a)
	}
	must(t, own.Kill(t.Context()))
	if left := members(leader, own.process.Place); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestProgramDirs(t *testing.T) {
	for _, dir := range (Kind{}).ProgramDirs(experiment.Environment{}) {
		if _, err := os.Stat(filepath.Join(dir, "redis-server")); err != nil {
			t.Error(err)
		}
	}
}

// TestLastingWitness checks that the writes to an existing server go on after a crash, and that those
// that it had acknowledged and not yet written are counted as lost.
func TestLastingWitness(t *testing.T) {
	t.Parallel()
	for policy, kept := range map[string]bool{"yes": true, "no": false} {
		own := startOwn(t, ownConfig(t, "appendonly", policy, "appendfsync", "always", "save", ""), oneInstalled(t))
		must(t, own.Load(t.Context(), nil))
		c := newConnected(t, "unix://"+own.Options.Addr)
		must(t, c.Start(t.Context()))
		for range 2 {
			w, err := c.Witness(t.Context(), witnesses)
			must(t, err)
			rdb, _ := reach(t, own.Target())
			must(t, life.Poll(t.Context(), patience, func() bool { return rdb.LLen(t.Context(), c.witnessKey(0)).Val() > 10 }))
			lasting := w.(engine.Lasting)
			fault := time.Now()
			must(t, own.Kill(t.Context()))
			_, err = own.Recover(t.Context())
			must(t, err)
			must(t, lasting.Resumed(t.Context(), fault))
			testimonies, err := w.Count(t.Context(), c)
			must(t, err)
			for i, one := range testimonies {
				if all := one.Found == one.Acknowledged; one.Found == 0 || i == 0 && all != kept || all != (one.Back == 0) {
					t.Errorf("appendonly %s, connection %d: %+v", policy, i, one)
				}
			}
		}
		must(t, c.Remove(t.Context()))
	}
}

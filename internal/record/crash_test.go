package record_test

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"plinth/internal/host/hosttest"
	"plinth/internal/record"
)

// crashStore names the environment variable that turns the test program into a writer that
// commits runs until it is killed.
const crashStore = "PLINTH_TEST_CRASH_RECORD"

func TestMain(m *testing.M) {
	if path := os.Getenv(crashStore); path != "" {
		if err := writeForever(path); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	hosttest.TempInMemory()
	os.Exit(m.Run())
}

// writeForever prints each run to standard output after it is committed.
func writeForever(path string) error {
	w, err := record.Reopen(path)
	if err != nil {
		return err
	}
	rec, err := record.Open(path)
	if err != nil {
		return err
	}
	for n := len(rec.Runs) + 1; ; n++ {
		pending, err := w.Begin(runID("disk", n))
		if err != nil {
			return err
		}
		if err := errors.Join(w.Tell(record.Now{Step: "driving", Run: n}), pending.Live(record.Point{TPS: float64(n)})); err != nil {
			return err
		}
		if err := os.WriteFile(pending.HistogramLog(), make([]byte, 10_000), 0o644); err != nil {
			return err
		}
		run := newRun(runID("disk", n), n)
		if err := pending.Commit(run, minute(60)); err != nil {
			return err
		}
		fmt.Println("committed", n)
		if err := w.Save(&record.Summary{Name: "two-disks", State: record.Running, Planned: n}); err != nil {
			return err
		}
	}
}

// TestKilledWriter kills a writer with SIGKILL at random moments, repeatedly on the same record:
// every run reported as committed is complete, no partial run appears, and the next writer can
// take the lock.
func TestKilledWriter(t *testing.T) {
	w := newRecord(t, t.TempDir())
	must(t, w.Close())
	seen := &sighting{}
	defer watchRecord(t, w.Path(), seen)()
	committed, end := 0, time.Now().Add(10*time.Minute) // it only ends a hang
	for round := 0; round < 12 || !seen.whole(); round++ {
		if time.Now().After(end) {
			t.Fatalf("after %d rounds: now was told %d times, with %d points", round, seen.told.Load(), seen.points.Load())
		}
		if n := killedWriter(t, w.Path(), time.Duration(20+rand.IntN(60))*time.Millisecond); n > 0 {
			committed = n
		}
		rec, err := record.Open(w.Path())
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if len(rec.Runs) < committed || len(rec.Runs) > committed+1 { // killed between commit and report
			t.Fatalf("round %d: %d runs, %d were reported", round, len(rec.Runs), committed)
		}
		if rec.Summary.State != record.Interrupted {
			t.Fatalf("round %d: state is %s", round, rec.Summary.State)
		}
		if now, err := record.ReadNow(w.Path()); err != nil || now != nil {
			t.Fatalf("round %d: a writer that was killed goes on: %+v, %v", round, now, err)
		}
		for i, run := range rec.Runs {
			if run.Number != i+1 {
				t.Fatalf("round %d: run %d is number %d", round, i, run.Number)
			}
			points, err := record.ReadPoints(filepath.Join(w.Path(), run.Path(), "points.parquet"))
			if err != nil || len(points.Columns[0].Values) != 60 {
				t.Fatalf("round %d: points of run %d: %v", round, run.Number, err)
			}
		}
	}
	if committed == 0 {
		t.Fatal("no run was committed in any round")
	}
	t.Logf("%d runs committed", committed)
}

// sighting counts what a reader saw of an active writer.
type sighting struct{ told, points atomic.Int64 }

func (s *sighting) whole() bool { return s.told.Load() > 0 && s.points.Load() > 0 }

// watchRecord reads everything that a page reads while writers start and die, until stop is
// called. It fails if it ever sees a partial file or fewer runs than before.
func watchRecord(t *testing.T, path string, all *sighting) (stop func()) {
	follower, live := record.NewFollower(path), record.NewLiveReader(path)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		runs := 0
		for looks := 0; ; looks++ {
			select {
			case <-done:
				t.Logf("watched %d times: now was told %d times, with %d points", looks, all.told.Load(), all.points.Load())
				return
			default:
			}
			rec, err := follower.Record()
			now, nowErr := record.ReadNow(path)
			seen, _, liveErr := live.Read()
			if err := errors.Join(err, nowErr, liveErr); err != nil {
				t.Errorf("while it is written: %v", err)
				return
			}
			if len(rec.Runs) < runs {
				t.Errorf("%d runs, there were %d", len(rec.Runs), runs)
			}
			if runs = len(rec.Runs); now != nil {
				all.told.Add(1)
			}
			all.points.Add(int64(len(seen)))
		}
	}()
	return func() {
		close(done)
		<-ended
		if err := live.Close(); err != nil {
			t.Error(err)
		}
	}
}

// killedWriter starts a writer and kills it a given time after its first commit. It returns the
// number of the last run that the writer reported.
func killedWriter(t *testing.T, path string, after time.Duration) int {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), crashStore+"="+path)
	stdout, err := child.StdoutPipe()
	must(t, err)
	must(t, child.Start())
	last := 0
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		if last == 0 {
			time.AfterFunc(after, func() { _ = child.Process.Kill() })
		}
		if _, err := fmt.Sscanf(lines.Text(), "committed %d", &last); err != nil {
			t.Errorf("the writer says: %s", lines.Text())
		}
	}
	if err := child.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("the writer was not killed: %v", err)
	}
	return last
}

package overssh

import (
	"bufio"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"plinth/internal/record"
)

// brief ends by itself, after it has lost a machine and found it again.
const brief = `name: brief
workloads: [select-only]
clients: [2]
duration: 1s
warmup: 0s
repeats: 6
dataset: {scale: 1}
environments:
  one: {at: ssh://db1, storage: {data: /tmp/data}}
  two: {at: ssh://db2, storage: {data: /tmp/data}}
`

// completes waits for the end of brief, and checks that it is complete and leaves nothing behind.
func (s *started) completes() *record.Record {
	l, t := s.l, s.l.t
	t.Helper()
	s.exits(0)
	s.finished(record.Complete)
	rec := l.record()
	repeats := map[string]map[int]bool{"one": {}, "two": {}} // whether their blocks count is for the machine to decide
	for _, run := range rec.Runs {
		if run.Status == record.Failed {
			t.Errorf("run %d failed: %v", run.Number, run.Reasons)
		}
		repeats[run.Environment][run.Repeat] = true
	}
	for name, seen := range repeats {
		if len(seen) != 6 {
			t.Errorf("%s has runs of %d of 6 repeats", name, len(seen))
		}
	}
	said := s.out.String()
	for _, once := range []string{"\nrecord: ", "\nnext:   "} {
		if strings.Count(said, once) != 1 {
			t.Errorf("it says %q %d times", once, strings.Count(said, once))
		}
	}
	l.clean("db1")
	l.clean("db2")
	return rec
}

// startBrief runs brief until two runs have finished.
func startBrief(l *lab, flags ...string) *started {
	l.t.Helper()
	l.write("brief.yaml", brief)
	s := begin(l, append([]string{"brief.yaml"}, flags...)...)
	s.await("two runs", func() bool { return len(l.runs()) >= 2 })
	return s
}

// reloaded checks that the record says which datasets were loaded again.
func reloaded(t *testing.T, rec *record.Record) {
	t.Helper()
	for _, name := range []string{"one", "two"} {
		if !slices.ContainsFunc(rec.Summary.Warnings, func(n record.Note) bool {
			return n.Rule == "reloaded" && strings.Contains(n.Text, "the dataset of "+name+" ")
		}) {
			t.Errorf("no note says that %s was loaded again: %v", name, rec.Summary.Warnings)
		}
	}
}

// TestReconnect cuts the connections without a word to either side, and mends them once plinth has
// noticed: the new agents wait for the old ones, and the experiment is completed.
func TestReconnect(t *testing.T) {
	t.Parallel()
	for name, hosts := range map[string][]string{"one machine": {"db1"}, "both machines": {"db1", "db2"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, "db1", "db2")
			l.env = []string{pauseVariable + "=1s 1s 1s 1s 1s"}
			s := startBrief(l, "--serve")
			states := s.states()
			for _, host := range hosts {
				l.hosts[host].Cut()
			}
			s.says("trying again in 1 s (try 1 of 5)")
			for _, host := range hosts {
				l.hosts[host].Mend()
			}
			reloaded(t, s.completes())
			if got := <-states; got != "complete" {
				t.Errorf("the page's last state is %q", got)
			}
			if said := s.out.String(); strings.Count(said, "\npage: ") != 1 {
				t.Errorf("it names its page %d times", strings.Count(said, "\npage: "))
			}
		})
	}
}

var page = regexp.MustCompile(`(?m)^page: (http://[^/]*)(.*)$`)

// states follows the page of a running record, as it does itself, and returns the last state that it
// shows once the experiment has ended.
func (s *started) states() <-chan string {
	s.l.t.Helper()
	found := page.FindStringSubmatch(s.out.String())
	if found == nil {
		s.l.t.Fatalf("it names no page: %s", s.out.String())
	}
	answer, err := http.Get(found[1] + "/api" + found[2] + "/live")
	if err != nil {
		s.l.t.Fatal(err)
	}
	last := make(chan string, 1)
	go func() {
		defer answer.Body.Close()
		state, lines := "", bufio.NewScanner(answer.Body)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if data, is := strings.CutPrefix(lines.Text(), "data: "); is {
				var live struct{ State string }
				if json.Unmarshal([]byte(data), &live) == nil && live.State != "" {
					state = live.State
				}
			}
		}
		last <- state
	}()
	return last
}

// TestKillThere kills an agent: what it started ends at once, and the next agent there undoes the rest
// and completes the experiment.
func TestKillThere(t *testing.T) {
	t.Parallel()
	l := newLab(t, "db1", "db2")
	s := startBrief(l)
	l.hosts["db1"].Run("pkill -9 -f 'plinth-[0-9a-f]* agent'")
	s.says("the connection to ssh://db1 was lost: ")
	reloaded(t, s.completes())
	if said := s.out.String(); !strings.Contains(said, "ssh://db1: an earlier plinth process crashed") {
		t.Errorf("it said %s", said)
	}
}

// TestLostBeforeFirstRun kills the agent while it loads a dataset: the experiment begins anew, since
// there is nothing to resume.
func TestLostBeforeFirstRun(t *testing.T) {
	t.Parallel()
	l := newLab(t, "db1", "db2")
	l.env = []string{pauseVariable + "=1s 1s 1s 1s 1s"}
	l.write("brief.yaml", strings.Replace(brief, "scale: 1", "scale: 10", 1))
	s := begin(l, "brief.yaml")
	s.says("loading one")
	l.hosts["db1"].Run("pkill -9 -f 'plinth-[0-9a-f]* agent'")
	s.completes()
}

// TestCut cuts the connection for good: both ends notice after the lease, and plinth ends after some
// attempts to connect.
func TestCut(t *testing.T) {
	t.Parallel()
	l := newLab(t, "db1", "db2")
	l.env = []string{pauseVariable + "=100ms 100ms"}
	s := start(l)
	l.hosts["db1"].Cut()
	s.exits(1)
	said := s.out.String()
	for _, want := range []string{"(try 2 of 2)\n", "\nplinth: the connection to ssh://db1 was lost: ", "; cannot connect again: ssh://db1: cannot reach db1: ", "\nrecord: ", "\nnext:   "} {
		if strings.Count(said, want) != 1 {
			t.Errorf("it says %q %d times", want, strings.Count(said, want))
		}
	}
	s.await("end of the agent on db1", func() bool { return l.left("db1") == "" })
	s.await("end of the agent on db2", func() bool { return l.left("db2") == "" })
	s.finished(record.Interrupted)
}

// TestInterruptedWait checks that Ctrl-C ends the wait for a lost machine.
func TestInterruptedWait(t *testing.T) {
	t.Parallel()
	l := newLab(t, "db1", "db2")
	l.env = []string{pauseVariable + "=1h"}
	s := start(l)
	l.hosts["db1"].Run("pkill -9 -f 'plinth-[0-9a-f]* agent'")
	s.says("(try 1 of 1)")
	s.interrupt()
	if said := s.out.String(); !strings.Contains(said, "stopping: the record can be completed later\n") || strings.Count(said, "\nnext:   ") != 1 {
		t.Errorf("it said %s", said)
	}
	s.finished(record.Interrupted)
}

// TestLostAgain loses a machine again and again. A load that always ends the agent ends the experiment,
// although the other machine finishes runs; one that does so every other time is completed, with more losses
// than attempts to connect.
func TestLostAgain(t *testing.T) {
	t.Parallel()
	const kill = "pkill -9 -f 'plinth-[0-9a-f]* agent'; sleep 1"
	for name, c := range map[string]struct {
		script string
		code   int
		state  record.State
	}{
		"always":           {kill, 1, record.Interrupted},
		"every other time": {"if [ -e /tmp/was ]; then rm /tmp/was; else touch /tmp/was; " + kill + "; fi", 0, record.Complete},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, "db1", "db2")
			l.env = []string{pauseVariable + "=100ms 100ms"}
			for host, script := range map[string]string{"db1": "", "db2": c.script} {
				l.hosts[host].Write("/tmp/event", []byte("#!/bin/sh\n"+script+"\n"))
				l.hosts[host].Run("chmod 755 /tmp/event")
			}
			l.write("again.yaml", strings.Replace(brief, "repeats: 6", "repeats: 3\nseed: 4\nevents: [{command: [/tmp/event]}]", 1))
			said, code := l.plinth("run", "again.yaml")
			lost := strings.Count(said, "the connection to ssh://db2 was lost: ")
			if rec := l.record(); code != c.code || lost < 3 || rec.Summary.State != c.state || len(rec.Runs) < 3 {
				t.Errorf("exit code %d after %d losses and %d runs, %s: %s", code, lost, len(rec.Runs), rec.Summary.State, said)
			}
		})
	}
}

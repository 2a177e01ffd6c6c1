package onkube

import (
	"strings"
	"testing"

	"plinth/internal/record"
)

// twoPlain are environments whose servers start quickly.
const twoPlain = `
environments:
  a: {kubernetes: {operator: none, image: "localhost/postgresql:15"}, storage: {data: {class: local-path, size: 2GiB}}}
  b: {kubernetes: {operator: none, image: "localhost/postgresql:15"}, storage: {data: {class: local-path, size: 2GiB}}}
`

// long is an experiment whose runs take longer than what a test does to the first one. After that one
// failed, its block is run once more.
var long = strings.Replace(short, "duration: 2s", "duration: 10s", 1) + "repeats: 1\n" + twoPlain

// TestPodsThatVanish deletes a pod during a run: the run fails with the reason, and the experiment goes on
// with new pods.
func TestPodsThatVanish(t *testing.T) {
	t.Parallel()
	for _, role := range []string{"load", "reader"} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			p := l.start("run", l.file(long))
			l.eventually("a load is driven", func() bool { return l.driving("results") })
			l.kubectl("delete", "pods", "--selector", "plinth/role="+role, "--grace-period=0", "--force")
			if code, out := p.end(); code != 0 {
				t.Fatalf("exit code %d:\n%s", code, out)
			}
			rec := l.record()
			if count(rec, record.Failed) == 0 || rec.Summary.State != record.Complete {
				t.Errorf("%s, with %d failed runs", rec.Summary.State, count(rec, record.Failed))
			}
			for _, run := range rec.Runs {
				if run.Status == record.Failed && (run.Reasons[0].Rule != "pod" || !strings.Contains(run.Reasons[0].Text, "deleted")) {
					t.Errorf("%+v", run.Reasons)
				}
			}
		})
	}
}

// TestServerKilled kills a server during a run. It is restarted by the cluster, and the experiment goes on.
func TestServerKilled(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	p := l.start("run", l.file(long))
	l.eventually("a load is driven", func() bool { return l.driving("results") })
	for _, pod := range strings.Fields(l.kubectl("get", "pods", "--selector", "plinth/role=server", "--output", "name")) {
		l.kubectl("delete", pod, "--grace-period=0", "--force")
	}
	if code, out := p.end(); code != 0 {
		t.Fatalf("exit code %d:\n%s", code, out)
	}
	if rec := l.record(); count(rec, record.Failed) == 0 || rec.Summary.State != record.Complete {
		t.Errorf("%s, with %d failed runs", rec.Summary.State, count(rec, record.Failed))
	}
}

// TestPlinthKilled kills plinth: the keeper takes everything along, and the record can be completed.
func TestPlinthKilled(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	p := l.start("run", l.file(short+"repeats: 2\n"+twoPlain))
	p.until("run 2 of")
	if err := p.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.end()
	l.eventually("everything except the namespace is gone", func() bool { return !strings.Contains(l.left(), "/plinth-") })
	done := len(l.record().Runs)
	l.run(0, "run", "--resume", "latest")
	if rec := l.record(); rec.Summary.State != record.Complete || done == 0 || len(rec.Runs) < 4 {
		t.Errorf("%s with %d runs, of which %d were there", rec.Summary.State, len(rec.Runs), done)
	}
}

// TestInterrupted interrupts plinth: it deletes everything before it ends.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	p := l.start("run", l.file(short+"repeats: 2\n"+twoPlain))
	p.until("run 1 of")
	p.interrupt()
	if left := l.left(); left != "" {
		t.Errorf("left: %s", left)
	}
}

package overssh

import (
	"slices"
	"strings"
	"testing"

	"plinth/internal/record"
)

const twoHosts = `name: two-hosts
workloads: [select-only]
clients: [2]
duration: 1s
warmup: 0s
repeats: 2
dataset: {scale: 1}
environments:
  here: {storage: {data: .}}
  one:  {at: ssh://db1, storage: {data: /tmp/data}}
  two:  {at: ssh://db2, storage: {data: /tmp/data}}
`

// TestRun compares three machines, and leaves nothing on them.
func TestRun(t *testing.T) {
	l := newLab(t, "db1", "db2")
	l.write("two-hosts.yaml", twoHosts)
	if said, code := l.plinth("run", "two-hosts.yaml"); code != 0 || strings.Count(said, "copying plinth") != 2 {
		t.Fatalf("exit code %d: %s", code, said)
	}
	rec := l.record()
	if rec.Summary.State != record.Complete || len(rec.Runs) != 6 {
		t.Errorf("%d runs, %s: %s", len(rec.Runs), rec.Summary.State, rec.Summary.Reason)
	}
	for _, run := range rec.Runs {
		if run.Status != record.Valid || run.Result.TPS <= 0 || run.Telemetry == nil || run.Evidence == nil {
			t.Errorf("run %d in %s: %s, %v", run.Number, run.Environment, run.Status, run.Reasons)
		}
		points, err := rec.Points(&run)
		if err != nil || !slices.ContainsFunc(points.Columns, func(c record.Column) bool { return strings.HasPrefix(c.Name, "pg_stat_database.") }) {
			t.Errorf("run %d in %s has no telemetry of the server: %v", run.Number, run.Environment, err)
		}
	}
	for name, at := range map[string]string{"here": "", "one": "ssh://db1", "two": "ssh://db2"} {
		if got := rec.Environments[name].At; got != at {
			t.Errorf("%s ran at %q, want %q", name, got, at)
		}
		if _, there := rec.Summary.Machines[at]; !there {
			t.Errorf("nothing is recorded of the machine %q", at)
		}
	}
	if said, code := l.plinth("show", "latest"); code != 0 || !strings.Contains(said, "ssh://db1") {
		t.Errorf("exit code %d: %s", code, said)
	}
	for _, host := range []string{"db1", "db2"} {
		l.clean(host)
		if said, code := l.plinth("clean", "--on", "ssh://"+host); code != 0 || !strings.Contains(said, "removed "+host+":") {
			t.Errorf("exit code %d: %s", code, said)
		}
	}
}

// TestOneMachine checks two users of one host, and refuses two names of one user there.
func TestOneMachine(t *testing.T) {
	l := newLab(t, "db1")
	l.write("names.yaml", `workloads: [select-only]
duration: 1s
warmup: 0s
repeats: 1
dataset: {scale: 1}
environments:
  one: {at: ssh://db1, storage: {data: /tmp/data}}
  two: {at: ssh://root@db1, storage: {data: /tmp/data}}
`)
	if said, code := l.plinth("run", "names.yaml"); code != 2 || !strings.Contains(said, "ssh://db1 and ssh://root@db1 are one machine, with one state directory") {
		t.Errorf("exit code %d: %s", code, said)
	}
	// Another name of the host, with another state directory, as another user has.
	other := func(storage string) string {
		return `workloads: [select-only]
duration: 1s
warmup: 0s
repeats: 1
dataset: {scale: 1}
environments:
  one: {at: ssh://db1, storage: {data: ` + storage + `}}
  two: {at: {command: [` + l.net.SSH + `, db1, env, PLINTH_STATE=/tmp/state, /root/.cache/plinth/agent, agent]}, storage: {data: ` + strings.Replace(storage, "/link/", "/data/", 1) + `}}
`
	}
	l.hosts["db1"].Run("ln -s $(ls -d /root/.cache/plinth/plinth-*) /root/.cache/plinth/agent; ln -s data /tmp/link")
	l.write("file.yaml", other("{file: /tmp/link/disk, size: 2GiB}"))
	if said, code := l.plinth("run", "file.yaml"); code != 2 || !strings.Contains(said, "the data of one and the data of two use the same disk: /tmp/link/disk and /tmp/data/disk") {
		t.Errorf("exit code %d: %s", code, said)
	}
	l.write("states.yaml", other("/tmp/data"))
	if said, code := l.plinth("run", "states.yaml"); code != 0 {
		t.Errorf("exit code %d: %s", code, said)
	}
	for _, note := range l.record().Summary.Warnings {
		if note.Rule == "one-kernel" {
			t.Errorf("two agents that see each other are noted: %s", note.Text)
		}
	}
}

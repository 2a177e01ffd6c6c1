package decode

import (
	"fmt"
	"testing"

	"plinth/internal/experiment"
)

const setBase = `
workloads: [select-only]
duration: 60s
settings: {work_mem: 4MB}
environments:
  one:
  v1.2: {storage: {data: /a}}
  v1: {storage: {data: /b}}
`

func TestSet(t *testing.T) {
	for _, test := range []struct {
		sets []string
		get  func(*experiment.Experiment) any
		want string
	}{
		{[]string{"clients=[1,8]"}, func(e *experiment.Experiment) any { return e.Clients }, "[1 8]"},
		{[]string{"duration=2s"}, func(e *experiment.Experiment) any { return e.Duration }, "2s"},
		{[]string{"duration=2s", "duration=3s"}, func(e *experiment.Experiment) any { return e.Duration }, "3s"},
		{[]string{"dataset.scale=5"}, func(e *experiment.Experiment) any { return e.Dataset.Scale }, "5"},
		{[]string{"duration=", "transactions=100"}, func(e *experiment.Experiment) any { return fmt.Sprint(e.Duration, e.Transactions) }, "0s 100"},
		{[]string{"repeats=", "repeats=8", "environments.v1="}, func(e *experiment.Experiment) any { return fmt.Sprint(e.Repeats, len(e.Environments)) }, "8 2"},
		{[]string{"settings.work_mem=8MB"}, func(e *experiment.Experiment) any { return e.Settings["work_mem"] }, "8MB"},
		{[]string{"settings.fsync=off"}, func(e *experiment.Experiment) any { return e.Settings["fsync"] }, "off"},
		{[]string{"settings.auto_explain.log_min_duration=5"}, func(e *experiment.Experiment) any { return e.Settings["auto_explain.log_min_duration"] }, "5"},
		{[]string{"question=What's x=1?"}, func(e *experiment.Experiment) any { return e.Question }, "What's x=1?"},
		{[]string{"environments.one.storage.data=/x"}, func(e *experiment.Experiment) any { return environment(e, "one").Storage.Data.Directory }, "/x"},
		{[]string{"environments.v1.2.storage.data=/x"}, func(e *experiment.Experiment) any { return environment(e, "v1.2").Storage.Data.Directory }, "/x"},
		{[]string{"environments.v1.storage.data=/x"}, func(e *experiment.Experiment) any { return environment(e, "v1").Storage.Data.Directory }, "/x"},
		{[]string{"environments.two.storage.wal=/w"}, func(e *experiment.Experiment) any { return environment(e, "two").Storage.WAL.Directory }, "/w"},
		{[]string{"environments.v1.2="}, func(e *experiment.Experiment) any { return environment(e, "v1.2") == nil }, "true"},
		{[]string{"environments={a: {}}"}, func(e *experiment.Experiment) any { return len(e.Environments) }, "1"},
		{[]string{"environments.m={connect: service=x, disposable: true}"}, func(e *experiment.Experiment) any { return environment(e, "m").Connect }, "service=x"},
		{[]string{`environments.m={connect: "", optional: true}`}, func(e *experiment.Experiment) any { return fmt.Sprint(len(e.Environments), e.Absent) }, "3 [{m no connection string is given (environments.m.connect)}]"},
		{[]string{`environments.m={connect: "", optional: true}`, "compare=[select-only/m, select-only/v1]"}, func(e *experiment.Experiment) any { return e.Compare }, "[select-only/v1]"},
		{[]string{"environments.m={connect: service=x, disposable: true, optional: true}"}, func(e *experiment.Experiment) any { return fmt.Sprint(len(e.Environments), e.Absent) }, "4 []"},
		{[]string{"workloads=tpcb-like"}, func(e *experiment.Experiment) any { return e.Workloads[0].Name }, "tpcb-like"},
		{[]string{"environments.v1.2.storage.data={emulate: gp3}"}, func(e *experiment.Experiment) any { return environment(e, "v1.2").Storage.Data.Emulate.Name }, "gp3"},
		{[]string{"environments.v1.2.storage.wal.emulate=gp3"}, func(e *experiment.Experiment) any { return environment(e, "v1.2").Storage.WAL.Emulate.Name }, "gp3"},
		{
			[]string{"environments.one.storage.wal.emulate.raid=10", "environments.one.storage.wal.emulate.of=gp3", "environments.one.storage.wal.emulate.members=4"},
			func(e *experiment.Experiment) any { return environment(e, "one").Storage.WAL.Emulate.RAID }, "10",
		},
		{
			[]string{"environments.one.storage.tablespaces.cold={emulate: gp3}", "environments.one.storage.tablespaces.cold.iops=6000"},
			func(e *experiment.Experiment) any { return environment(e, "one").Storage.Tablespaces[0].Volume.IOPS }, "6000",
		},
		{[]string{"environments.one.storage.tablespaces.cold=/c"}, func(e *experiment.Experiment) any {
			return environment(e, "one").Storage.Tablespaces[0].Volume.Directory
		}, "/c"},
		{[]string{"environments.one.limits.memory=8GiB"}, func(e *experiment.Experiment) any { return environment(e, "one").Limits.Memory }, "8GiB"},
		{[]string{"environments.one.pressure.write=50MiB/s"}, func(e *experiment.Experiment) any { return environment(e, "one").Pressure.Volume }, "data"},
		{[]string{"events=[{at: 1s, command: pg_dump}]"}, func(e *experiment.Experiment) any { return e.Events[0].Name }, "event-1"},
		{[]string{"keep_log=true"}, func(e *experiment.Experiment) any { return e.KeepLog }, "true"},
	} {
		e, _, err := Parse("lab.yaml", []byte(setBase), "", test.sets)
		if err != nil {
			t.Errorf("%v: %v", test.sets, err)
			continue
		}
		if got := fmt.Sprint(test.get(e)); got != test.want {
			t.Errorf("%v: got %s, want %s", test.sets, got, test.want)
		}
	}
}

// A flag changes only its own key, not other values that share an anchor with it.
func TestSetLeavesOtherAliasesAlone(t *testing.T) {
	const file = "workloads: [select-only]\nenvironments:\n  a: {storage: &s {data: /a}}\n  b: {storage: *s}\n"
	e, _, err := Parse("lab.yaml", []byte(file), "", []string{"environments.b.storage.data=/b"})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := e.Environments[0].Storage.Data.Directory, e.Environments[1].Storage.Data.Directory; a != "/a" || b != "/b" {
		t.Errorf("a has %s, b has %s", a, b)
	}
}

// environment returns the environment with a name, or nil.
func environment(e *experiment.Experiment, name string) *experiment.Environment {
	for i := range e.Environments {
		if e.Environments[i].Name == name {
			return &e.Environments[i]
		}
	}
	return nil
}

package decode

import (
	"fmt"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/experiment/encode"
)

func TestStorageOfEveryEnvironment(t *testing.T) {
	const file = `
workloads: [select-only]
storage: {data: /data, wal: {emulate: gp3, filesystem: xfs}, tablespaces: {hot: /hot, cold: /cold}}
environments:
  bare:
  own: {storage: {data: {emulate: io2}}}
  cold: {storage: {tablespaces: {cold: {emulate: st1}}}}
`
	for _, test := range []struct {
		sets []string
		want string
	}{
		{nil, "bare: data /data, wal gp3, tablespace hot /hot, tablespace cold /cold\n" +
			"own: data io2, wal gp3, tablespace hot /hot, tablespace cold /cold\n" +
			"cold: data /data, wal gp3, tablespace cold st1, tablespace hot /hot\n"},
		{[]string{"storage={data: /ssd}"}, "bare: data /ssd\nown: data io2\ncold: data /ssd, tablespace cold st1\n"},
		{[]string{"storage.data=/ssd", "storage.wal=", "storage.tablespaces=", "environments.bare.storage.temp=/tmp"},
			"bare: data /ssd, temp /tmp\nown: data io2\ncold: data /ssd, tablespace cold st1\n"},
	} {
		e, _, err := Parse("x.yaml", []byte(file), "", test.sets)
		if err != nil {
			t.Fatal(err)
		}
		if got := volumesOf(e); got != test.want {
			t.Errorf("%v: got\n%swant\n%s", test.sets, got, test.want)
		}
		again, _, err := Parse("experiment.yaml", encode.YAML(e), "", nil)
		if err != nil || volumesOf(again) != test.want {
			t.Errorf("the recorded experiment: %v\n%s", err, volumesOf(again))
		}
	}
}

// A step replaces the storage of the environment before it, not that of every environment.
func TestStorageOfEveryEnvironmentWithSteps(t *testing.T) {
	e, _, err := Parse("x.yaml", []byte(`
workloads: [select-only]
storage: {data: /data}
environments: {first: {storage: {wal: /wal}}}
steps: [{name: second, settings: {work_mem: 8MB}}, {name: third, storage: {temp: /temp}}]
`), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	const want = "first: data /data, wal /wal\nsecond: data /data, wal /wal\nthird: data /data, temp /temp\n"
	if got := volumesOf(e); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func volumesOf(e *experiment.Experiment) string {
	text := ""
	for _, env := range e.Environments {
		text += env.Name + ":"
		for i, part := range env.Storage.Parts() {
			if i > 0 {
				text += ","
			}
			text += fmt.Sprintf(" %s %s%s", part.Role, part.Volume.Directory, part.Volume.Emulate.Name)
		}
		text += "\n"
	}
	return text
}

// Storage of every environment that none uses is a default, not a mistake, unless a flag asks for it.
func TestUnusedStorageOfEveryEnvironment(t *testing.T) {
	const file = "workloads: [select-only]\nstorage: {data: /data}\nenvironments: {a: {}}\n"
	if _, _, err := Parse("x.yaml", []byte(file), "", []string{"environments.a.storage.data=/own"}); err != nil {
		t.Error(err)
	}
	if _, _, err := Parse("x.yaml", []byte(file), "", []string{"environments.a.storage.data=/own", "storage.data=/other"}); err == nil {
		t.Error("--set storage.data has no effect, and is accepted")
	}
}

package derive

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"plinth/internal/experiment/decode"
)

const other = `name: several
workloads: [select-only, simple-update]
clients: [4, 8]
threads: [1, 2]
repeats: 2
settings: {shared_buffers: 256MB}
environments:
  plain: {}
  limited: {limits: {memory: 512MiB}, settings: {work_mem: 1MB}}
baseline: plain
`

// TestFile checks that the experiment has one environment of the other one, as it is and changed, and one workload.
func TestFile(t *testing.T) {
	e := Experiment{
		Name: "closer", Question: "Why?", Environment: "limited", Workload: "simple-update", Clients: []int{8, 32}, Threads: 1, Repeats: 5,
		Changed: "more", Changes: map[string]any{"limits": map[string]any{"memory": "1GiB"}, "settings": map[string]any{"work_mem": nil, "shared_buffers": "65536kB"}},
	}
	text, err := File([]byte(other), e)
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := decode.Parse("closer.yaml", text, "", nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if got.Name != "closer" || got.Question != "Why?" || got.Repeats != 5 || got.Baseline != AsItWas || !slices.Equal(got.Clients, []int{8, 32}) || len(got.Cells()) != 2 || len(got.Environments) != 2 {
		t.Errorf("%s", text)
	}
	was, then := got.Environments[0], got.Environments[1]
	if was.Name != AsItWas || was.Limits.Memory != 512<<20 || was.Settings["work_mem"] != "1MB" {
		t.Errorf("as it was: %+v", was)
	}
	if then.Name != "more" || then.Limits.Memory != 1<<30 || then.Settings["work_mem"] != "" || then.Settings["shared_buffers"] != "65536kB" {
		t.Errorf("changed: %+v", then)
	}

	e.Changes = nil
	if text, err = File([]byte(other), e); err != nil || strings.Contains(string(text), "more") {
		t.Errorf("without changes: %v\n%s", err, text)
	}
}

// TestOthersStay checks that a changed environment has its other values as they were written.
func TestOthersStay(t *testing.T) {
	const written = `name: several
engine: redis
workloads: [get]
clients: 4
repeats: 2
environments:
  plain: {facts: {kubernetes: 1.30, account: 012345678901}, settings: {proc-title-template: 0770}}
`
	text, err := File([]byte(written), Experiment{Name: "x", Question: "Why?", Environment: "plain", Workload: "get", Clients: []int{4}, Threads: 1, Repeats: 3,
		Changed: "more", Changes: map[string]any{"settings": map[string]any{"maxmemory": "1gb"}}})
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := decode.Parse("x.yaml", text, "", nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, e := range got.Environments {
		if e.Facts["kubernetes"] != "1.30" || e.Facts["account"] != "012345678901" || e.Settings["proc-title-template"] != "0770" {
			t.Errorf("%s: %v, %v", e.Name, e.Facts, e.Settings)
		}
	}
}

// TestRefused checks the errors of experiments that cannot be made.
func TestRefused(t *testing.T) {
	limits := func(memory any) map[string]any { return map[string]any{"limits": map[string]any{"memory": memory}} }
	for _, tc := range []struct {
		other, environment string
		changes            map[string]any
		want               string
	}{
		{other, "limited", limits("512MiB"), ErrUnchanged.Error()},
		{other, "plain", limits(nil), ErrUnchanged.Error()},
		{other, "gone", limits("1GiB"), "no environment gone"},
		{other, "plain", limits("much"), "cannot change the environment plain in this way"},
		{"[", "plain", nil, "cannot read the experiment"},
		{"", "plain", nil, "the experiment of the record is empty"},
	} {
		_, err := File([]byte(tc.other), Experiment{Environment: tc.environment, Workload: "simple-update", Clients: []int{4}, Threads: 1, Repeats: 3, Name: "x", Changed: "y", Changes: tc.changes})
		if err == nil || !strings.Contains(err.Error(), tc.want) || tc.want == ErrUnchanged.Error() != errors.Is(err, ErrUnchanged) {
			t.Errorf("%s, %v: %v", tc.environment, tc.changes, err)
		}
	}
}

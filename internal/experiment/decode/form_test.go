package decode

import (
	"testing"
	"time"

	"plinth/internal/experiment/encode"
)

const formed = `
workloads: [select-only]
duration: 60s
quick: {note: too short for a checkpoint, set: {duration: 2s, clients: "[1, 8]", environments.a.limits.cpus: 1}}
published: {set: {duration: 300s}}
environments: {a: {}, b: {limits: {cpus: 2}}}
`

func TestForms(t *testing.T) {
	for _, test := range []struct {
		sets    []string
		seconds float64
		clients int
		note    string
	}{
		{nil, 60, 1, ""},
		{[]string{"form=quick"}, 2, 2, "too short for a checkpoint"},
		{[]string{"duration=3s", "form=quick"}, 3, 2, "too short for a checkpoint"}, // --set overrides the form, in any order
		{[]string{"form=published"}, 300, 1, ""},
	} {
		e, _, err := Parse("x.yaml", []byte(formed), "", test.sets)
		if err != nil {
			t.Fatal(err)
		}
		if e.Duration.Seconds() != test.seconds || len(e.Clients) != test.clients || e.Chosen().Note != test.note || e.Chosen().Set != nil {
			t.Errorf("%v: %s, clients %v, form %+v", test.sets, e.Duration, e.Clients, e.Chosen())
		}
	}
}

// A form that was applied is not applied again to the recorded experiment, which has other values.
func TestRecordedFormIsNotAppliedAgain(t *testing.T) {
	e, _, err := Parse("x.yaml", []byte(formed), "", []string{"form=quick", "duration=3s"})
	if err != nil {
		t.Fatal(err)
	}
	again, _, err := Parse("experiment.yaml", encode.YAML(e), "", nil)
	if err != nil || again.Duration.Std() != 3*time.Second || again.Environments[0].Limits.CPUs != e.Environments[0].Limits.CPUs {
		t.Errorf("%v, %v, want %v", err, again, e)
	}
}

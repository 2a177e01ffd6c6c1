package decode

import (
	"fmt"
	"strings"
	"testing"
)

// A few lines can expand to too many values.
func TestBoundsOfShortForms(t *testing.T) {
	var settings, steps, knobs strings.Builder
	for i := range 500 {
		fmt.Fprintf(&settings, "a_%d: 1, ", i)
		fmt.Fprintf(&steps, "{name: s%d}, ", i)
	}
	for i := range 46 { // 46 parts, and each pair of them
		fmt.Fprintf(&knobs, "{name: n, settings: [{knob: a.b%d, value: 1, group: g%d}]}, ", i, i)
	}
	for text, want := range map[string]string{
		"environments: {a: {settings: {" + settings.String() + "}}}\nsteps: [" + steps.String() + "]": "x.yaml:3:8: the file is too large when expanded: more than 100000 values",
		"environments: {a: {tuning: [" + knobs.String() + "]}}\nablate: pairs":                        "x.yaml:3:9: ablate: more than 1000 environments",
		"environments: {a: {tuning: {" + strings.Repeat("a.b: 1, ", 5001) + "}}}":                     "x.yaml:2:28: environments.a.tuning: more than 10000 values",
	} {
		_, _, err := Parse("x.yaml", []byte("workloads: [select-only]\n"+text), "", nil)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %.200v, want %s", err, want)
		}
	}
}

// A mistake in a part that several environments inherit is reported once; a mistake in only one of
// them is also reported.
func TestInheritedMistakesAreToldOnce(t *testing.T) {
	_, _, err := Parse("x.yaml", []byte(`workloads: [select-only]
environments: {a: {storage: {data: ~/x}, limits: {cpus: 2}}}
steps: [{name: b, settings: {port: 1}}, {name: c, tuning: {cpus: 0-1}}, {name: d}]
`), "", nil)
	const want = `x.yaml:2:36: environments.a.storage.data: ~ is not expanded here
x.yaml:3:30: environments.b.settings: port is set by plinth itself
x.yaml:3:59: environments.c.tuning: cpus: limits.cpus already sets it`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

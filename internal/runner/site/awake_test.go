package site

import (
	"testing"

	"plinth/internal/experiment/decode"
	"plinth/internal/host"
)

func TestWantsAwake(t *testing.T) {
	const plain, emulated = "environments: {a: {}}\n", "environments: {a: {storage: {data: {emulate: gp3}}}}\n"
	for _, test := range []struct {
		name, yaml string
		want       bool
	}{
		{"disks as they are", plain, false},
		{"disks as they are, on demand", "awake: on\n" + plain, true},
		{"emulated", emulated, host.IsVirtual()},
		{"emulated, not wanted", "awake: off\n" + emulated, false},
	} {
		e, _, err := decode.Parse("x.yaml", []byte("workloads: [select-only]\n"+test.yaml), "", nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := wantsAwake(e, nil); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
		// A resumed experiment keeps the setting that it began with.
		for _, before := range []bool{false, true} {
			if got := wantsAwake(e, &before); got != before {
				t.Errorf("%s, resumed: %v after %v", test.name, got, before)
			}
		}
	}
}

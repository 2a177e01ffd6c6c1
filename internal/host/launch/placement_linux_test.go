package launch

import (
	"bytes"
	"strings"
	"testing"
)

// A program runs where it is placed, and so do its children.
func TestPlacement(t *testing.T) {
	t.Parallel()
	read := func(p *Placement) (string, ExitStatus) {
		var out bytes.Buffer
		process, err := NewLocal().Start(Command{Path: "/bin/sh", Args: []string{"-c",
			"cat /proc/self/status; head -1 /proc/self/numa_maps"}, Placement: p, Stdout: &out})
		if err != nil {
			t.Fatalf("%+v: %v", p, err)
		}
		status, err := process.Wait()
		if err != nil {
			t.Fatal(err)
		}
		return out.String(), status
	}
	free, _ := read(nil)
	if strings.Contains(free, " bind") {
		t.Fatalf("without a placement: %s", free)
	}
	for _, tc := range []struct {
		placement Placement
		want      []string
	}{
		{Placement{CPUs: []int{0}}, []string{"Cpus_allowed_list:\t0\n"}},
		{Placement{Policy: Bind, Nodes: []int{0}}, []string{" bind:0"}},
		{Placement{CPUs: []int{0}, Policy: Interleave, Nodes: []int{0}}, []string{"Cpus_allowed_list:\t0\n", " interleave:0"}},
		{Placement{Policy: Preferred, Nodes: []int{0}}, []string{" prefer"}},
		{Placement{Policy: LocalMemory}, []string{" local"}},
	} {
		out, status := read(&tc.placement)
		for _, want := range tc.want {
			if status.Code != 0 || !strings.Contains(out, want) {
				t.Errorf("%+v: %q is not in\n%s", tc.placement, want, out)
			}
		}
	}
}

func TestPlacementThatCannotBe(t *testing.T) {
	t.Parallel()
	for _, p := range []Placement{{CPUs: []int{1000}}, {Policy: "nearby"}, {Policy: Bind, Nodes: []int{900}}, {Policy: Bind, Nodes: []int{-1}}} {
		_, err := NewLocal().Start(Command{Path: "/bin/true", Placement: &p})
		if err == nil || !strings.Contains(err.Error(), "place") {
			t.Errorf("%+v: %v", p, err)
		}
	}
}

package libvirt

import (
	"strings"
	"testing"
)

// TestAdvice uses the test driver's captured host: nodes 0 and 1 with 2 and 4 GiB and 8 CPUs
// each, no huge pages.
func TestAdvice(t *testing.T) {
	m, err := parseMachine(fixture(t, "capabilities"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name   string
		values map[string]string
		want   map[string]string // texts by rule
	}{
		{"plain", map[string]string{"numatune": "strict 1", "vcpupin": "0=8,1=9"}, nil},
		{"plain", map[string]string{"vcpupin": "0=16"}, map[string]string{"domain-no-cpu": "pinned to CPU 16, which the machine does not have"}},
		{"plain", map[string]string{"numatune": "strict 2"}, map[string]string{"domain-no-node": "from NUMA node 2, which the machine does not have"}},
		{"plain", map[string]string{"numatune": "strict 1", "vcpupin": "0=7,1=8", "emulatorpin": "9"}, map[string]string{"domain-far-cpu": "CPU 7 is not on node 1"}},
		{"plain", map[string]string{"numatune": "strict 1", "iothreads": "1", "iothreadpin": "1=0"}, map[string]string{"domain-far-cpu": "CPU 0 is not on node 1"}},
		{"plain", map[string]string{"numatune": "strict 1", "hugepages": "on"},
			map[string]string{"domain-node-pages": "the guest has 2GiB, but the huge pages of node 1 (2MiB each) hold only 0B"}},
		{"rich", map[string]string{"numatune": "strict 0"}, map[string]string{
			"domain-node-memory": "the guest has 4GiB, more than node 0 has (2GiB)", "domain-node-pages": "the huge pages of node 0 (1GiB each) hold only 0B"}},
		{"rich", map[string]string{"numatune": "strict 0-1", "hugepages": "off"}, nil},
		{"rich", map[string]string{"numatune": "preferred 0"}, nil},
		{"rich", map[string]string{"numatune": "strict auto", "vcpupin": "0=3"}, nil},
		{"published", nil, map[string]string{"domain-no-cpu": "CPU 28-29, which the machine does not have", "domain-node-memory": "16GiB", "domain-node-pages": "16GiB"}},
	} {
		text, err := Edit(fixture(t, tc.name), tc.values)
		if err != nil {
			t.Fatal(err)
		}
		guest, err := parse(text)
		if err != nil {
			t.Fatal(err)
		}
		notes := m.notes(guest)
		if len(notes) != len(tc.want) {
			t.Errorf("%s, %v: %+v", tc.name, tc.values, notes)
		}
		for _, n := range notes {
			if text, wanted := tc.want[n.Rule]; !wanted || !strings.Contains(n.Text, text) || n.Hint == "" {
				t.Errorf("%s, %v: %+v", tc.name, tc.values, n)
			}
		}
		if none := (machine{}).notes(guest); none != nil {
			t.Errorf("%s: a machine that tells nothing gives %+v", tc.name, none)
		}
	}
	if _, err := parseMachine("no XML"); err == nil {
		t.Error("what is no XML was taken for a machine")
	}
	if m, err := parseMachine("<capabilities><host/></capabilities>"); err != nil || len(m) != 0 {
		t.Errorf("a machine without nodes: %+v, %v", m, err)
	}
}

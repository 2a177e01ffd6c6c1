package cluster

import "testing"

// TestPolicies checks that only a kubelet's configuration is taken for one.
func TestPolicies(t *testing.T) {
	for _, text := range []string{"", "{}", "[]", "<html>", `{"kubeletconfig":7}`} {
		if p, err := policies([]byte(text)); err == nil {
			t.Errorf("policies of %q: %+v", text, p)
		}
	}
	p, err := policies([]byte(`{"kubeletconfig": {"cpuManagerPolicy": "static", "topologyManagerPolicy": "single-numa-node", "memoryManagerPolicy": "None", "reservedSystemCPUs": "0"}}`))
	if err != nil || p != (Policies{"static", "single-numa-node", "None", "0"}) {
		t.Errorf("%+v, %v", p, err)
	}
}

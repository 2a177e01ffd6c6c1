package preview

import "testing"

// TestDemandOf checks that bursts count, and that the directory is that of the environment that demands most.
func TestDemandOf(t *testing.T) {
	for name, c := range map[string]struct {
		environments string
		demand       float64
		names        string
		backing      string
	}{
		"sustained": {"  a: {storage: {data: {emulate: gp3, backing: /fast}}}\n  b: {storage: {data: {emulate: sata-ssd, iops: 500, backing: /slow}}}\n", 3000, "gp3 in a", "/fast"},
		"a burst": {"  a: {storage: {data: {emulate: {model: {name: m, read: {median: 1ms}, write: {median: 1ms}, iops: {rate: 300, burst_rate: 5000, burst: 10000}}}}}}\n  b: {storage: {data: {emulate: gp3}}}\n",
			5000, "m in a", "."},
		"an array": {"  a: {storage: {data: {emulate: {raid: 10, of: gp3, members: 4}}}}\n", 12000, "raid10 of 4 x gp3 in a", "."},
		"nothing":  {"  a: {}\n", 0, "", ""},
	} {
		demand, names, backing, err := DemandOf(parsed(t, c.environments))
		if err != nil || demand != c.demand || names != c.names || backing != c.backing {
			t.Errorf("%s: %g, %q, %q, %v", name, demand, names, backing, err)
		}
	}
}

package conf

import "testing"

func TestSameValue(t *testing.T) {
	for _, test := range []struct {
		name, declared, inForce string
		same                    bool
	}{
		{"appendfsync", "everysec", "everysec", true},
		{"appendfsync", "EverySec", "everysec", true},
		{"appendfsync", "always", "everysec", false},
		{"maxmemory", "1gb", "1073741824", true},
		{"maxmemory", "1g", "1000000000", true},
		{"maxmemory", "1g", "1073741824", false},
		{"save", "", "", true},
		{"save", `""`, "", true},
		{"save", "3600 1", "3600 1", true},
		{"save", "3600 1 300 100", "3600 1 300 100", true},
		{"save", "3600 1", "3600 1 300 100", false},
		{"save", "3600 1", "", false},
		{"client-output-buffer-limit", "replica 256mb 64mb 60", "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60", true},
		{"client-output-buffer-limit", "replica 256mb 64mb 30", "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60", false},
		{"oom-score-adj-values", "0 200 800", "0 200 800", true},
		{"maxmemory-clients", "5%", "5%", true},
	} {
		if got := Same(test.name, test.declared, test.inForce); got != test.same {
			t.Errorf("%s %q and %q: %v", test.name, test.declared, test.inForce, got)
		}
	}
}

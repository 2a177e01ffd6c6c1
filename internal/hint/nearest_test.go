package hint

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	names := []string{"clients", "threads", "latency_limit", "max_tries", "rate", "one"}
	for word, want := range map[string]string{
		"clinets": "clients", "client": "clients", "CLIENTS": "clients", "latencyLimit": "latency_limit", "max-tries": "max_tries",
		"lat": "latency_limit", "rates": "rate", "x": "", "something": "", "xyz": "", strings.Repeat("clients", 20): "",
	} {
		if got := Nearest(word, names); got != want {
			t.Errorf("%s: got %q, want %q", word, got, want)
		}
	}
}

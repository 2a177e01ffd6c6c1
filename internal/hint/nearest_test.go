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

func TestAllNearest(t *testing.T) {
	names := []string{"gp2", "gp3", "gp3-burst", "longhorn-1r", "longhorn-2r"}
	for word, want := range map[string]string{
		"gp4": "gp2 gp3", "gp33": "gp3", "GP3": "gp3", "longhorn": "longhorn-1r longhorn-2r", "floppy": "",
	} {
		if got := strings.Join(AllNearest(word, names), " "); got != want {
			t.Errorf("%s: got %q, want %q", word, got, want)
		}
	}
}

package durability

import (
	"strings"
	"testing"

	"plinth/internal/record"
)

// TestAllLost checks that only a fault after which no write was left yields the note that the
// loss is limited by the duration of the writes.
func TestAllLost(t *testing.T) {
	of := func(name string, faults ...record.Injection) record.Survival {
		return record.Survival{Environment: name, Durability: record.Durability{Injections: faults}}
	}
	some, none, unknown := record.Injection{Acknowledged: 10, Found: 1}, record.Injection{Acknowledged: 10}, record.Injection{Broke: "no disk"}
	if got := allLost([]record.Survival{of("a", some), of("b", unknown), of("c")}); got != "" {
		t.Error(got)
	}
	if got := allLost([]record.Survival{of("a", some), of("b", some, none), of("c", none)}); !strings.Contains(got, "a fault on b, c: the loss") {
		t.Error(got)
	}
}

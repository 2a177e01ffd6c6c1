package fault

import (
	"testing"

	"plinth/internal/record"
)

// TestLine checks the message about an environment's faults, which fits on a line of 80 characters.
func TestLine(t *testing.T) {
	of := func(fault string, injections ...record.Injection) record.Durability {
		return record.Durability{Fault: fault, Injections: injections}
	}
	lost, kept := record.Injection{Acknowledged: 5000, Found: 4997, Took: 0.0004}, record.Injection{Acknowledged: 5000, Found: 5000, Took: 12.34}
	for want, d := range map[string]record.Durability{
		"preferred: kept all 5000 writes in a pod deletion, answered in 12 s":             of("delete-pod", kept),
		"preferred: LOST 3 of 15000 writes in 3 pod deletions, answered in 12 s (median)": of("delete-pod", kept, lost, kept),
		"preferred: LOST 3 of 5000 writes in a kill, answered in 0.4 ms":                  of("kill", lost),
		"preferred: kept all 10 writes in a power cut, answered in 9.5 s":                 of("power-cut", record.Injection{Acknowledged: 10, Found: 10, Took: 9.5}),
		"preferred: LOST 10 of 10 writes in a drain, and it did not recover: no node":     of("drain", record.Injection{Acknowledged: 10, Broke: "no node"}),
	} {
		if got := Line("preferred", d); got != want || len(got) > 80 {
			t.Errorf("%d characters: %q, want %q", len(got), got, want)
		}
	}
}

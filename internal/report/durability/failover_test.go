package durability

import (
	"slices"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/report/show"
)

// TestFailovers checks that losses, outages and the way of replication are in one row, and that servers
// elsewhere have none.
func TestFailovers(t *testing.T) {
	fault := func(lost int64, outage float64, before, after record.PrimaryPod) record.Injection {
		return record.Injection{Acknowledged: 100, Found: 100 - lost, Outage: outage, Primary: &record.Primary{Before: before, After: after}}
	}
	one, two := record.PrimaryPod{Pod: "a-1", Timeline: 1}, record.PrimaryPod{Pod: "a-2", Timeline: 2}
	survivals := []record.Survival{
		{Environment: "here", Durability: record.Durability{Injections: []record.Injection{{Acknowledged: 5, Found: 5}}}},
		{Environment: "async", Durability: record.Durability{Injections: []record.Injection{fault(12, 4, one, two), fault(0, 6, two, one)}}},
		{Environment: "sync", Durability: record.Durability{Injections: []record.Injection{fault(0, 30, one, one)}}},
		{Environment: "plain", Durability: record.Durability{Injections: []record.Injection{fault(0, 3, record.PrimaryPod{Pod: "p"}, record.PrimaryPod{Pod: "p"})}}},
	}
	numbers := &show.Numbers{Experiment: &experiment.Experiment{Environments: []experiment.Environment{
		{Name: "async", Kubernetes: experiment.Kubernetes{Operator: "cnpg", Instances: 2}},
		{Name: "sync", Kubernetes: experiment.Kubernetes{Operator: "cnpg", Instances: 3,
			Synchronous: experiment.Synchronous{Method: "any", Number: 1, DataDurability: "required"}}},
		{Name: "plain", Kubernetes: experiment.Kubernetes{Operator: "none"}},
	}}}
	table, there := failovers(survivals, numbers)
	want := [][]string{
		{"async", "2 instances, asynchronous", "12", "6.0 s", "5.0 s", "2 of 2", "1 to 1"},
		{"sync", "3 instances, any 1 synchronous, required", "0", "30.0 s", "30.0 s", "0 of 1", "1 to 1"},
		{"plain", "1 instance", "0", "3.0 s", "3.0 s", "0 of 1", "-"},
	}
	if !there || len(table.Rows) != len(want) {
		t.Fatalf("%v %v", there, table)
	}
	for i, row := range table.Rows {
		if !slices.Equal(row, want[i]) {
			t.Errorf("%q, want %q", row, want[i])
		}
	}
	if _, there := failovers(survivals[:1], numbers); there {
		t.Error("a table of no server on Kubernetes")
	}
	if got := replication(nil, "async") + replication(numbers.Experiment, "other"); got != "" {
		t.Error(got)
	}
}

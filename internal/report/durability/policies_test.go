package durability

import (
	"strings"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/report/show"
)

// loadOf returns a cell of 20 clients.
func loadOf(workload string) show.Cell {
	return show.Cell{Cell: experiment.Cell{Workload: workload, Clients: 20, Threads: 1}}
}

// TestPoliciesBesideTheirCosts checks that the performance and the losses of an environment are
// in one row. Without injected faults it has no figures of losses.
func TestPoliciesBesideTheirCosts(t *testing.T) {
	numbers := &show.Numbers{
		Workloads: []show.Workload{{Name: "set", Label: "SET"}, {Name: "get", Label: "GET"}},
		Environments: []show.Environment{
			{Name: "none", Cells: []show.Cell{loadOf("set"), loadOf("get")}},
			{Name: "split", Cells: []show.Cell{loadOf("set"), loadOf("get")}},
		},
	}
	survivals := []record.Survival{{Environment: "none", Durability: record.Durability{Injections: []record.Injection{
		{Acknowledged: 100, Found: 10}, {Acknowledged: 100, Found: 100}, {Acknowledged: 100, Found: 70},
	}}}}
	table, there := policies(numbers, survivals)
	if !there || len(table.Columns) != 8 || len(table.Rows) != 2 {
		t.Fatalf("%v %v", there, table)
	}
	if got := strings.Join(table.Rows[0][5:], " | "); got != "2 of 3 | 90 | 30" {
		t.Error(got)
	}
	if got := strings.Join(table.Rows[1][5:], " | "); got != "- | - | -" {
		t.Error(got)
	}
	numbers.Environments[0].Cells[1].Clients = 1
	if _, there := policies(numbers, survivals); there {
		t.Error("of several loads none is the one of a policy")
	}
	if _, there := policies(numbers, nil); there {
		t.Error("nothing was survivals")
	}
}

package fidelity

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"plinth/internal/device"
	"plinth/internal/experiment"
	"plinth/internal/prediction/closed"
	"plinth/internal/prediction/demand"
	"plinth/internal/unit"
)

// limitedCell is a cell that is bound by 500 IOPS, as measured in an environment with a throughput that differs a little
// from block to block.
func limitedCell(environment string, tps float64) Measured {
	disk := device.Device{Name: "disk", Read: device.Latency{Median: unit.Duration(time.Millisecond)}, Write: device.Latency{Median: unit.Duration(time.Millisecond)}, IOPS: device.Limit{Rate: 500}}
	c := demand.Cell{Environment: environment, Cell: experiment.Cell{Workload: "simple-update", Clients: 8, Threads: 1}}
	c.System = closed.System{Clients: 8, Threads: 1, CPUs: 2, Data: disk, Demand: closed.Demand{Client: 20 * time.Microsecond, Server: 200 * time.Microsecond, Statements: 5, WALBytes: 3000, Commits: 1}}
	for i := range 6 {
		x := tps * (1 + 0.001*float64(i))
		mean := 8 / x
		c.Runs = append(c.Runs, demand.Run{Repeat: i + 1, TPS: x, Mean: mean, P50: mean, P95: mean * 1.5, P99: mean * 2})
	}
	return Measured{Cell: c}
}

// TestBindings compares what helps most in the model with what did in the measurement.
func TestBindings(t *testing.T) {
	iops := []Measured{limitedCell("a", 2000), limitedCell("a-iops", 3800), limitedCell("a-latency", 2050), limitedCell("a-cpus", 2010), limitedCell("a-sideways", 9000)}
	cpus := []Measured{limitedCell("b", 2000), limitedCell("b-iops", 2010), limitedCell("b-cpus", 3000)}
	tie := []Measured{limitedCell("c", 2000), limitedCell("c-iops", 3800), limitedCell("c-cpus", 3800)}
	all := Bindings(slices.Concat(iops, cpus, tie))
	if len(all) != 3 {
		t.Fatalf("%+v", all)
	}
	for i, want := range []string{"data iops", "cpu", ""} {
		if all[i].Measured != want || all[i].Predicted != "data iops" {
			t.Errorf("%s: measured %q, predicted %q", all[i].Environment, all[i].Measured, all[i].Predicted)
		}
	}
	table, right, known := BindingTable(all)
	if right != 1 || known != 2 || strings.Count(table, "(binds)") != 2 || strings.Contains(table, "9000") {
		t.Errorf("%d of %d:\n%s", right, known, table)
	}
}

// TestInterpolated draws lines between disks of 1 and 4 ms with 1000 and 250 TPS, and beyond.
func TestInterpolated(t *testing.T) {
	at := func(name string, latency time.Duration, tps float64) Measured {
		c := limitedCell(name, tps)
		c.System.Data = device.Device{Name: name, Write: device.Latency{Median: unit.Duration(latency)}}
		return c
	}
	fast, slow := at("fast", time.Millisecond, 1000), at("slow", 4*time.Millisecond, 250)
	for latency, want := range map[time.Duration]float64{2 * time.Millisecond: 500, 8 * time.Millisecond: 125, time.Millisecond / 2: 2000} {
		if got := byInterpolation([]Measured{fast, slow}, at("x", latency, 1)); math.Abs(got/want-1) > 0.01 {
			t.Errorf("%v: %v, want %v", latency, got, want)
		}
	}
	if got := byInterpolation([]Measured{fast}, slow); !math.IsNaN(got) {
		t.Errorf("from one disk: %v", got)
	}
}

// TestCapturedBinds replays a measurement in which 500 IOPS, a flush of 4 ms and one CPU bound the server.
func TestCapturedBinds(t *testing.T) {
	table, right, known := BindingTable(Bindings(captured(t, "binds-first")))
	if known != 7 || right != known {
		t.Errorf("%d of %d:\n%s", right, known, table)
	}
}

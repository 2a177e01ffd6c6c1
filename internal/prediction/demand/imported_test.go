package demand

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"plinth/internal/device"
	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/unit"
)

// elsewhere returns a record of one imported run: 8 clients, 1,000 TPS, a mean latency of 8 ms, on a disk whose durable
// write takes 1 ms and 3 ms.
func elsewhere() *record.Record {
	disk := device.Device{Name: "disk", Write: device.Latency{Median: unit.Duration(time.Millisecond)}, WriteCache: true, Flush: device.Latency{Median: unit.Duration(3 * time.Millisecond)}}
	e := record.Environment{Name: "x", Kind: record.BasisImported, Server: "PostgreSQL", Facts: map[string]string{"cpus": "4"},
		Volumes: []record.Volume{{Role: "data", Is: &record.Said{Model: disk, Source: "fio, imported"}}}}
	run := record.Run{RunID: record.RunID{Environment: "x", Cell: experiment.Cell{Workload: "tpcb-like", Clients: 8, Threads: 2}, Repeat: 1}, Status: record.Valid}
	run.Result.TPS, run.Result.Latency.Mean = 1000, 8.1e6
	return &record.Record{ExperimentYAML: []byte("imported: true\ndataset: {scale: 20}\n"), Environments: map[string]record.Environment{"x": e}, Runs: []record.Run{run}}
}

// TestImported: clients, locks and the disk are known, the rest is said to be assumed.
func TestImported(t *testing.T) {
	rec := elsewhere()
	c, err := Of(rec, "x", rec.Runs[0].Cell)
	if err != nil {
		t.Fatal(err)
	}
	s := c.System
	if s.Clients != 8 || s.CPUs != 4 || s.Server != 0 || s.Delay != 0 || s.Statements != 7 || s.Commits != 1 || s.WALBytes != 5000 || s.Reads != 0 || s.Data.Name != "disk" {
		t.Errorf("%+v", s)
	}
	if len(s.Locks) != 2 || s.Locks[0].Rows != 200 || s.Locks[1].Rows != 20 {
		t.Errorf("%+v", s.Locks)
	}
	if len(c.Runs) != 1 || math.Abs(c.Runs[0].Mean-0.008) > 1e-9 || c.Runs[0].TPS != 1000 || c.Runs[0].P95 != 0 {
		t.Errorf("%+v", c.Runs)
	}
	text := strings.Join(c.Assumed, "\n")
	for _, want := range []string{"on disk, where a durable write takes 4 ms (fio, imported)", "writes 5 kB of WAL", "the server had 4 CPUs"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	delete(rec.Environments["x"].Facts, "cpus")
	if c, err = Of(rec, "x", rec.Runs[0].Cell); err != nil || c.System.CPUs != 80 || !slices.ContainsFunc(c.Assumed, func(a string) bool { return strings.Contains(a, "the number of CPUs is not known") }) {
		t.Errorf("%+v, %v, %v", c.System, c.Assumed, err)
	}
}

// TestImportedRefused: what an imported run lacks.
func TestImportedRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*record.Record, *record.Environment)
		want   string
	}{
		"reads":   {func(r *record.Record, _ *record.Environment) { r.Runs[0].Workload = "select-only" }, "an imported run of select-only lacks what its transactions write"},
		"own":     {func(r *record.Record, _ *record.Environment) { r.Runs[0].Workload = "mine.sql" }, "an imported run of mine.sql lacks"},
		"clients": {func(r *record.Record, _ *record.Environment) { r.Runs[0].Clients = 0 }, "the number of clients"},
		"rate":    {func(r *record.Record, _ *record.Environment) { r.Runs[0].Rate = 100 }, "a run at a fixed rate"},
		"Redis":   {func(_ *record.Record, e *record.Environment) { e.Server = "Redis" }, "exist for PostgreSQL, not for Redis"},
		"disk":    {func(_ *record.Record, e *record.Environment) { e.Volumes = nil }, "the record does not say on which disk"},
		"model":   {func(_ *record.Record, e *record.Environment) { e.Volumes[0].Is.Model.Write.Median = -1 }, "the model of the data disk of x is impossible"},
		"scale":   {func(r *record.Record, _ *record.Environment) { r.ExperimentYAML = []byte("imported: true\n") }, "the scale of the imported run is not known"},
		"CPUs":    {func(_ *record.Record, e *record.Environment) { e.Facts["cpus"] = "many" }, `is not a number of CPUs: "many"`},
		"latency": {func(r *record.Record, _ *record.Environment) { r.Runs[0].Result.Latency.Mean = 1e6 }, "8 clients / 1000.0 TPS = 8 ms, but the mean latency"},
		"invalid": {func(r *record.Record, _ *record.Environment) { r.Runs[0].Status = record.Invalid }, "has no valid run"},
	} {
		rec := elsewhere()
		e := rec.Environments["x"]
		tc.change(rec, &e)
		rec.Environments["x"] = e
		if _, err := Of(rec, "x", rec.Runs[0].Cell); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// simple-update locks no row that another one needs, whatever the scale is.
	rec := elsewhere()
	rec.ExperimentYAML, rec.Runs[0].Workload = nil, "simple-update"
	if c, err := Of(rec, "x", rec.Runs[0].Cell); err != nil || len(c.System.Locks) != 0 || c.System.Statements != 5 {
		t.Errorf("%+v, %v", c.System, err)
	}
}

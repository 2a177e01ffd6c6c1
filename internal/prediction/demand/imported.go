package demand

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/prediction/closed"
	"plinth/internal/record"
	"plinth/internal/unit"
)

// importedWAL is the WAL of a transaction of an imported run, in bytes: pgbench's scripts write 5 to 9 kB soon after a
// checkpoint (docs/fidelity.md), and less later.
const importedWAL = 5000

// agree is by how much clients / TPS and the mean latency of an imported run may differ.
const agree = 0.05

// ofImported reads a cell that others measured. The CPU time of its transactions is not known: System lacks that and
// the delay, and Assumed lists the assumptions.
func ofImported(rec *record.Record, e record.Environment, cell experiment.Cell) (Cell, error) {
	c := Cell{Environment: e.Name, Cell: cell}
	if err := c.importable(e); err != nil {
		return c, err
	}
	s := closed.System{Clients: c.Clients, Sync: syncTime, Demand: closed.Demand{WALBytes: importedWAL, Commits: 1}}
	if err := c.disks(&s, e); err != nil {
		return c, err
	}
	c.Assumed = append(c.Assumed,
		fmt.Sprintf("data and WAL were on %s, where a durable write takes %.3g ms (%s)", s.Data.Name, 1e3*s.Data.DurableSeconds(), namedDisk(e).Source),
		fmt.Sprintf("a transaction writes %d kB of WAL, its commit waits for the flush (synchronous_commit and fsync are on), and it reads nothing from the disk", importedWAL/1000))
	if m := s.Data.Member(); m.IOPS.Burst > 0 || m.Throughput.Burst > 0 {
		c.Assumed = append(c.Assumed, "the burst of "+m.Name+" lasted throughout the run")
	}
	if err := c.importedCPUs(&s, e); err != nil {
		return c, err
	}
	if err := c.importedLocks(&s, rec, e); err != nil {
		return c, err
	}
	c.System = s
	for i := range rec.Runs {
		run := &rec.Runs[i]
		if run.Environment != e.Name || run.Cell != cell || run.Status != record.Valid || run.Result.TPS <= 0 {
			continue
		}
		one, err := importedRun(run)
		if err != nil {
			return c, err
		}
		c.Runs = append(c.Runs, one)
	}
	if len(c.Runs) == 0 {
		return c, hint.Errorf("plinth show lists the cells that were measured", "%s in %s has no valid run", cell, e.Name)
	}
	return c, nil
}

// importable refuses cells of which too little is known.
func (c *Cell) importable(e record.Environment) error {
	if err := readable(e, c.Cell); err != nil {
		return err
	}
	switch {
	case e.Server != "PostgreSQL":
		return fmt.Errorf("predictions from what others measured exist for PostgreSQL, not for %s", e.Server)
	case c.Workload != "tpcb-like" && c.Workload != "simple-update":
		return hint.Errorf("measure the workload once with plinth run, and predict from that",
			"an imported run of %s lacks what its transactions write, read and lock; that is known only of pgbench's tpcb-like and simple-update", c.Workload)
	case c.Clients < 1:
		return hint.Errorf("state it: plinth import --facts clients=N", "the number of clients of %s is not known", c.Workload)
	case namedDisk(e) == nil:
		return hint.Errorf("name the disk: --from-device gp3; or import the output of fio beside it, of a job with --fdatasync=1",
			"the record does not say on which disk %s was measured, or how long a durable write takes there", e.Name)
	}
	return nil
}

// namedDisk returns the disk of the data as fio's output or the user describes it; nil if neither does.
func namedDisk(e record.Environment) *record.Said {
	at := slices.IndexFunc(e.Volumes, func(v record.Volume) bool { return v.Role == experiment.RoleData && v.Is != nil })
	if at < 0 {
		return nil
	}
	return e.Volumes[at].Is
}

// importedRun returns the result of a run. Its mean latency follows from its clients and its throughput, because not
// all outputs have a mean; outputs without a log have no percentiles.
func importedRun(run *record.Run) (Run, error) {
	l, mean := run.Result.Latency, float64(run.Clients)/run.Result.TPS
	if l.Mean > 0 && math.Abs(l.Mean/1e9/mean-1) > agree {
		return Run{}, hint.Errorf("correct the output, or leave the run out", "%d clients / %.1f TPS = %s ms, but the mean latency of %s is %s ms: one of them is not of this run",
			run.Clients, run.Result.TPS, unit.Digits(1e3*mean, 3), run.Path(), unit.Digits(l.Mean/1e6, 3))
	}
	return Run{Repeat: run.Repeat, TPS: run.Result.TPS, Mean: mean, P50: float64(l.P50) / 1e9, P95: float64(l.P95) / 1e9, P99: float64(l.P99) / 1e9}, nil
}

// unlimitedCPUs is how many CPUs there are for a client if none waits for one: as many more clients may be asked for.
const unlimitedCPUs = 10

// importedCPUs finds the CPUs of the server, which the fact cpus states. If it does not, no transaction waits for one.
func (c *Cell) importedCPUs(s *closed.System, e record.Environment) error {
	text, known := e.Facts["cpus"]
	if !known {
		s.CPUs = unlimitedCPUs * c.Clients
		c.Assumed = append(c.Assumed, "no transaction waits for a CPU, since the number of CPUs is not known (plinth import --facts cpus=N states it): a faster disk may do less than this")
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > 4096 {
		return hint.Errorf("correct it: plinth import --facts cpus=4", "the fact cpus of %s is not a number of CPUs: %q", e.Name, text)
	}
	s.CPUs = n
	c.Assumed = append(c.Assumed, fmt.Sprintf("the server had %d CPUs (cpus, as stated) for itself", n))
	return nil
}

// importedLocks adds the rows that a script locks, whose number follows from the scale.
func (c *Cell) importedLocks(s *closed.System, rec *record.Record, e record.Environment) error {
	var stated struct {
		Dataset struct {
			Scale int `yaml:"scale"`
		} `yaml:"dataset"`
	}
	// The experiment as such would have a usual scale, which says nothing of what others measured.
	if err := yaml.Unmarshal(rec.ExperimentYAML, &stated); err != nil {
		return fmt.Errorf("cannot read the scale of the imported run: %w", err)
	}
	if scale := stated.Dataset.Scale; scale < 1 && c.Workload == "tpcb-like" {
		return hint.Errorf("import an output with the line \"scaling factor\"", "the scale of the imported run is not known, on which the waits of tpcb-like for row locks depend")
	}
	e.Dataset.Rows = int64(cmp.Or(stated.Dataset.Scale, 1)) * 100000
	return locks(s, c.Workload, e, reading{})
}

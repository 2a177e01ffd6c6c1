// Package demand reads from the runs of a cell what a transaction needs: CPU time, WAL, reads, row locks. A
// prediction takes these demands to another disk or machine.
package demand

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"plinth/internal/device"
	"plinth/internal/experiment"
	"plinth/internal/figure/window"
	"plinth/internal/hint"
	"plinth/internal/prediction/closed"
	"plinth/internal/record"
)

// Cell holds the results of the runs of one cell in one environment, and the demands of their transactions, as means
// over the runs.
type Cell struct {
	Environment string
	experiment.Cell
	Runs []Run
	// System is the server with its load, but for the delay of a transaction, which only a simulation shows.
	System closed.System
	// Pipeline is the number of requests that a client sends at once, which are one transaction of System; 0 for one.
	Pipeline float64 `json:",omitempty"`
	// Images says how the WAL of a transaction depends on the throughput; nil if that is not known.
	Images *Images `json:",omitempty"`
	// Course says how the throughput changes while the load lasts; nil if that is not known.
	Course Course `json:",omitempty"`
	// Accounts says how the reads of a transaction depend on the room in the caches; nil if that is not known.
	Accounts *Accounts `json:",omitempty"`
	// Saving is nil if no child process of Redis wrote anything.
	Saving *Saving `json:",omitempty"`
	// Data and WAL hold the operations and bytes of a transaction of System on the disk of the data, and on that of the WAL
	// if it has its own; zero if they were not measured.
	Data, WAL device.Used `json:",omitzero"`
	// Assumed lists what is taken for granted of an imported cell. Its System lacks the CPU time of a transaction.
	Assumed []string `json:",omitempty"`
}

// Run holds the results of one run. Latencies are in seconds.
type Run struct {
	Repeat              int
	TPS                 float64
	Mean, P50, P95, P99 float64
}

// Of reads the cell of an environment from the valid runs of a record.
func Of(rec *record.Record, environment string, cell experiment.Cell) (Cell, error) {
	c := Cell{Environment: environment, Cell: cell}
	env, found := rec.Environments[environment]
	if !found {
		return c, fmt.Errorf("there is no environment %q", environment)
	}
	if env.Kind == record.BasisImported {
		return ofImported(rec, env, cell)
	}
	if err := readable(env, cell); err != nil {
		return c, err
	}
	server := servers[env.Server]
	var all []reading
	for i := range rec.Runs {
		run := &rec.Runs[i]
		if run.Environment != environment || run.Cell != cell || run.Status != record.Valid || run.Result.TPS <= 0 {
			continue
		}
		r, err := read(rec, run, server.used)
		if err != nil {
			return c, err
		}
		all = append(all, r)
		l := run.Result.Latency
		c.Runs = append(c.Runs, Run{Repeat: run.Repeat, TPS: run.Result.TPS, Mean: l.Mean / 1e9,
			P50: float64(l.P50) / 1e9, P95: float64(l.P95) / 1e9, P99: float64(l.P99) / 1e9})
	}
	if len(all) == 0 {
		return c, hint.Errorf("plinth show lists the cells that were measured", "%s in %s has no valid run", cell, environment)
	}
	if err := server.system(&c, rec, env, mean(all)); err != nil {
		return c, err
	}
	c.Course = course(rec, environment, cell)
	if c.System.WALBytes > 0 && c.System.Loop == nil {
		c.Images = images(rec, environment, cell.Workload)
	}
	return c, nil
}

// server is a server for which predictions exist.
type server struct {
	used   func(*window.Window) (reading, error)                          // reads what a run used
	system func(*Cell, *record.Record, record.Environment, reading) error // makes the system of what runs used
}

// servers are these by name.
var servers = map[string]server{
	"PostgreSQL": {used, (*Cell).system},
	"Redis":      {usedByRedis, (*Cell).redis},
	"Valkey":     {usedByRedis, (*Cell).redis},
}

// MostClients is the most clients that a prediction may have.
const MostClients = 10000

// readable refuses what the model does not cover.
func readable(e record.Environment, cell experiment.Cell) error {
	_, known := servers[e.Server]
	switch {
	case !known:
		return fmt.Errorf("predictions exist for PostgreSQL, Redis and Valkey, not for %s", e.Server)
	case cell.Clients > MostClients:
		return fmt.Errorf("%d clients are too many: a prediction can have %d", cell.Clients, MostClients)
	case cell.Rate > 0:
		return hint.Errorf("predict from a run without rate", "a run at a fixed rate does not show how fast it could be")
	case e.Elsewhere:
		return hint.Errorf("run it with at: ssh://HOST, so that an agent reads that machine", "the server is on a machine that plinth did not read")
	case e.Limits != nil && (e.Limits.CPUQuota > 0 || e.Limits.CPUCredits != nil):
		return hint.Errorf("limit the CPUs with cpus instead", "a CPU quota stops the server in bursts, which the model does not cover")
	case slices.ContainsFunc(e.Volumes, func(v record.Volume) bool { return strings.HasPrefix(v.Role, "tablespace") }):
		return fmt.Errorf("the model has no tablespaces on disks of their own; %s has one", e.Name)
	case e.Server == "PostgreSQL" && e.Replica != nil:
		return fmt.Errorf("the model has no standby; %s has one", e.Name)
	case e.Pressure != nil:
		return fmt.Errorf("the model has no neighbour; %s has one", e.Name)
	}
	return nil
}

// used notes what one of so many transactions a second used of the disks.
func (c *Cell) used(r reading, transactions float64) {
	c.Data = device.Used{Operations: (r.reads + r.writes) / transactions, Bytes: (r.readBytes + r.writeBytes) / transactions}
	c.WAL = device.Used{Operations: r.walOperations / transactions, Bytes: r.walBytes / transactions}
}

// syncTime is the CPU time of a flush in the server: two system calls, waking up the process that waits, and letting
// the others go. The backends' CPU time includes it.
const syncTime = 40 * time.Microsecond

// system makes the system of what runs used.
func (c *Cell) system(rec *record.Record, e record.Environment, r reading) error {
	s := closed.System{Clients: c.Clients, Threads: c.Threads, Sync: syncTime}
	if err := c.processors(&s, rec, e); err != nil {
		return err
	}
	if err := c.disks(&s, e); err != nil {
		return err
	}
	each := func(used float64) time.Duration { return time.Duration(used / r.tps * 1e9) }
	s.Client = each(r.generator)
	s.Server = each(max(0, r.backends-r.own-r.syncs*syncTime.Seconds()))
	s.Background = max(0, r.server-r.backends) + r.own + max(0, r.plinth-r.emulators) + r.others
	s.Statements = int(math.Round(r.statements))
	s.Think = time.Duration(r.think * 1e9)
	r.emulation(&s)
	if s.Server <= 0 {
		return fmt.Errorf("the CPU time of a transaction is not known")
	}
	exp, err := rec.Experiment()
	if err != nil {
		return err
	}
	script := c.builtin(exp)
	if script != "select-only" { // what WAL there is beside it is not its own
		if err := c.commits(&s, exp, e, r); err != nil {
			return err
		}
	}
	if script != "" {
		c.Accounts = accounts(e)
	}
	if s.Reads = r.reads / r.tps; s.Reads > 0 {
		s.ReadSize = int64(r.readBytes / r.reads)
	}
	c.background(&s, r)
	if err := locks(&s, script, e, r); err != nil {
		return err
	}
	c.System = s
	c.used(r, r.tps)
	return nil
}

const (
	// copyTime is the CPU time that an emulator takes to copy 1024 bytes, and idling its CPU time a second beside
	// operations: while there is work, its threads wake up every few milliseconds. Both are from the emulators of the disks
	// on which the model was developed, whose CPU time for an operation was 110 to 680 µs, depending on its size and on how
	// many there were a second.
	copyTime = 900 * time.Nanosecond
	idling   = 0.02
)

// emulation finds the CPU time of emulated disks.
func (r reading) emulation(s *closed.System) {
	if r.answered == 0 {
		return
	}
	fixed := min(idling*r.working, r.emulators/2)
	each := (r.emulators - fixed) / r.answered
	copied := copyTime.Seconds() * r.moved / 1024 / r.answered
	s.Background, s.Copy = s.Background+fixed, copyTime
	if copied > each/2 {
		s.Copy = time.Duration(float64(copyTime) * each / 2 / copied)
		copied = each / 2
	}
	s.Path = time.Duration((each - copied) * 1e9)
}

// commits finds how many transactions wait for a flush of the WAL. A flush serves each client once at most, which
// bounds their share; those that only read do not wait (PostgreSQL documentation, "WAL Configuration").
func (c *Cell) commits(s *closed.System, exp *experiment.Experiment, e record.Environment, r reading) error {
	for _, name := range []string{"synchronous_commit", "fsync"} {
		switch {
		case e.Settings[name] != "off":
		case r.wal/r.tps > much:
			return hint.Errorf("predict from a reference with "+name+" = on",
				"with %s = off no transaction waits for the WAL: what happens when the disk falls behind is not in the model", name)
		default:
			return nil
		}
	}
	s.Commits = min(c.writing(exp), r.syncs*float64(c.Clients)/r.tps)
	if s.Commits < few {
		s.Commits = 0
		if r.wal/r.tps > much {
			return hint.Errorf("PostgreSQL counts them from version 14 on, with wal_sync_method = fdatasync or fsync", "transactions write WAL, but the flushes of the WAL were not counted")
		}
		return nil
	}
	s.WALBytes = r.wal / r.tps / s.Commits
	return nil
}

// much is the WAL of a transaction, in bytes, that a read does not write: hint bits and pruning are less.
const much = 200

// background finds the writes that no transaction waits for: what is left of the data's disk without the WAL. A
// flush writes up to a block more than its WAL, so that a small rest is none.
func (c *Cell) background(s *closed.System, r reading) {
	operations, bytes := r.writes, r.writeBytes
	if s.WAL == nil && s.WALBytes > 0 {
		operations, bytes = operations-r.syncs, bytes-r.wal-r.syncs*closed.BlockSize
	}
	if operations > 1 && operations > 0.02*r.writes && bytes > 0.05*r.writeBytes {
		s.Writes, s.WriteSize = operations/r.tps, int64(min(bytes/operations, 1<<20))
	}
}

// processors finds the CPUs.
func (c *Cell) processors(s *closed.System, rec *record.Record, e record.Environment) error {
	for i := range rec.Runs {
		if v := rec.Runs[i].Evidence; v != nil && rec.Runs[i].Environment == e.Name && v.Machine.CPUs > 0 {
			s.CPUs = v.Machine.CPUs
			break
		}
	}
	if s.CPUs == 0 {
		return fmt.Errorf("the number of CPUs is not recorded")
	}
	if l := e.Limits; l != nil && l.CPUs != "" && !l.Shared {
		own := l.CPUCount()
		if own == 0 {
			return fmt.Errorf("the CPUs of the server are not recorded: %q", l.CPUs)
		}
		s.Others = max(1, s.CPUs-own)
		s.CPUs = own
	}
	return nil
}

// disks finds the models of the disks.
func (c *Cell) disks(s *closed.System, e record.Environment) error {
	for _, role := range []string{"data", "wal"} {
		i := slices.IndexFunc(e.Volumes, func(v record.Volume) bool { return v.Role == role })
		if i < 0 {
			continue
		}
		model, known := e.Volumes[i].Model()
		if !known {
			return hint.Errorf("probe it (plinth probe), and say in the experiment which disk it is: storage: {data: {is: FILE}}",
				"the model of the %s disk is not known", role)
		}
		if err := model.Check(); err != nil { // the record may come from anywhere
			return fmt.Errorf("the model of the %s disk of %s is impossible: %w", role, e.Name, err)
		}
		if role == "data" {
			s.Data = model
		} else {
			s.WAL = &model
		}
	}
	return nil
}

// Mean returns the mean of a figure over the runs.
func (c Cell) Mean(of func(Run) float64) float64 {
	sum := 0.0
	for _, r := range c.Runs {
		sum += of(r)
	}
	return sum / float64(len(c.Runs))
}

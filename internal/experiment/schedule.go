package experiment

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"

	"plinth/internal/unit"
)

// Slot is one run of the schedule.
type Slot struct {
	Repeat      int // from 1
	Cell        Cell
	Environment string
	Position    int // position of this environment in its block, from 1
}

// Schedule holds the runs of an experiment in execution order, one slice per repeat.
type Schedule [][]Slot

// Runs returns the number of runs.
func (s Schedule) Runs() int {
	n := 0
	for _, repeat := range s {
		n += len(repeat)
	}
	return n
}

// Schedule returns the runs in execution order. It depends on the experiment alone, including its
// seed. Each repeat has its own random stream, so increasing repeats keeps the order of the earlier
// ones.
func (e *Experiment) Schedule() Schedule {
	cells := e.Cells()
	schedule := make(Schedule, e.Repeats)
	for i := range schedule {
		repeat := i + 1
		random := rand.New(rand.NewPCG(e.Seed, uint64(repeat)))
		if e.Interleave == "repeat" {
			schedule[i] = e.environmentByEnvironment(repeat, cells, random)
		} else {
			schedule[i] = e.blockByBlock(repeat, cells, random)
		}
	}
	return schedule
}

// blockByBlock runs every environment in each cell, back to back.
func (e *Experiment) blockByBlock(repeat int, cells []Cell, random *rand.Rand) []Slot {
	var slots []Slot
	for _, c := range random.Perm(len(cells)) {
		for position, env := range random.Perm(len(e.Environments)) {
			slots = append(slots, Slot{repeat, cells[c], e.Environments[env].Name, position + 1})
		}
	}
	return slots
}

// environmentByEnvironment runs all cells in one environment, then in the next. Every environment
// gets the cells in the same order, so that the runs of a block are equally far apart.
func (e *Experiment) environmentByEnvironment(repeat int, cells []Cell, random *rand.Rand) []Slot {
	var slots []Slot
	order := random.Perm(len(cells))
	for position, env := range random.Perm(len(e.Environments)) {
		for _, c := range order {
			slots = append(slots, Slot{repeat, cells[c], e.Environments[env].Name, position + 1})
		}
	}
	return slots
}

// Cell is one point of the matrix. It is comparable and serves as a map key. A Rate of 0 means a
// closed loop.
type Cell struct {
	Workload string  `json:"workload"`
	Clients  int     `json:"clients"`
	Threads  int     `json:"threads"`
	Rate     float64 `json:"rate,omitempty"` // target rate in transactions per second
}

// Path returns the directory of the cell's runs within a record: "tpcb-like/c10-j4", or
// "tpcb-like/c10-j4-rate500" for an open loop.
func (c Cell) Path() string {
	path := fmt.Sprintf("%s/c%d-j%d", c.Workload, c.Clients, c.Threads)
	if c.Rate > 0 {
		path += "-rate" + plainFloat(c.Rate)
	}
	return path
}

// String returns the cell in words: "tpcb-like, 10 clients, 4 threads, 500/s".
func (c Cell) String() string {
	text := fmt.Sprintf("%s, %s, %s", c.Workload, unit.Count(c.Clients, "client"), unit.Count(c.Threads, "thread"))
	if c.Rate > 0 {
		text += ", " + plainFloat(c.Rate) + "/s"
	}
	return text
}

// Cells returns the matrix in the order of the file: workloads, then clients, then threads, then
// rates. It skips pairs with more threads than clients, because pgbench cannot share one connection
// between threads.
func (e *Experiment) Cells() []Cell {
	if len(e.Only) > 0 {
		return e.onlyCells()
	}
	rates := e.Rates
	if len(rates) == 0 {
		rates = []float64{0}
	}
	var cells []Cell
	for _, w := range e.Workloads {
		for _, clients := range e.Clients {
			for _, threads := range e.Threads {
				if threads > clients {
					continue
				}
				for _, rate := range rates {
					cells = append(cells, Cell{w.Name, clients, threads, rate})
				}
			}
		}
	}
	return cells
}

// cellPath matches what Path returns.
var cellPath = regexp.MustCompile(`^([^/]+)/c(\d{1,9})-j(\d{1,9})(?:-rate(\d+(?:\.\d+)?))?$`)

// onlyCells returns the cells of an imported record. What is no path of a cell is left out.
func (e *Experiment) onlyCells() []Cell {
	var cells []Cell
	for _, path := range e.Only {
		m := cellPath.FindStringSubmatch(path)
		if m == nil {
			continue
		}
		clients, _ := strconv.Atoi(m[2]) // at most nine digits
		threads, _ := strconv.Atoi(m[3])
		rate, _ := strconv.ParseFloat(cmp.Or(m[4], "0"), 64)
		cells = append(cells, Cell{m[1], clients, threads, rate})
	}
	return cells
}

// plainFloat formats f without an exponent, with the fewest digits that parse back to f.
func plainFloat(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// OwnSessions is the number of connections that plinth itself opens beside the load's: a permanent
// one, and one that reads the server's statistics during the load or, after it, checks that the
// server still accepts connections.
const OwnSessions = 2

// How many connections a PostgreSQL server of plinth's own allows, unless the experiment sets
// max_connections.
const (
	leastConnections = 100 // PostgreSQL's own default
	spareConnections = 8   // beyond the maximum needed
)

// EnoughConnections returns the default max_connections of PostgreSQL servers that plinth creates.
func (e *Experiment) EnoughConnections() int {
	return max(leastConnections, e.Connections()+OwnSessions+len(e.Events)+spareConnections)
}

// Connections returns the maximum number of connections that the load has open at once: one per
// client, or two if each transaction reconnects, because the previous connection may not be closed
// yet.
func (e *Experiment) Connections() int {
	if len(e.Clients) == 0 {
		return 0
	}
	most := slices.Max(e.Clients)
	if e.Connect == "each" {
		most *= 2
	}
	return most
}

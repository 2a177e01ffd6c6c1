package prediction

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"plinth/internal/hint"
	"plinth/internal/prediction/closed"
	"plinth/internal/prediction/demand"
	"plinth/internal/unit"
)

// model is a way to explain the reference: a system, and the result of its simulation.
type model struct {
	closed.System
	reference outcome
}

// outcome holds the result of a simulation. Times are in seconds.
type outcome struct {
	tps, mean, p50, p95, p99 float64
	result                   closed.Result
}

// A simulation is as long as its noise allows, which is about 1 %: so many transactions, after those of the warm-up.
const (
	transactions = 12000
	warmUp       = 300 * time.Millisecond
	longest      = 600 * time.Second // of simulated time
	seed         = 20261127
	// manyReads is the number of reads of a transaction from which fewer transactions are simulated.
	manyReads = 20
	// fewest is the number of transactions below which a simulation says nothing.
	fewest = 100
)

// atOnce calls f with the numbers from 0 to n-1, as many at once as there are CPUs.
func atOnce(n int, f func(i int)) {
	var all sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i := range n {
		free <- struct{}{}
		all.Go(func() {
			defer func() { <-free }()
			f(i)
		})
	}
	all.Wait()
}

func simulate(s closed.System, transactions int) outcome {
	warmUp := warmUp
	if s.Loop != nil && s.WALBytes == 0 {
		warmUp /= 10 // nothing waits for a disk, and a second has a hundred thousand requests
	}
	transactions = max(transactions, 40*s.Clients)
	if s.Reads > manyReads {
		transactions = max(fewest, int(float64(transactions)*manyReads/s.Reads))
	}
	if s.Think > 0 {
		transactions = min(transactions, max(fewest, int(float64(s.Clients)*float64(time.Hour)/float64(s.Think))))
	}
	thinking := time.Duration(transactions/s.Clients+1) * s.Think
	r := closed.Run(s, seed, closed.Length{WarmUp: warmUp + 2*s.Think, Time: longest + thinking, Transactions: transactions})
	q := r.Quantiles(0.5, 0.95, 0.99)
	return outcome{tps: r.TPS(), mean: r.Mean().Seconds(), p50: q[0].Seconds(), p95: q[1].Seconds(), p99: q[2].Seconds(), result: r}
}

// variants are the ways in which a reference may be explained. The measurement does not tell them apart, so that
// how much they differ elsewhere is part of the interval.
var variants = []func(s closed.System, latency float64) closed.System{
	// What the simulation lacks is CPU time, or a delay.
	busier,
	delayed,
	// The same if processes that have waited longer get a CPU before others.
	func(s closed.System, latency float64) closed.System { return busier(fair(s), latency) },
	func(s closed.System, latency float64) closed.System { return delayed(fair(s), latency) },
}

func fair(s closed.System) closed.System {
	s.Fair = true
	return s
}

const (
	// misfit is the ratio of the simulated to the measured latency beyond which the model does not explain a reference.
	misfit = 3
	// roughly is the number of transactions of a simulation that only has to find a time.
	roughly = transactions / 3
	// busiest is the factor by which CPU times may be changed to explain a reference: what it leaves is in proportion to
	// what the simulation has.
	busiest = 1.25
	// bisections find a factor between 1/busiest and busiest within 1 %.
	bisections = 5
)

// NewReference finds what the model lacks to explain a measured cell.
func NewReference(c demand.Cell) (*Reference, error) {
	if len(c.Assumed) > 0 {
		return newAssumed(c)
	}
	measured := c.Mean(func(r demand.Run) float64 { return r.Mean })
	ref := &Reference{Cell: c}
	own := func(mean float64) float64 { return mean - c.System.Think.Seconds() } // without think time, which the model need not explain
	parts := divisions(c.System, max(1, c.Pipeline))
	plain := simulate(peak(parts[0]), transactions) // while bursts last
	if plain.result.Transactions < fewest {
		return nil, fmt.Errorf("%s in %s completes hardly any transactions in the simulation", c.Cell, c.Environment)
	}
	if unexplained := math.Log(own(measured) / own(plain.mean)); math.Abs(unexplained) > math.Log(misfit) {
		return nil, hint.Errorf("plinth diagnose says where its time went",
			"the model does not explain %s in %s: it takes %s ms, and the model says %s ms", c.Cell, c.Environment, unit.Digits(1e3*measured, 3), unit.Digits(1e3*plain.mean, 3))
	}
	ways := variants
	if c.System.Loop != nil {
		ways = ways[:2] // a server with one thread has no processes that wait in turn
	}
	ref.models = make([]model, len(parts)*len(ways))
	atOnce(len(ref.models), func(i int) {
		m := model{System: ways[i%len(ways)](parts[i/len(ways)], measured)}
		m.reference = simulate(peak(m.System), transactions)
		ref.models[i] = m
	})
	ref.misfit = math.Log(own(measured) / own(ref.models[0].reference.mean))
	return ref, nil
}

const (
	// lockTime is the CPU time that a backend takes to wait for a row lock: it asks the lock manager, sleeps, and looks which
	// version of the row there is now. It is the difference of the CPU times of a transaction between numbers of clients, over
	// that of the numbers of these waits in the simulation (docs/prediction.md).
	lockTime = 150 * time.Microsecond
	// mostTurn is the most CPU time that a turn of Redis' thread takes beside its requests: that of the slowest machine.
	mostTurn = 10 * time.Microsecond
	// leastLeft is the share of a measured CPU time that is left without lockTime or turns. If it would be less, as with
	// faster CPUs, they take less time.
	leastLeft = 0.2
)

// A turn of Redis' thread takes CPU time beside its requests. Relative to that of a request, runs with 4, 16 and 64 clients
// suggest a little more than 1 on one machine, and a third on another. A reference, with its one number of clients, does not
// tell, so that each is a part of the variants. What is said of a prediction beside its numbers is from the short one.
const (
	shortTurn = 0.35
	longTurn  = 1.2
)

// divisions are the ways in which the measured CPU times of a system may consist of those of its transactions, and of those of
// waiting for row locks or of the turns of the server's only thread. A transaction of a pipeline has so many requests: whether a
// turn takes as long as one of them suggests, or as all do, is not known.
func divisions(s closed.System, requests float64) (all []closed.System) {
	switch {
	case s.Loop != nil:
		ratios := []float64{shortTurn / requests, longTurn}
		all = make([]closed.System, len(ratios))
		atOnce(len(all), func(i int) { all[i] = withoutTurns(s, ratios[i]) })
		return slices.CompactFunc(all, func(a, b closed.System) bool { return a.Loop.Turn == b.Loop.Turn })
	case len(s.Locks) > 0:
		return []closed.System{withoutLocks(s)}
	}
	return []closed.System{s}
}

// withoutTurns takes the turns of the server's thread out of the CPU times. A turn takes ratio times what the requests of a
// transaction take without it, but at most mostTurn. How many there are of a transaction is found by simulation, and depends a
// little on their time.
func withoutTurns(measured closed.System, ratio float64) closed.System {
	with := func(turns, wakes float64) closed.System {
		turn := min(mostTurn, scaled(measured.Server, ratio/(1+ratio*turns)))
		server, client := scaled(turn, turns), scaled(turn, wakes)
		share := min(taken(measured.Server, server), taken(measured.Client, client))
		s, loop := measured, *measured.Loop
		s.Server, s.Client = s.Server-scaled(server, share), s.Client-scaled(client, share)
		loop.Turn = scaled(turn, share)
		s.Loop = &loop
		return s
	}
	s := with(0, 0)
	for range 2 {
		r := simulate(peak(s), roughly).result
		if r.Transactions < fewest {
			return measured
		}
		s = with(float64(r.Turns)/float64(r.Transactions), float64(r.Wakes)/float64(r.Transactions))
	}
	return s
}

// withoutLocks takes the time of waiting for row locks out of the CPU time of the backends. How many waits there are of a
// transaction is found by simulation, and depends a little on their time.
func withoutLocks(measured closed.System) closed.System {
	s := measured
	s.LockWait = lockTime
	for range 2 {
		r := simulate(peak(s), roughly).result
		if r.Transactions < fewest {
			return measured
		}
		waiting := scaled(lockTime, float64(r.LockWaits)/float64(r.Transactions))
		share := taken(measured.Server, waiting)
		s.Server, s.LockWait = measured.Server-scaled(waiting, share), scaled(lockTime, share)
	}
	return s
}

// taken returns the share of a part that is taken out of a CPU time: 1, or as much as leaves leastLeft.
func taken(whole, part time.Duration) float64 {
	if most := scaled(whole, 1-leastLeft); part > most {
		return float64(most) / float64(part)
	}
	return 1
}

func scaled(t time.Duration, factor float64) time.Duration { return time.Duration(float64(t) * factor) }

// busier changes the CPU times of transactions so that they take a latency, in seconds.
func busier(s closed.System, latency float64) closed.System {
	by := func(factor float64) closed.System {
		changed := s
		changed.Server, changed.Client = scaled(s.Server, factor), scaled(s.Client, factor)
		return changed
	}
	low, high := -math.Log(busiest), math.Log(busiest)
	for range bisections {
		if middle := (low + high) / 2; simulate(peak(by(math.Exp(middle))), roughly).mean > latency {
			high = middle
		} else {
			low = middle
		}
	}
	return by(math.Exp((low + high) / 2))
}

// delayed adds the latency in seconds that a system does not explain, as a delay.
func delayed(s closed.System, latency float64) closed.System {
	s.Delay = time.Duration(max(0, latency-simulate(peak(s), transactions).mean) * 1e9)
	return s
}

// settled simulates a changed system of a model, and returns the WAL of a commit in it. That depends on the throughput,
// as walOf says, and the throughput on it where the disk of the WAL is bound by its bytes: then two more steps are enough,
// for the WAL of a transaction changes less than the throughput.
func (r *Reference) settled(m model, s closed.System, walOf func(tps float64) float64, transactions int) (now outcome, walBytes float64) {
	now = simulate(s, transactions)
	if r.Images == nil || !flows(s, now.result) {
		return now, s.WALBytes
	}
	measured := r.Mean(func(r demand.Run) float64 { return r.TPS })
	for range 2 {
		tps := measured * now.tps / m.reference.tps
		s.WALBytes = m.WALBytes * walOf(tps) / r.Images.Mean(measured)
		now = simulate(s, transactions)
	}
	return now, s.WALBytes
}

// walOf returns the mean WAL of a transaction in bytes in a run as long as those of the reference, if it depends on the
// throughput.
func (r *Reference) walOf(tps float64) float64 { return r.Images.Mean(tps) }

// flowing is the share of its throughput limit from which a disk may be bound by it, if transactions write twice as much.
const flowing = 0.3

// flows reports whether the bytes of the WAL may bind its disk.
func flows(s closed.System, r closed.Result) bool {
	_, limit := s.WALDisk().Provisioned()
	used := r.Data
	if s.WAL != nil {
		used = r.WAL
	}
	return limit > 0 && used.Bytes/r.Length.Seconds() > flowing*float64(limit)
}

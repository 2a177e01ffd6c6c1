package prediction

import (
	"fmt"
	"math"
	"time"

	"plinth/internal/hint"
	"plinth/internal/prediction/closed"
	"plinth/internal/prediction/demand"
)

const (
	// guessed is the standard deviation of the logarithm by which predictions from imported runs are less sure. It is not
	// based on measurements.
	guessed = 0.2
	// above is how much the throughput of a reference may exceed what its disk allows in the model.
	above = 1.1
	// halvings is how often the interval of a time is halved.
	halvings = 10
)

// cpuShares are the shares of a transaction's own time (without the disk and waiting) that may be CPU time. The first
// one is assumed; how much the others differ elsewhere is part of the interval.
var cpuShares = []float64{0.5, 0.25, 0.75}

// newAssumed explains a cell that others measured: clients, throughput and the disk are known, and the rest of a
// transaction's time is divided into CPU time and a delay by assumption.
func newAssumed(c demand.Cell) (*Reference, error) {
	measured := c.Mean(func(r demand.Run) float64 { return r.Mean })
	if err := possible(c, measured); err != nil {
		return nil, err
	}
	ref := &Reference{Cell: c, guessed: guessed}
	for _, share := range cpuShares {
		m := model{System: explained(c.System, share, measured)}
		if m.reference = simulate(peak(m.System), transactions); m.reference.result.Transactions < fewest {
			return nil, fmt.Errorf("%s in %s completes hardly any transactions in the simulation", c.Cell, c.Environment)
		}
		ref.models = append(ref.models, m)
	}
	ref.misfit = math.Log(measured / ref.models[0].reference.mean)
	ref.Assumed = append([]string{fmt.Sprintf("the CPU time of a transaction is assumed: %.3g ms, half of its time apart from the disk and waiting; the interval also allows for 25 %% and 75 %% of that time",
		1e3*ref.models[0].Server.Seconds())}, c.Assumed...)
	return ref, nil
}

// possible refuses a throughput that the disk does not allow, even if a transaction takes no time but for its flush.
func possible(c demand.Cell, measured float64) error {
	fastest := simulate(peak(c.System), roughly)
	if fastest.result.Transactions < fewest || measured*above >= fastest.mean {
		return nil
	}
	s := c.System
	return hint.Errorf("name the disk with --from-device; or commits did not wait for it (synchronous_commit, fsync)",
		"the throughput and the disk of %s contradict each other: a durable write on %s takes %.3g ms, so that %d clients could commit %.0f times a second, and %.0f were measured",
		c.Environment, s.Data.Name, 1e3*s.Data.DurableSeconds(), s.Clients, fastest.tps, c.Mean(func(r demand.Run) float64 { return r.TPS }))
}

// explained returns a system whose transactions take a measured latency, in seconds: it finds their own time, of
// which a share is CPU time and the rest a delay.
func explained(s closed.System, share, latency float64) closed.System {
	with := func(own float64) closed.System {
		s.Server, s.Delay = time.Duration(share*own*1e9), time.Duration((1-share)*own*1e9)
		return s
	}
	low, high := 0.0, latency
	for range halvings {
		if own := (low + high) / 2; simulate(peak(with(own)), roughly).mean > latency {
			high = own
		} else {
			low = own
		}
	}
	return with((low + high) / 2)
}

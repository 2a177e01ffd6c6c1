package fleet

import (
	"context"
	"fmt"
	"time"

	"plinth/internal/record"
	"plinth/internal/runner/site"
)

// End ends the run on the environment's machine and on those of the load generators, and compares the
// clocks again meanwhile.
func (f *Fleet) End(ctx context.Context, e site.Ending) (site.Account, error) {
	r := f.round
	if r == nil {
		return f.members[f.current].Site.End(ctx, e)
	}
	f.round = nil
	after, compared := &round{}, make(chan error, 1)
	go func() { compared <- after.compare(ctx, f) }()
	accounts, drove := make([]site.Account, len(f.members)), make(chan error, 1)
	go func() {
		drove <- f.driving(func(i int, m Member) (err error) {
			if i == f.current {
				return nil
			}
			own := e
			if c := r.toServer(f, i); !e.Begin.IsZero() {
				own.Begin, own.End = e.Begin.Add(-c.Offset), e.End.Add(-c.Offset)
			}
			accounts[i], err = m.Site.End(ctx, own)
			return err
		})
	}()
	account, err := f.members[f.current].Site.End(ctx, e)
	accounts[f.current] = account
	if err = gravest(err, <-drove, <-compared); err != nil || e.Failed {
		return account, err
	}
	for n, i := range f.drivers {
		g := r.generator(f, n, accounts[i])
		before, now := r.toServer(f, i), after.toServer(f, i)
		g.Clock = record.ClockComparison{Ahead: before.Offset.Seconds(), Within: before.Bound.Seconds(),
			Drift: (now.Offset - before.Offset).Seconds(), DriftWithin: (now.Bound + before.Bound).Seconds()}
		account.Generators = append(account.Generators, g)
	}
	problems, warnings := drifts(account.Generators, after.at.Sub(r.at))
	account.Problems, account.Warnings = append(account.Problems, problems...), append(account.Warnings, warnings...)
	return account, nil
}

// generator describes what a load generator did, from the account of its machine.
func (r *round) generator(f *Fleet, n int, account site.Account) record.GeneratorRun {
	i := f.drivers[n]
	share, result := r.shares[n], r.results[n]
	return record.GeneratorRun{At: f.members[i].At, Clients: share.Clients, Threads: share.Threads, Rate: share.Rate,
		Transactions: result.Result.Transactions, TPS: result.Result.TPS, Latency: result.Result.Latency.Mean, Driver: result.Driver,
		Evidence: account.Evidence, Network: account.Network}
}

// drifts returns notes on clocks that drifted apart between two comparisons.
func drifts(generators []record.GeneratorRun, between time.Duration) (problems, warnings []record.Note) {
	for _, g := range generators {
		by := g.Clock.Drift
		if by < 0 {
			by = -by
		}
		by -= g.Clock.DriftWithin
		switch {
		case by > (20*time.Millisecond + between/1000).Seconds(): // as of a single machine
			problems = append(problems, record.Note{Rule: "clock-step",
				Text: fmt.Sprintf("the clock of the server's machine or of %s was stepped by %.2g s during the run", record.MachineName(g.At), g.Clock.Drift),
				Hint: "let a time service slew the clocks during measurements (chrony: makestep only at the start)"})
		case by > drifted:
			warnings = append(warnings, record.Note{Rule: "clock-drift",
				Text: fmt.Sprintf("the clocks of the server's machine and of %s drifted apart by %.2g ms during the run", record.MachineName(g.At), 1000*g.Clock.Drift),
				Hint: "synchronise the clocks of the machines (chrony)"})
		}
	}
	return problems, warnings
}

// drifted is the tolerated drift of two clocks in a run, in seconds, beyond the error of its
// measurement: less than the telemetry resolves.
const drifted = 0.005

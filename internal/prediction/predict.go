package prediction

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"plinth/internal/hint"
	"plinth/internal/prediction/closed"
	"plinth/internal/prediction/demand"
)

// Predict answers a question.
func (r *Reference) Predict(q Question) (Prediction, error) { return r.predict(q, transactions) }

// predict simulates so many transactions.
func (r *Reference) predict(q Question, transactions int) (p Prediction, err error) {
	if q, err = r.resolve(q); err != nil {
		return p, err
	}
	if err := r.check(q); err != nil {
		return p, err
	}
	p.Question, p.Assumed, p.Reads = q, slices.Concat(r.Assumed, q.assumed(), r.durability(q)), q.reads
	s := q.apply(r.models[0].System)
	ratios, first, err := r.ratios(q, transactions, peak, r.walOf)
	if err != nil {
		return p, err
	}
	// What the model lacks is lacking beside think time.
	lacking := math.Hypot(r.scatter(s), unexplained*r.misfit*(1-s.Think.Seconds()/first.mean))
	for _, f := range []struct {
		to       *Estimate
		err      float64
		measured func(demand.Run) float64
		ratio    func(outcome) float64
	}{
		{&p.TPS, errorTPS, func(r demand.Run) float64 { return r.TPS }, func(o outcome) float64 { return o.tps }},
		{&p.Mean, errorTPS, func(r demand.Run) float64 { return r.Mean }, func(o outcome) float64 { return o.mean }},
		{&p.P50, errorTail, func(r demand.Run) float64 { return r.P50 }, func(o outcome) float64 { return o.p50 }},
		{&p.P95, errorTail, func(r demand.Run) float64 { return r.P95 }, func(o outcome) float64 { return o.p95 }},
		{&p.P99, errorTail, func(r demand.Run) float64 { return r.P99 }, func(o outcome) float64 { return o.p99 }},
	} {
		*f.to = r.estimate(ratios, math.Hypot(f.err, lacking), f.measured, f.ratio)
	}
	measured := r.Mean(func(r demand.Run) float64 { return r.TPS })
	if apart(p.TPS.Value, measured) > farthestTogether {
		return p, hint.Errorf("measure a configuration closer to the question", "the throughput would change by more than %d times, which is too far from what was measured", farthestTogether)
	}
	if err := keepsUp(s, p.TPS.Value/max(1, r.Pipeline)); err != nil {
		return p, err
	}
	p.P95 = p.P95.atLeast(p.P50) // each has a ratio of its own
	p.P99 = p.P99.atLeast(p.P95)
	p.describe(peak(s), first.result)
	if len(r.Assumed) > 0 { // of CPU time that is assumed, the use of CPUs is not known
		p.Loads = slices.DeleteFunc(p.Loads, func(l Load) bool { return strings.HasSuffix(l.Name, "cpu") })
	}
	s.WALBytes = ratios.walBytes
	if b := r.burst(s, first.result, p.TPS.Value/measured); b.end > 0 {
		ratios, _, err := r.ratios(q, transactions, sustained, r.walAfter(b))
		if err != nil {
			return p, err
		}
		after := r.estimate(ratios, math.Hypot(errorTPS, lacking), func(r demand.Run) float64 { return r.TPS }, func(o outcome) float64 { return o.tps })
		p.Emptied, p.Sustained = b.end, &after
		p.TPS = p.TPS.times(b.pace)
		for _, latency := range []*Estimate{&p.Mean, &p.P50, &p.P95, &p.P99} {
			*latency = latency.times(1 / b.pace)
		}
	}
	return p, nil
}

// ratios holds the logarithms of changed over unchanged.
type ratios struct {
	variants []outcome // of the model
	reads    []outcome // of the first variant, with the reads of a transaction in each way in which they may be known
	speeds   []outcome // of the first variant, with CPUs of the speed asked for, and a little slower and faster
	walBytes float64   // of a commit
}

// ratios simulates a question, and returns the outcome of the first variant, too. Bursts changes how the disks burst,
// and walOf is the WAL of a transaction that depends on the throughput.
func (r *Reference) ratios(q Question, transactions int, bursts func(closed.System) closed.System, walOf func(tps float64) float64) (all ratios, first outcome, err error) {
	first, all.walBytes = r.settled(r.models[0], bursts(q.apply(r.models[0].System)), walOf, transactions)
	type other struct {
		model
		q    Question
		into *[]outcome
	}
	var others []other
	for _, m := range r.models[1:] {
		others = append(others, other{m, q, &all.variants})
	}
	for i := 1; i < len(q.reads); i++ {
		less := q
		less.reads = q.reads[i:]
		others = append(others, other{r.models[0], less, &all.reads})
	}
	if q.CPUSpeed > 0 {
		for _, factor := range []float64{math.Exp(-q.doubt()), math.Exp(q.doubt())} {
			faster := q
			faster.CPUSpeed *= factor
			others = append(others, other{r.models[0], faster, &all.speeds})
		}
	}
	outcomes := make([]outcome, len(others))
	atOnce(len(others), func(i int) {
		s := bursts(others[i].q.apply(others[i].System))
		s.WALBytes = all.walBytes
		outcomes[i] = simulate(s, transactions)
	})
	for _, into := range []*[]outcome{&all.variants, &all.reads, &all.speeds} {
		*into = append(*into, first.over(r.models[0].reference))
	}
	for i, o := range others {
		*o.into = append(*o.into, outcomes[i].over(o.reference))
	}
	if slices.ContainsFunc(append(outcomes, first), func(o outcome) bool { return o.result.Transactions < fewest }) {
		err = hint.Errorf("ask for a smaller change", "fewer than %d transactions would complete in %v", fewest, longest)
	}
	return all, first, err
}

// over returns the logarithms of the ratios to another outcome.
func (o outcome) over(then outcome) outcome {
	return outcome{
		tps: math.Log(o.tps / then.tps), mean: math.Log(o.mean / then.mean),
		p50: math.Log(o.p50 / then.p50), p95: math.Log(o.p95 / then.p95), p99: math.Log(o.p99 / then.p99),
	}
}

// apply changes a system as the question says.
func (q Question) apply(s closed.System) closed.System {
	if q.Data != nil {
		s.Data = *q.Data
	}
	if q.WAL != nil {
		s.WAL = q.WAL
	}
	if q.Clients > 0 {
		s.Clients = q.Clients
	}
	switch {
	case q.OtherMachine:
		s.CPUs = q.CPUs
	case q.CPUs > 0:
		s = withCPUs(s, q.CPUs)
	}
	if q.CPUSpeed > 0 {
		s = withSpeed(s, q.CPUSpeed)
	}
	if len(q.reads) > 0 {
		s.Reads = q.reads[0]
	}
	return s
}

const (
	// errorTPS and errorTail are standard deviations of the logarithm of predicted over measured: of throughput and mean
	// latency, and of quantiles of the latency. Like farther and unexplained, they were chosen so that the intervals
	// held at least 90 % of the measurements on the devices on which the model was developed.
	errorTPS  = 0.05
	errorTail = 0.07
	// gathering is added where many requests wait for a sync of the append-only file. Which share of the clients a sync
	// has, half to all, differs from run to run and between disks, by this much if each is as likely.
	gathering = 0.2
	// forking is added where child processes save or rewrite a file: how often and how long depends on the load and on the disk.
	forking = 0.1
	// farther is added for each doubling of a ratio.
	farther = 0.04
	// unexplained is the part of the misfit of the reference that is added.
	unexplained = 0.35
	// assumed is the standard deviation of the logarithm between runs, where only one was measured.
	assumed = 0.05
	// ninety is the quantile of the normal distribution for an interval of 90 %.
	ninety = 1.645
)

// scatter returns the standard deviation that a system adds to the error of the model.
func (r *Reference) scatter(s closed.System) float64 {
	switch {
	case s.Loop != nil && s.WALBytes > 0 && s.Clients > 1:
		return gathering
	case r.Saving != nil:
		return forking
	}
	return 0
}

// estimate applies the ratios of all variants to the measured runs.
func (r *Reference) estimate(all ratios, modelError float64, measured func(demand.Run) float64, ratio func(outcome) float64) Estimate {
	mean, square := 0.0, 0.0
	n := float64(len(r.Runs))
	for _, run := range r.Runs {
		if !(measured(run) > 0) {
			return Estimate{} // the output of an imported run lacks it
		}
		v := math.Log(measured(run))
		mean += v / n
		square += v * v / n
	}
	// Of the standard error of the mean, with Student's quantile in place of the normal one.
	variance := assumed * assumed
	if n > 1 {
		t := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(0.95) / ninety
		variance = t * t * max(0, square-mean*mean) / (n - 1)
	}
	variance += modelError*modelError + sq(r.guessed)
	change, ofVariants := spread(all.variants, ratio)
	reads, ofReads := spread(all.reads, ratio)
	change += reads - ratio(all.reads[0])
	_, ofSpeeds := spread(all.speeds, ratio)
	variance += sq(farther*change/math.Ln2) + ofVariants + ofReads + ofSpeeds
	half := ninety * math.Sqrt(variance)
	return Estimate{math.Exp(mean + change), math.Exp(mean + change - half), math.Exp(mean + change + half)}
}

// spread returns the mean and the variance of ratios.
func spread(all []outcome, ratio func(outcome) float64) (mean, variance float64) {
	for _, one := range all {
		mean += ratio(one) / float64(len(all))
	}
	for _, one := range all {
		variance += sq(ratio(one)-mean) / float64(max(1, len(all)-1))
	}
	return mean, variance
}

// atLeast returns the estimate of a quantile, if there is one, or that of a lower quantile where it is more.
func (e Estimate) atLeast(lower Estimate) Estimate {
	if e.Value == 0 {
		return e
	}
	return Estimate{max(e.Value, lower.Value), max(e.Low, lower.Low), max(e.High, lower.High)}
}

// times returns the estimate multiplied by a factor.
func (e Estimate) times(factor float64) Estimate {
	return Estimate{factor * e.Value, factor * e.Low, factor * e.High}
}

func sq(x float64) float64 { return x * x }

// describe says where the time goes and what is used.
func (p *Prediction) describe(s closed.System, r closed.Result) {
	for name, n := range r.InFlight {
		if name != "" && n > 0 {
			p.Places = append(p.Places, Place{name, n / float64(s.Clients)})
		}
	}
	slices.SortFunc(p.Places, func(a, b Place) int { return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.Name, b.Name)) })
	p.Loads = append(p.Loads, Load{"cpu", r.BusyServer / float64(s.CPUs)})
	if s.Others > 0 {
		p.Loads = append(p.Loads, Load{"other cpu", (r.Busy - r.BusyServer) / float64(s.Others)})
	}
	length := r.Length.Seconds()
	use := func(name string, used float64, limit float64) {
		if limit > 0 && length > 0 {
			p.Loads = append(p.Loads, Load{name, used / length / limit})
		}
	}
	iops, throughput := s.Data.Provisioned()
	use("data iops", r.Data.Operations, iops)
	use("data throughput", r.Data.Bytes, float64(throughput))
	if s.WAL != nil {
		iops, throughput := s.WAL.Provisioned()
		use("wal iops", r.WAL.Operations, iops)
		use("wal throughput", r.WAL.Bytes, float64(throughput))
	}
	slices.SortStableFunc(p.Loads, func(a, b Load) int { return cmp.Compare(b.Use, a.Use) })
}

package prediction

import (
	"math"

	"plinth/internal/device"
	"plinth/internal/hint"
	"plinth/internal/prediction/demand"
)

// Closer describes a run that can be made on the machine of a reference, and that is closer to a question than the reference.
type Closer struct {
	// Measured holds the part of the question that such a run would have.
	Measured Question
	// Answers says that it would answer the question: nothing would be left to predict.
	Answers bool
	// Half is how far the 90 % interval of the throughput would go beyond the prediction from such a run, in proportion to
	// it, if its runs differ as much as those of the reference; 0 if that is not known.
	Half float64
}

// Closer returns the run that is closest to a question. An error says why none is closer than the reference.
func (r *Reference) Closer(q Question) (c Closer, err error) {
	if len(r.Assumed) > 0 {
		return c, hint.Errorf("measure the workload with plinth first", "others measured the reference, on a machine that is not this one")
	}
	some, rest := &c.Measured, q
	if q.Clients != r.Clients {
		some.Clients = q.Clients
	}
	rest.Clients = 0
	some.Memory, rest.Memory = q.Memory, 0
	some.SharedBuffers, rest.SharedBuffers = q.SharedBuffers, 0
	if !q.OtherMachine && q.CPUs <= r.System.CPUs+r.System.Others {
		some.CPUs, rest.CPUs = q.CPUs, 0
	}
	if q.Data != nil && emulable(*q.Data, r.System.Data) {
		some.Data, rest.Data = q.Data, nil
	}
	if q.WAL != nil && emulable(*q.WAL, r.System.WALDisk()) {
		some.WAL, rest.WAL = q.WAL, nil
	}
	if some.nothing() {
		return c, hint.Errorf("measure it on the disk or machine itself",
			"cannot measure any of it on the machine of the reference: it has no other CPUs, and may not be able to emulate a disk that is faster in some respect")
	}
	if c.Answers = rest.nothing(); c.Answers {
		return c, nil
	}
	c.Half, err = r.half(*some, rest)
	return c, err
}

// nothing reports whether a question changes nothing.
func (q Question) nothing() bool {
	return q.Data == nil && q.WAL == nil && q.Clients == 0 && q.CPUs == 0 && q.CPUSpeed == 0 && q.Memory == 0 && q.SharedBuffers == 0
}

// emulable reports whether a disk can be emulated wherever another one can: it is not faster in anything.
func emulable(asked, measured device.Device) bool {
	if asked.DurableSeconds() < measured.DurableSeconds() || asked.MeanSeconds(device.Read) < measured.MeanSeconds(device.Read) {
		return false
	}
	fits := func(limit, of float64) bool { return of == 0 || limit > 0 && limit <= of }
	iops, throughput := asked.Provisioned()
	mostIOPS, most := measured.Provisioned()
	return fits(iops, mostIOPS) && fits(float64(throughput), float64(most))
}

// half returns how far the interval of the answer to the rest of a question would go from a run that has some of it; 0 if
// that is not known. What such a run would measure is simulated: it does not matter for the width. An error says why the rest
// could not be predicted.
func (r *Reference) half(some, rest Question) (float64, error) {
	some, err := r.resolve(some)
	if err != nil {
		return 0, nil //nolint:nilerr // such a run would show how often reads miss the cache
	}
	p, err := r.Predict(some)
	if err != nil {
		return 0, nil //nolint:nilerr // it can be measured
	}
	closer := *r
	closer.System = some.apply(r.System)
	closer.Clients = closer.System.Clients
	closer.models = make([]model, len(r.models))
	atOnce(len(r.models), func(i int) {
		s := some.apply(r.models[i].System)
		closer.models[i] = model{System: s, reference: simulate(peak(s), transactions)}
	})
	// Its runs differ as those of the reference do.
	factor := p.TPS.Value / r.Mean(func(r demand.Run) float64 { return r.TPS })
	closer.Runs = nil
	for _, run := range r.Runs {
		run.TPS *= factor
		closer.Runs = append(closer.Runs, run)
	}
	then, err := closer.Predict(rest)
	return then.TPS.Half(), err
}

// Half returns how far the interval goes beyond the value, in proportion to it.
func (e Estimate) Half() float64 { return math.Sqrt(e.High/e.Low) - 1 }

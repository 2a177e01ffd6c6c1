package probe

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"time"

	"plinth/internal/driver/fio"
)

// measure measures all steps in every slice. With a local disk, each slice measures all steps of one
// disk and then all of the other, in random order: what changes on the machine during the probe
// then affects both disks alike, and no request to one disk competes with one to the other. One
// disk after the other would turn such a change into a difference between the disks.
func (p *probe) measure(ctx context.Context) error {
	random := rand.New(rand.NewPCG(p.Seed, 1))
	end := time.Now().Add(p.length())
	disks := p.all()
	for number := range p.plan.slices {
		for _, i := range random.Perm(len(disks)) {
			if err := disks[i].slice(ctx, number, random, end); err != nil {
				return err
			}
		}
	}
	return nil
}

// slice measures all steps once, in a new order. The probe will end at end.
func (p *probe) slice(ctx context.Context, number int, random *rand.Rand, end time.Time) error {
	jobs := p.jobs(number, random)
	report := func(passed time.Duration) {
		at := min(int(passed/(p.plan.step+between)), len(jobs)-1)
		p.Tell(fmt.Sprintf("slice %d of %d", number+1, p.plan.slices), p.of+jobs[at].Name, time.Until(end))
	}
	results, err := p.fio(ctx, jobs, random.Uint64()>>1, report)
	if err != nil {
		return err
	}
	for i, r := range results {
		p.measured[r.Name] = append(p.measured[r.Name], r)
		if jobs[i].Clock == "" {
			continue
		}
		// A slow machine may have too few times in the log; then this slice has no moment.
		if from, to, err := fio.ReadClock(jobs[i].Clock); err == nil {
			p.alone = append(p.alone, moment{from, to, r.CPU})
		}
	}
	return nil
}

// jobs returns the steps of one slice, shuffled.
func (p *probe) jobs(slice int, random *rand.Rand) []fio.Job {
	jobs := make([]fio.Job, len(p.steps))
	for i, at := range random.Perm(len(p.steps)) {
		jobs[i] = p.steps[at].job(p.target)
		jobs[i].Time = p.plan.step
		if p.steps[at].Depth == 1 {
			jobs[i].Clock = filepath.Join(p.scratch, fmt.Sprintf("%s%s-%d", p.of, jobs[i].Name, slice))
		}
	}
	return jobs
}

// fioTarget returns what fio reads and writes.
func (p *probe) fioTarget(seed uint64) fio.Target {
	return fio.Target{Path: p.path, Size: p.target.Size, Seed: seed}
}

// wholeJob returns the loads of a slice in the order of the steps, and the sustained ones.
func (p *probe) wholeJob() []fio.Job {
	var jobs []fio.Job
	for _, s := range p.steps {
		job := s.job(p.target)
		job.Time = p.plan.step
		jobs = append(jobs, job)
	}
	if p.Sustained > 0 {
		for _, s := range sustainedSteps(p.target) {
			jobs = append(jobs, p.sustainedJob(s))
		}
	}
	return jobs
}

// measurements combines the slices of all steps.
func (p *probe) measurements() []Measurement {
	all := make([]Measurement, len(p.steps))
	for i, s := range p.steps {
		all[i] = newMeasurement(s, p.measured[s.Name], p.Seed)
	}
	return all
}

// pace is the interval between progress reports.
const pace = 250 * time.Millisecond

// fio runs jobs, and calls report with the elapsed time.
func (p *probe) fio(ctx context.Context, jobs []fio.Job, seed uint64, report func(passed time.Duration)) ([]fio.Result, error) {
	begin := time.Now()
	ticker := time.NewTicker(pace)
	ended := make(chan struct{})
	quiet := make(chan struct{})
	go func() {
		defer close(quiet)
		for {
			select {
			case <-ticker.C:
				report(time.Since(begin))
			case <-ended:
				return
			}
		}
	}()
	results, err := p.program.Run(ctx, p.Launcher, p.scratch, p.fioTarget(seed), jobs)
	ticker.Stop()
	close(ended)
	<-quiet
	return results, err
}

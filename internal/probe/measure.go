package probe

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"plinth/internal/driver/fio"
)

// measure measures all steps in every slice, each slice in a new order, and returns the results
// of each step by its name.
func (p *probe) measure(ctx context.Context) (map[string][]fio.Result, error) {
	random := rand.New(rand.NewPCG(p.Seed, 1))
	end := time.Now().Add(p.length())
	measured := map[string][]fio.Result{}
	for slice := range p.plan.slices {
		jobs := p.jobs(random)
		report := func(passed time.Duration) {
			at := min(int(passed/(p.plan.step+between)), len(jobs)-1)
			p.Tell(fmt.Sprintf("slice %d of %d", slice+1, p.plan.slices), jobs[at].Name, time.Until(end))
		}
		results, err := p.fio(ctx, jobs, random.Uint64()>>1, report)
		if err != nil {
			return nil, err
		}
		for _, r := range results {
			measured[r.Name] = append(measured[r.Name], r)
		}
	}
	return measured, nil
}

// jobs returns the steps of one slice, shuffled.
func (p *probe) jobs(random *rand.Rand) []fio.Job {
	all := stepsFor(p.target)
	jobs := make([]fio.Job, len(all))
	for i, at := range random.Perm(len(all)) {
		jobs[i] = all[at].job(p.target)
		jobs[i].Time = p.plan.step
	}
	return jobs
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
	target := fio.Target{Path: p.path, Size: p.target.Size, Seed: seed}
	results, err := p.program.Run(ctx, p.Launcher, p.scratch, target, jobs)
	ticker.Stop()
	close(ended)
	<-quiet
	return results, err
}

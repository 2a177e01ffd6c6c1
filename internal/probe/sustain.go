package probe

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"plinth/internal/driver/fio"
	"plinth/internal/figure/window"
)

// Sustained is the result of a sustained load, second by second.
type Sustained struct {
	Step
	Seconds []float64 `json:"bytes_per_second"`
	// Cliff is the number of seconds after which it became permanently slower; 0 for never.
	Cliff int `json:"cliff_second"`
	// Burst and Baseline are the median operations a second before and after the cliff; equal if
	// there is no cliff.
	Burst    float64 `json:"burst_iops"`
	Baseline float64 `json:"baseline_iops"`
}

// shallow is the relative drop below which there is no cliff: a disk's scheduling or other load
// may cause smaller ones.
const shallow = 0.15

func newSustained(s Step, seconds []float64) Sustained {
	r := Sustained{Step: s, Seconds: seconds}
	if len(seconds) == 0 {
		return r
	}
	r.Burst = median(seconds) / float64(s.Block)
	r.Baseline = r.Burst
	at := 0
	if len(seconds) >= 8 { // with fewer, a cliff cannot be distinguished from noise
		at = window.ChangePoint(seconds)
	}
	if at == 0 {
		return r
	}
	before, after := median(seconds[:at])/float64(s.Block), median(seconds[at:])/float64(s.Block)
	if after < before*(1-shallow) {
		r.Cliff, r.Burst, r.Baseline = at, before, after
	}
	return r
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// sustainedSteps returns the sustained loads: first bytes, which exhaust flash caches and
// throughput credits, then operations, which exhaust IOPS credits.
func sustainedSteps(t Target) []Step {
	if t.ReadOnly {
		return []Step{
			{Name: "sustained-scan-read", Pattern: fio.Read, Block: chunk, Depth: 16},
			{Name: "sustained-read", Pattern: fio.RandomRead, Block: page, Depth: 64},
		}
	}
	return []Step{
		{Name: "sustained-scan-write", Pattern: fio.Write, Block: chunk, Depth: 16},
		{Name: "sustained-write", Pattern: fio.RandomWrite, Block: page, Depth: 64},
	}
}

func (p *probe) sustain(ctx context.Context) ([]Sustained, error) {
	if p.Sustained == 0 {
		return nil, nil
	}
	var all []Sustained
	end := time.Now().Add(p.Sustained)
	for i, s := range sustainedSteps(p.target) {
		job := p.sustainedJob(s)
		job.Seconds = filepath.Join(p.scratch, s.Name)
		told := func(time.Duration) { p.Tell(s.Name, "", time.Until(end)) }
		if _, err := p.fio(ctx, []fio.Job{job}, p.Seed>>1+uint64(i), told); err != nil {
			return nil, err
		}
		seconds, err := fio.ReadSeconds(job.Seconds)
		if err != nil {
			return nil, err
		}
		all = append(all, newSustained(s, seconds))
	}
	return all, nil
}

// sustainedJob returns one of the two sustained loads.
func (p *probe) sustainedJob(s Step) fio.Job {
	job := s.job(p.target)
	job.Time = (p.Sustained / 2).Truncate(time.Second)
	return job
}

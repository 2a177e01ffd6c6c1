package probe

import (
	"slices"

	"plinth/internal/device"
	"plinth/internal/driver/fio"
)

// Local is the local disk under a network or replicated volume: the disk that stores the volume's
// data, or its replica on this machine. No volume is faster than the disk that stores it, so a volume
// that is has answered from a cache, or before it stored the data (README of Longhorn's kbench, 2021,
// as of November 2026).
//
// It is also any other disk, for comparison alone: about that, no such conclusion is drawn.
type Local struct {
	Target      *Target        `json:"target,omitempty"` // as probed beside the volume; nil with a model
	Steps       []Measurement  `json:"steps,omitempty"`
	Device      *device.Device `json:"device,omitempty"` // a model of the disk, measured earlier
	Comparisons []Comparison   `json:"comparisons"`      // with one request at a time
	Ratios      []Ratio        `json:"ratios,omitempty"` // of all steps; none with a model
}

// Ratio compares the operations a second of a step: those of the volume, divided by those of the other
// disk. Its interval comes from the slices, each of which measured both.
type Ratio struct {
	Step string `json:"step"`
	Figure
}

// Comparison compares the median latencies of a step on a volume and on its local disk.
type Comparison struct {
	Step   string  `json:"step"`
	Volume Medians `json:"volume_seconds"`
	Local  Medians `json:"local_seconds"`
	// Faster reports whether the volume was faster than the local disk, and chance does not explain
	// that.
	Faster bool `json:"volume_faster"`
}

// Medians are a median latency in seconds, and the lowest and highest median of the slices. Without
// slices, as for a model, all three are equal.
type Medians struct {
	Value  float64 `json:"value"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Slices int     `json:"slices"`
}

const (
	// fewestCompared is the minimum number of slices of each disk for a comparison. If two disks are
	// equal, all of five slices of one are faster than all of five of the other in one of 252 probes,
	// for each of the steps that are compared.
	fewestCompared = 5
	// fewestOfOne is that for a comparison with a model.
	fewestOfOne = 3
	// surelyBelow is the share of a model's latency below which a volume is faster. A model has no
	// interval, and was measured at another time, so a disk may well differ from it by some per cent.
	surelyBelow = 0.8
)

// compared lists the steps that are compared. The step Flush is not: a disk without a volatile cache
// has nothing to flush, so its flush may be faster than that of any other disk.
var compared = []string{Read1, Commit, Group, Write1}

// compare compares the steps of a volume with those of its local disk, or with those of the disk beside
// it. It returns nil for what is not known.
func (p *probe) compare(r *Result) (local, beside *Local) {
	if p.other == nil {
		if p.LocalModel != nil {
			local = compareModel(r, *p.LocalModel)
		}
		return local, nil
	}
	l := compareSteps(r, p.other.target, p.other.measurements())
	l.Ratios = ratios(p.steps, p.measured, p.other.measured, p.Seed)
	if p.Beside != "" {
		return nil, l
	}
	return l, nil
}

// ratios compares the operations a second of each step, slice by slice.
func ratios(steps []Step, measured, other map[string][]fio.Result, seed uint64) []Ratio {
	var all []Ratio
	for _, s := range steps {
		var each []float64
		for i, r := range measured[s.Name] {
			if one := other[s.Name]; i < len(one) && one[i].IOPS() > 0 {
				each = append(each, r.IOPS()/one[i].IOPS())
			}
		}
		if len(each) > 0 {
			all = append(all, Ratio{s.Name, newFigure(each, seed)})
		}
	}
	return all
}

// compareSteps compares the steps of a volume with those of another disk, probed in turn with it.
func compareSteps(r *Result, target Target, steps []Measurement) *Local {
	l := &Local{Target: &target, Steps: steps, Comparisons: []Comparison{}}
	local := Result{Steps: steps}
	for _, name := range compared {
		volume, ok := r.step(name)
		beside, okLocal := local.step(name)
		// Through the page cache only durable writes reach a disk.
		reaches := volume.Durable || r.Target.Direct && target.Direct
		if !ok || !okLocal || !reaches {
			continue
		}
		a, b := mediansOf(volume), mediansOf(beside)
		faster := a.Slices >= fewestCompared && b.Slices >= fewestCompared && a.High < b.Low
		l.Comparisons = append(l.Comparisons, Comparison{name, a, b, faster})
	}
	return l
}

// fewest returns the minimum number of slices for a comparison.
func (l *Local) fewest() int {
	if l.Target == nil {
		return fewestOfOne
	}
	return fewestCompared
}

// compareModel compares the steps of a volume with a model of its local disk.
func compareModel(r *Result, d device.Device) *Local {
	l := &Local{Device: &d, Comparisons: []Comparison{}}
	write := d.Quantile(device.Write, 0.5)
	for _, c := range []struct {
		step    string
		seconds float64
	}{
		{Read1, d.Quantile(device.Read, 0.5).Seconds()},
		{Commit, (write + d.Quantile(device.Flush, 0.5)).Seconds()},
		{Write1, write.Seconds()},
	} {
		volume, ok := r.step(c.step)
		if !ok || c.seconds == 0 || !volume.Durable && !r.Target.Direct {
			continue
		}
		a := mediansOf(volume)
		faster := a.Slices >= fewestOfOne && a.High < surelyBelow*c.seconds
		l.Comparisons = append(l.Comparisons, Comparison{c.step, a, Medians{Value: c.seconds, Low: c.seconds, High: c.seconds}, faster})
	}
	return l
}

// mediansOf returns the medians of a step's slices.
func mediansOf(m Measurement) Medians {
	if len(m.Medians) == 0 {
		return Medians{}
	}
	return Medians{m.Median.Value, slices.Min(m.Medians), slices.Max(m.Medians), len(m.Medians)}
}

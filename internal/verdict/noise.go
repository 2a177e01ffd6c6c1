package verdict

import (
	"maps"
	"math"
	"reflect"
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/stats"
)

// Equals reports whether an experiment compares equal environments, which differ only in
// their names. Such a comparison measures the noise of the machine and of the method.
func Equals(e *experiment.Experiment) bool {
	for _, environment := range e.Environments[1:] {
		environment.Name = e.Environments[0].Name
		if !reflect.DeepEqual(environment, e.Environments[0]) {
			return false
		}
	}
	return len(e.Environments) > 1 && !e.Imported
}

// fewestForNoise is the minimum number of blocks for a deviation. With six it is still
// uncertain by a third.
const fewestForNoise = 6

// NoiseOf returns by how much equal environments differed, for each workload, in the
// declared metric. It leaves out workloads with fewer than six blocks. It returns nothing
// where environments are interleaved by repeat: there, the runs of a block are farther
// apart in time than in other experiments.
func NoiseOf(rec *record.Record) ([]record.Noise, error) {
	c, err := newComparer(rec, Options{})
	if err != nil {
		return nil, err
	}
	if c.exp.Interleave == "repeat" {
		return nil, nil
	}
	c.count()
	v := values{rec, c.metrics[0], map[record.RunID]reading{}}
	var all []record.Noise
	for _, w := range c.exp.Workloads {
		blocks, _ := c.blocksOf(v, subject{pair: pair{w.Name, c.baseline, c.shown[0]}})
		if len(blocks) >= fewestForNoise && !bothZero(blocks) {
			all = append(all, c.noise(w.Name, blocks))
		}
	}
	return all, nil
}

func (c *comparer) noise(workload string, blocks []measured) record.Noise {
	byRepeat := map[int][]float64{}
	var d []float64
	for _, m := range blocks {
		byRepeat[m.Repeat] = append(byRepeat[m.Repeat], m.b-m.a)
		d = append(d, m.b-m.a)
	}
	n := underLoad(c.exp, workload)
	n.Metric, n.Blocks, n.PairSD, n.BlockTime = c.plan.Metric, len(blocks), deviation(d), c.blockTime()
	var groups [][]float64
	for _, repeat := range slices.Sorted(maps.Keys(byRepeat)) {
		groups = append(groups, byRepeat[repeat])
	}
	between, _ := stats.LoadSpread(groups)
	n.LoadSD = math.Sqrt(between)
	return n
}

// blockTime returns the mean time of a block in seconds, from the phases of all runs.
func (c *comparer) blockTime() float64 {
	total, blocks := 0.0, map[record.Block]bool{}
	for _, run := range c.rec.Runs {
		total += run.Took(c.exp.Warmup.Std())
		blocks[record.Block{Cell: run.Cell, Repeat: run.Repeat}] = true
	}
	if len(blocks) == 0 {
		return 0
	}
	return total / float64(len(blocks))
}

func deviation(d []float64) float64 {
	mean, sum := average(d), 0.0
	for _, v := range d {
		sum += (v - mean) * (v - mean)
	}
	return math.Sqrt(sum / float64(len(d)-1))
}

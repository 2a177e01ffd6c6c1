package postgres

import (
	"fmt"
	"math"
	"time"
)

const (
	// budget limits plinth's queries to a share of one server core.
	budget = 0.01

	// often and seldom bound the time between two samples.
	often  = 100 * time.Millisecond
	seldom = time.Second
)

// spending is the cost of plinth's queries to the server, which limits the sampling rate.
//
// The CPU time of the server process is known from outside only as a total, so it is
// apportioned by response time. Where it is unknown, the shortest recent response time,
// less the round trip, stands for each sample: longer ones waited for a CPU or the network.
// Their mean is ten times as long on a busy server, and would stop the sampling just where
// it is needed.
type spending struct {
	before time.Duration // CPU time of the process when last read
	total  time.Duration // of all processes, up to then
	known  bool

	rounds, samples       time.Duration // response times since the last reading
	sampled               int           // number of those samples
	shortest              time.Duration // of the samples
	roundCost, sampleCost time.Duration // of one, over the last seconds
	fresh                 bool          // nothing was answered yet: the first answers include planning
	held                  bool
}

func (s *spending) round(took time.Duration) { s.rounds += took }

func (s *spending) sample(took time.Duration) {
	if s.sampled == 0 || took < s.shortest {
		s.shortest = took
	}
	s.samples, s.sampled = s.samples+took, s.sampled+1
}

// begin starts with a new server process. Its start is a cost, too, but not of the queries.
func (s *spending) begin(cpu time.Duration, ok bool) {
	s.over()
	s.fresh = true
	if ok {
		s.before, s.known = cpu, true
		s.total += cpu
	}
}

// over ends with a process: its last use is unknown.
func (s *spending) over() {
	s.before = 0
	s.clear()
}

func (s *spending) clear() { s.rounds, s.samples, s.sampled = 0, 0, 0 }

// seen takes the CPU time that the process has used so far.
func (s *spending) seen(cpu time.Duration, ok bool) {
	if !ok || cpu < s.before {
		s.learn(s.rounds, s.shortest, least)
		return
	}
	used := cpu - s.before
	s.before, s.total, s.known = cpu, s.total+used, true
	took := s.rounds + s.samples
	if took <= 0 {
		return
	}
	share := float64(used) / float64(took)
	each := float64(s.samples) / float64(max(1, s.sampled))
	s.learn(time.Duration(float64(s.rounds)*share), time.Duration(each*share), smooth)
}

// learn takes the cost of a round and of a sample in the last second.
func (s *spending) learn(round, sample time.Duration, mean func(before, value time.Duration) time.Duration) {
	if !s.fresh {
		s.roundCost = mean(s.roundCost, round)
	}
	if !s.fresh && s.sampled > 0 {
		s.sampleCost = mean(s.sampleCost, sample)
	}
	s.fresh = false
	s.clear()
	s.held = s.held || s.pace() > often*11/10
}

// least returns the smaller value, but lets the old one grow slowly.
func least(before, value time.Duration) time.Duration {
	if before == 0 {
		return value
	}
	return min(before+before/10, value)
}

// smooth returns the first value, and then a moving mean over some seconds.
func smooth(mean, value time.Duration) time.Duration {
	if mean == 0 {
		return value
	}
	return mean + (value-mean)/4
}

// pace returns the time between two samples that the budget allows, in whole steps: ticks
// of a clock that was reset all the time would come too often.
func (s *spending) pace() time.Duration {
	left := budget - s.roundCost.Seconds()
	if left <= 0 {
		return seldom
	}
	steps := math.Ceil(s.sampleCost.Seconds() / left / often.Seconds())
	return min(max(time.Duration(steps)*often, often), seldom)
}

// note returns why samples were fewer than wanted, "" if they were not.
func (s *spending) note(samples int, covered time.Duration) string {
	if !s.held || covered <= 0 {
		return ""
	}
	return fmt.Sprintf("wait events were sampled %.1f times a second instead of %.0f, to keep the server's cost below %.0f %% of a core",
		float64(samples)/covered.Seconds(), 1/often.Seconds(), 100*budget)
}

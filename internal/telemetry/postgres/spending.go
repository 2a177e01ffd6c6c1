package postgres

import (
	"fmt"
	"math"
	"time"
)

const (
	// budget is how much of one core of the server plinth's questions may take.
	budget = 0.01

	// often and seldom are the time between two samples.
	often  = 100 * time.Millisecond
	seldom = time.Second
)

// spending is what plinth's questions cost the server, and how often it may look.
//
// What the server's process has used is known from outside only for everything
// together, so it is shared out by the time that answers took. Where it is not known,
// the time of the shortest answer of late stands for each, without that of the way:
// those that took longer waited for a CPU or the network. Their mean is ten times as
// long on a busy server, and would stop the sampling just where it is wanted.
type spending struct {
	before time.Duration // CPU time of the process when it was seen last
	total  time.Duration // of all processes, up to then
	known  bool

	rounds, samples       time.Duration // what they took since it was seen last
	sampled               int           // how many samples that were
	shortest              time.Duration // of them
	roundCost, sampleCost time.Duration // of one, over the last seconds
	fresh                 bool          // nothing was answered yet: the next answers are planned first
	held                  bool
}

func (s *spending) round(took time.Duration) { s.rounds += took }

func (s *spending) sample(took time.Duration) {
	if s.sampled == 0 || took < s.shortest {
		s.shortest = took
	}
	s.samples, s.sampled = s.samples+took, s.sampled+1
}

// begin begins with a new process of the server. Its start is a cost, too, but not
// of the questions.
func (s *spending) begin(cpu time.Duration, ok bool) {
	s.over()
	s.fresh = true
	if ok {
		s.before, s.known = cpu, true
		s.total += cpu
	}
}

// over ends with a process: what it took last is not known any more.
func (s *spending) over() {
	s.before = 0
	s.clear()
}

func (s *spending) clear() { s.rounds, s.samples, s.sampled = 0, 0, 0 }

// seen takes what the process has used by now.
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

// learn takes what a round and a sample cost in the last second.
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

// least is the shorter one, but what was before is forgotten slowly.
func least(before, value time.Duration) time.Duration {
	if before == 0 {
		return value
	}
	return min(before+before/10, value)
}

// smooth is the mean over some seconds: the first value, then what changes slowly.
func smooth(mean, value time.Duration) time.Duration {
	if mean == 0 {
		return value
	}
	return mean + (value-mean)/4
}

// pace is the time between two samples that the budget allows, in whole steps: ticks
// of a clock whose pace changed all the time would come too often.
func (s *spending) pace() time.Duration {
	left := budget - s.roundCost.Seconds()
	if left <= 0 {
		return seldom
	}
	steps := math.Ceil(s.sampleCost.Seconds() / left / often.Seconds())
	return min(max(time.Duration(steps)*often, often), seldom)
}

// told is why samples were fewer than wanted, "" when they were not.
func (s *spending) told(samples int, covered time.Duration) string {
	if !s.held || covered <= 0 {
		return ""
	}
	return fmt.Sprintf("wait events were sampled %.1f times a second instead of %.0f, to stay below %.0f %% of a core",
		float64(samples)/covered.Seconds(), 1/often.Seconds(), 100*budget)
}

package generator

import "math/rand/v2"

// arrivals is a Poisson process that determines when the next request is due. Each thread
// has its own; superposed processes are again one, with the sum of their rates.
type arrivals struct {
	random *rand.Rand
	gap    float64 // mean, nanoseconds
	at     float64 // of the next one
	due    int64   // the same, in whole nanoseconds since the load began
}

func newArrivals(random *rand.Rand, rate float64) arrivals {
	a := arrivals{random: random, gap: float64(oneSecond) / rate}
	a.take()
	return a
}

// take returns when the next request is due, and draws the one after it.
func (a *arrivals) take() int64 {
	due := a.due
	a.at += a.random.ExpFloat64() * a.gap
	a.due = int64(a.at)
	return due
}

// ring is a queue of clients, with room for all of them.
type ring struct {
	numbers       []int32
	first, length int
}

func (r *ring) push(n int32) {
	r.numbers[(r.first+r.length)%len(r.numbers)] = n
	r.length++
}

func (r *ring) pop() int32 {
	n := r.numbers[r.first]
	r.first = (r.first + 1) % len(r.numbers)
	r.length--
	return n
}

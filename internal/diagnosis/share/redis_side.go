package share

import "math"

// side is one of the two threads between which requests go back and forth, the server's or that of the load
// generator: for how long it runs and waits in a second. It is busy for the sum of them.
type side struct{ runs, waits float64 }

func (s side) busy() float64 { return s.runs + s.waits }

// both returns for how long two sides are busy at the same time, if at least one of them always is.
func both(a, b side) float64 { return max(0, a.busy()+b.busy()-1) }

// alone returns what a side does while the other one is idle. A thread that waits holds up all requests, and the
// other side soon has nothing left to do: so it is first of all its waits that it is alone in.
func (s side) alone(other side) side {
	alone := max(0, s.busy()-both(s, other))
	waits := min(s.waits, alone)
	return side{alone - waits, waits}
}

// holds returns the share of all requests that a side has while it runs and while it waits, over the second: all of
// them while it is alone, and those that queue there while both are busy.
func (s side) holds(other side, requests float64) side {
	if both(s, other) == 0 {
		return s
	}
	mine, others := s.alone(other), other.alone(s)
	of := queued(requests, (s.busy()-mine.waits)/max(other.busy()-others.waits, 1e-9))
	return side{mine.runs + of*(s.runs-mine.runs), mine.waits + of*(s.waits-mine.waits)}
}

// queued returns the share of requests that are at one of two sides while both have some, if it takes by a ratio
// longer for a request than the other. The number of requests there is distributed geometrically, as in a cycle of
// two servers (Koenigsberg, "Cyclic Queues", 1958).
func queued(requests, ratio float64) float64 {
	const same = 1e-4 // the formula is 0/0 for equal sides
	last := requests - 1
	switch {
	case last <= 1 || math.Abs(ratio-1) < same:
		return 0.5
	case ratio > 1:
		return 1 - queued(requests, 1/ratio)
	}
	most := math.Pow(ratio, last)
	return (1/(1-ratio) - last*most/(1-most)) / requests
}

// empty returns the share of the time in which all requests are at one of two sides, if it takes by a ratio longer
// for a request than the other, from the same distribution.
func empty(requests, ratio float64) float64 {
	const same = 1e-4
	if math.Abs(ratio-1) < same {
		return 1 / (requests + 1)
	}
	if ratio > 1 { // the same, without numbers that are too large
		return (1 - 1/ratio) / (1 - math.Pow(1/ratio, requests+1))
	}
	return math.Pow(ratio, requests) * (1 - ratio) / (1 - math.Pow(ratio, requests+1))
}

// share divides the requests in flight in a second. In an open loop there may be fewer of them than sides that are
// busy: each side then has one while it is busy.
func (r *reading) share(i int, s thread) {
	server := side{s.command + s.loop + s.fork, s.wait + s.aof + s.delay}
	client := side{}
	if l := r.load; l != nil {
		client = side{l.cpu[i], l.delay[i]}
	}
	n, few := r.InFlight[i], 0.0
	rest := n
	if busy := server.busy() + client.busy(); r.w.Run.Result.Loop != "closed" {
		few, rest = min(1, n/max(busy, 1e-9)), max(0, n-busy)
	}
	requests := func(share, time float64) float64 { return few + rest*share/max(time, 1e-9) }
	held := server.holds(client, n)
	running, waiting := requests(held.runs, server.runs), requests(held.waits, server.waits)
	for part, v := range map[string]float64{
		Command: s.command * running, EventLoop: s.loop * running, Fork: s.fork * running,
		CommandWait: s.wait * waiting, AOF: s.aof * waiting, RunDelay: s.delay * waiting,
	} {
		r.put(i, part, v)
	}
	if r.load != nil {
		held := client.holds(server, n)
		r.put(i, Generator, client.runs*requests(held.runs, client.runs))
		r.put(i, GeneratorDelay, client.waits*requests(held.waits, client.waits))
	}
}

package phrase

import "plinth/internal/experiment"

// ClosedLoop is what latencies count from where clients wait for answers, and what
// that hides.
const ClosedLoop = "latency is service time (closed loop): it hides the wait that a stalled server inflicts on those who would have come meanwhile"

// OpenLoop is what they count from at a rate.
func OpenLoop(w experiment.Words) string {
	return "latency counts from when a " + w.Unit + " was due (open loop): a stall shows in all that had to wait"
}

package placement

import "plinth/internal/unit"

// CopyRate is the most bytes a second at which PostgreSQL copies a relation to another tablespace:
// "Storage Selection for Database Workloads" gives about 15 s for 28 GB on local NVMe.
const CopyRate = unit.Rate(28e9 / 15)

// copyOperation is the size of requests into which the kernel merges those of a copy: its default
// for reading ahead.
const copyOperation = 128 * unit.KiB

// copyRate returns the bytes a second of a move from one store (-1 if unknown) to another, without
// other load, and whether it was measured. Each byte is read once and written once, and once more to
// the store of the WAL (-1 if unknown) if the relation is logged; on one device, these share its
// limits.
func (p *problem) copyRate(from, to, wal int, logged bool) (rate float64, measured bool) {
	times := map[int]float64{to: 1}
	if from >= 0 {
		times[from]++
	}
	if logged && wal >= 0 {
		times[wal]++
	}
	rate = float64(CopyRate)
	for s, n := range times {
		f := p.figures[s]
		if f.throughput > 0 {
			rate = min(rate, f.throughput/n)
		}
		if f.writes > 0 {
			rate = min(rate, f.writes*float64(copyOperation)/n)
		}
	}
	var slowest unit.Rate
	for _, s := range []int{from, to} {
		if s < 0 || p.stores[s].CopyRate == 0 {
			continue
		}
		if one := p.stores[s].CopyRate; slowest == 0 || one < slowest {
			slowest = one
		}
	}
	if slowest > 0 {
		return float64(slowest), true
	}
	return rate, false
}

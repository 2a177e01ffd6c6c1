package placement

import (
	"fmt"
	"math"

	"plinth/internal/unit"
)

// WriteEstimate says how the writes of relations were estimated.
type WriteEstimate struct {
	// Counted is the blocks of relations a second that the server reports as written, for all
	// databases; -1 if it does not.
	Counted float64 `json:"counted_s"`
	Sum     Range   `json:"estimated_s"` // of all relations
	Note    string  `json:"note"`
}

// rowsPerPage is assumed for a relation that was never analyzed: rows of 160 bytes.
const rowsPerPage = 50

// pages holds the figures of a relation from which its writes are estimated.
type pages struct {
	blocks  float64 // of the relation
	rows    float64 // -1 if unknown
	index   bool
	changes Changes
	growth  float64 // blocks a second
}

// writes returns the least and the most blocks a second that the changes write, if each checkpoint
// writes each changed block once. Blocks written more often because shared_buffers is too small are
// not included: the server's own counters show them.
//
// A row inserted, or moved by an update, changes a block of the table and one of each index; an
// update that changes no index (HOT) changes a block of the table alone; a deleted row one of the
// table. At best, the rows changed fill blocks one after the other; at worst, each is in a random
// block.
func (p pages) writes(checkpoint float64) (low, high float64) {
	c := p.changes
	moved := max(0, c.Updated-c.HotUpdated)
	touched := c.Inserted + moved
	if !p.index {
		touched += c.Updated + c.Deleted
	}
	blocks := max(1, p.blocks)
	perPage := float64(rowsPerPage)
	if p.rows > 0 {
		perPage = max(1, p.rows/blocks)
	}
	high = distinct(blocks, touched*checkpoint) / checkpoint
	low = min(high, touched/perPage)
	low = max(low, p.growth) // a file that grew was written
	return low, max(low, high)
}

// fanout is how many blocks an inner block of a B-tree leads to: entries of about 30 bytes (assumed).
const fanout = 250

// uses returns the blocks that queries needed, of all that were requested, and the rows changed, or
// the entries added to an index. A changed row needs a block of its table. An entry needs one block
// of each level of its index, but each scan needs as many.
func (p pages) uses(requests, scans float64) (queried, changed float64) {
	c := p.changes
	if !p.index {
		changed = c.Inserted + c.Updated + c.Deleted
		return max(0, requests-changed), changed
	}
	changed = c.Inserted + max(0, c.Updated-c.HotUpdated)
	levels := 1 + math.Ceil(math.Log(max(1, p.blocks))/math.Log(fanout))
	return min(requests, max(requests-levels*changed, levels*scans)), changed
}

// distinct returns how many of some blocks are changed, on average, by changes in random blocks.
func distinct(blocks, changes float64) float64 { return blocks * -math.Expm1(-changes/blocks) }

// scale sets the likely value of each range, so that they add up to the server's count: between
// low and high, at the same point of the way (on a logarithmic scale) for all. Without a count, that
// point is the middle.
func scale(ranges []*Range, counted float64) WriteEstimate {
	sumAt := func(point float64) float64 {
		sum := 0.0
		for _, r := range ranges {
			sum += r.at(point)
		}
		return sum
	}
	e := WriteEstimate{Counted: counted, Sum: Range{Low: sumAt(0), High: sumAt(1)}}
	point, factor := 0.5, 1.0
	switch {
	case counted < 0:
		e.Note = "the server does not count writes over this time: the likely value is the middle of the range"
	case counted < e.Sum.Low:
		point, factor = 0, counted/e.Sum.Low
		e.Note = "the server wrote fewer blocks than the changes need, because most are not written yet: the lowest estimates, scaled down"
	case counted > e.Sum.High:
		point = 1
		e.Note = fmt.Sprintf("%s blocks a second that the server wrote are not explained: other databases, vacuum, blocks written more than once between two checkpoints", unit.Digits(counted-e.Sum.High, 4))
	default:
		point = bisect(sumAt, counted)
		e.Note = "scaled to the blocks that the server wrote, for all its databases"
	}
	for _, r := range ranges {
		r.Likely = r.at(point) * factor
		r.Low = min(r.Low, r.Likely)
		if counted >= 0 {
			r.High = max(r.Likely, min(r.High, counted))
		}
		e.Sum.Likely += r.Likely
	}
	return e
}

// at returns a value between low, at 0, and high, at 1.
func (r Range) at(point float64) float64 {
	if r.Low <= 1e-12*r.High { // also 0 of 0
		return r.High * point
	}
	return r.Low * math.Pow(r.High/r.Low, point)
}

// bisect returns where an increasing function from 0 to 1 has a value.
func bisect(f func(float64) float64, value float64) float64 {
	low, high := 0.0, 1.0
	for range 60 {
		if middle := (low + high) / 2; f(middle) < value {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}

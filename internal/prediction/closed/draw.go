package closed

import (
	"math"
	"math/rand/v2"
	"time"
)

// draw draws random numbers.
type draw struct{ *rand.Rand }

func newDraw(seed uint64) draw { return draw{rand.New(rand.NewPCG(seed, 1))} }

// span is the range of offsets. Where a block lies only decides on which member of an array.
const span = 1 << 30

func (d draw) offset() int64 { return d.Int64N(span/BlockSize) * BlockSize }

func (d draw) exponential(mean time.Duration) time.Duration {
	return time.Duration(d.ExpFloat64() * float64(mean))
}

// stages is the shape of the gamma distribution of CPU times: their coefficient of variation is 1/2.
const stages = 4

// spread returns a CPU time with a mean.
func (d draw) spread(mean time.Duration) time.Duration {
	sum := 0.0
	for range stages {
		sum += d.ExpFloat64()
	}
	return time.Duration(sum / stages * float64(mean))
}

// poisson returns a small number with a mean.
func (d draw) poisson(mean float64) int {
	if mean <= 0 {
		return 0
	}
	n, limit := 0, math.Exp(-min(mean, 500))
	for product := d.Float64(); product > limit; product *= d.Float64() {
		n++
	}
	return n
}

// misses returns how many blocks a statement has to read, with a mean. It needs two, such as one of a table and one of an
// index, or as many as the mean, and each of them is read with the same probability.
func (d draw) misses(mean float64) (n int) {
	if mean <= 0 {
		return 0
	}
	blocks := max(2, int(math.Ceil(mean)))
	for range blocks {
		if d.Float64() < mean/float64(blocks) {
			n++
		}
	}
	return n
}

// readSize returns the size of a read in bytes, with a mean. Above a block, it is a whole number of blocks: the kernel
// sometimes reads one ahead.
func (d draw) readSize(mean int64) int64 {
	if mean <= BlockSize {
		return mean
	}
	return int64(float64(mean)/BlockSize+d.Float64()) * BlockSize
}

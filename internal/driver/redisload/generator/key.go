package generator

import (
	"math"
	"math/rand/v2"
	"sync/atomic"
)

// keys draws the numbers of keys.
type keys struct {
	space      uint64
	random     *rand.Rand
	zipf       *zipf          // nil unless the distribution is zipfian
	sequential *atomic.Uint64 // the next one, of all threads; nil unless sequential
}

func (c *Config) newKeys(random *rand.Rand, sequence *atomic.Uint64) keys {
	k := keys{space: uint64(max(c.Keyspace, 1)), random: random}
	switch {
	case c.Distribution == "zipfian" && k.space > 1:
		k.zipf = newZipf(k.space, zipfExponent)
	case c.Distribution == "sequential":
		k.sequential = sequence
	}
	return k
}

func (k *keys) next() uint64 {
	switch {
	case k.space == 1:
		return 0
	case k.zipf != nil:
		return k.zipf.draw(k.random) - 1
	case k.sequential != nil:
		return (k.sequential.Add(1) - 1) % k.space
	}
	return k.random.Uint64N(k.space)
}

// zipfExponent is YCSB's (ZipfianGenerator.ZIPFIAN_CONSTANT, and section 5.1 of B. Cooper
// and others, "Benchmarking Cloud Serving Systems with YCSB", 2010).
const zipfExponent = 0.99

// zipf draws 1 to n, k with a probability proportional to 1/k^s, by rejection-inversion (W.
// Hörmann and G. Derflinger, "Rejection-inversion to generate variates from monotone
// discrete distributions", 1996). It is exact and needs no sum over all keys before the
// first draw; YCSB's own method (J. Gray and others, "Quickly Generating Billion-Record
// Synthetic Databases", 1994) does, and is only approximate; that of math/rand does not
// support exponents below 1.
//
// YCSB's scrambling of the order is left out: the position of a key in a hash table of
// Redis does not depend on its number.
type zipf struct {
	n         float64
	s         float64
	low, high float64 // the integral at its ends
	sure      float64 // distance from an integer below which it is accepted directly
}

func newZipf(n uint64, s float64) *zipf {
	z := &zipf{n: float64(n), s: s}
	z.low = z.integral(1.5) - 1
	z.high = z.integral(z.n + 0.5)
	z.sure = 2 - z.inverse(z.integral(2.5)-z.density(2))
	return z
}

func (z *zipf) draw(random *rand.Rand) uint64 {
	for {
		u := z.high + random.Float64()*(z.low-z.high)
		x := z.inverse(u)
		k := math.Min(math.Max(math.Floor(x+0.5), 1), z.n)
		if k-x <= z.sure || u >= z.integral(k+0.5)-z.density(k) {
			return uint64(k)
		}
	}
}

// density returns the density of the distribution, up to a factor.
func (z *zipf) density(x float64) float64 { return math.Exp(-z.s * math.Log(x)) }

// integral returns the integral of density; exact near s = 1, too.
func (z *zipf) integral(x float64) float64 {
	log := math.Log(x)
	return ratioOr1(math.Expm1, (1-z.s)*log) * log
}

func (z *zipf) inverse(u float64) float64 {
	t := math.Max(u*(1-z.s), -1)
	return math.Exp(ratioOr1(math.Log1p, t) * u)
}

// ratioOr1 returns f(x)/x, which approaches 1 as x approaches 0.
func ratioOr1(f func(float64) float64, x float64) float64 {
	if math.Abs(x) < 1e-8 {
		return 1
	}
	return f(x) / x
}

package generator

import (
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

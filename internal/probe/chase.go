package probe

import (
	"encoding/binary"
	"math/rand/v2"
	"time"
)

// thread links all cache lines of memory into one ring, in random order (Sattolo's
// algorithm): the first 8 bytes of each line are the offset of the next. Nothing can
// foresee where it goes, so that each load waits for the one before.
func thread(memory []byte, random *rand.Rand) {
	lines := len(memory) / cacheLine
	for i := range lines {
		put(memory, i, uint64(i*cacheLine))
	}
	for i := lines - 1; i > 0; i-- {
		j := random.IntN(i)
		a, b := get(memory, i), get(memory, j)
		put(memory, i, b)
		put(memory, j, a)
	}
}

func get(memory []byte, line int) uint64 {
	return binary.LittleEndian.Uint64(memory[line*cacheLine:])
}

func put(memory []byte, line int, next uint64) {
	binary.LittleEndian.PutUint64(memory[line*cacheLine:], next)
}

// chase follows the ring for so long, one stretch at least, and returns how long one load takes, in
// seconds, and where it came to.
func chase(memory []byte, from uint64, length time.Duration) (seconds float64, to uint64) {
	const stretch = 1 << 14 // loads between looks at the clock
	begin, n := time.Now(), 0
	for n == 0 || time.Since(begin) < length {
		for range stretch {
			from = binary.LittleEndian.Uint64(memory[from:])
		}
		n += stretch
	}
	return time.Since(begin).Seconds() / float64(n), from
}

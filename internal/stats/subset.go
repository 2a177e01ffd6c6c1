package stats

import "math/bits"

// subsetMeans returns the means of all 2^n - 1 nonempty subsets. Sums are doubled value by
// value: Gray code, which walks from set to set, adds up a rounding error at each of a million
// steps.
func subsetMeans(values []float64) []float64 {
	sums := subsetSums(values)
	for set := 1; set < len(sums); set++ {
		sums[set] /= float64(bits.OnesCount(uint(set)))
	}
	return sums[1:]
}

// subsetSums returns the sums of all subsets; the bits of the index are the members.
func subsetSums(values []float64) []float64 {
	sums := make([]float64, 1<<len(values))
	for i, v := range values {
		size := 1 << i
		for set, sum := range sums[:size] {
			sums[size+set] = sum + v
		}
	}
	return sums
}

// drawSubsetMeans returns the means of random subsets, each followed by that of its complement;
// neither is empty.
func drawSubsetMeans(values []float64, seed uint64) []float64 {
	tables := byteSums(values)
	members := make([]uint64, (len(values)+63)/64)
	last := ^uint64(0) >> (len(members)*64 - len(values))
	source := generator(seed)
	means := make([]float64, 0, 2*draws)
	for len(means) < cap(means) {
		for i := range members {
			members[i] = source.Uint64()
		}
		members[len(members)-1] &= last
		sum, size := sumOf(members, tables)
		if rest := len(values) - size; size > 0 && rest > 0 {
			// The deviations from the mean add up to 0.
			means = append(means, sum/float64(size), -sum/float64(rest))
		}
	}
	return means
}

// byteSums returns the subset sums of each eight values, so that a set of 78 takes ten steps
// instead of 78.
func byteSums(values []float64) [][256]float64 {
	tables := make([][256]float64, (len(values)+63)/64*8)
	for i := range tables {
		first, end := min(8*i, len(values)), min(8*i+8, len(values))
		copy(tables[i][:], subsetSums(values[first:end]))
	}
	return tables
}

// sumOf returns the sum and size of a set.
func sumOf(members []uint64, tables [][256]float64) (sum float64, size int) {
	for i, word := range members {
		size += bits.OnesCount64(word)
		for at := 8 * i; word != 0; at++ {
			sum += tables[at][word&0xff]
			word >>= 8
		}
	}
	return sum, size
}

package stats

import "math"

// smallest returns the k-th smallest value, 1 <= k <= len(values), and reorders values.
// Selection (Floyd and Rivest, CACM 18, 1975, algorithm 489) reads the list little more than
// once; sorting would take ten times as long.
func smallest(values []float64, k int) float64 {
	selectAt(values, 0, len(values)-1, k-1)
	return values[k-1]
}

// selectAt moves the value of rank k to index k, with no greater one before it.
func selectAt(values []float64, left, right, k int) {
	for right > left {
		if right-left > 600 {
			// Select in a small sample first: it brackets the value closely.
			n, i := float64(right-left+1), float64(k-left+1)
			z := math.Log(n)
			s := 0.5 * math.Exp(2*z/3)
			sd := 0.5 * math.Sqrt(z*s*(n-s)/n) * math.Copysign(1, i-n/2)
			newLeft := max(left, int(float64(k)-i*s/n+sd))
			newRight := min(right, int(float64(k)+(n-i)*s/n+sd))
			selectAt(values, newLeft, newRight, k)
		}
		left, right = partition(values, left, right, k)
	}
}

// partition splits values[left:right+1] at the value at k, and returns the part that now
// contains index k.
func partition(values []float64, left, right, k int) (int, int) {
	t, i, j := values[k], left, right
	values[left], values[k] = values[k], values[left]
	if values[right] > t {
		values[left], values[right] = values[right], values[left]
	}
	for i < j {
		values[i], values[j] = values[j], values[i]
		i++
		j--
		for values[i] < t {
			i++
		}
		for values[j] > t {
			j--
		}
	}
	if values[left] == t {
		values[left], values[j] = values[j], values[left]
	} else {
		j++
		values[j], values[right] = values[right], values[j]
	}
	if j <= k {
		left = j + 1
	}
	if k <= j {
		right = j - 1
	}
	return left, right
}

package show

// Median is the middle of sorted values, or the mean of the two in the middle. There
// must be one at least.
func Median[N int64 | float64](sorted []N) float64 {
	n := len(sorted)
	return (float64(sorted[(n-1)/2]) + float64(sorted[n/2])) / 2
}

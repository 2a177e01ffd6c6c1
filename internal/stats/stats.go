// Package stats tests differences, and computes their intervals, looks and power.
//
// Its method is the randomisation test. The order in which two systems were measured was
// random, so if B differed from A by exactly theta, every other order would have been as
// likely. The share of orders whose result is at least as extreme as the measured one is p, and
// the thetas that are not rejected are the interval. The test assumes nothing about the shape
// of the noise. Student's t was rejected because it assumes normal noise: benchmarks have heavy
// tails and outliers on one side.
//
// Test and interval use one list, the typical values (J. A. Hartigan, "Using subsample values
// as typical values", JASA 64, 1969): for each other order, the theta at which its result would
// equal the measured one. So an outcome cannot contradict its interval.
//
// All functions are pure and work on plain numbers; for ratios, callers pass logarithms. Random
// draws use the caller's seed, so a result is reproducible.
package stats

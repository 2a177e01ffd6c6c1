// Package stats tests whether two systems differ. It computes confidence intervals and
// statistical power, and plans the looks at which verdicts may be read.
//
// Its method is the randomisation test. The order in which two systems were measured was
// random. So if B differs from A by exactly theta, and theta is subtracted from the values of
// B, all orders of the values are equally likely. The p-value is the share of orders whose
// result is at least as extreme as the measured one. The interval consists of the thetas that
// are not rejected. The test assumes nothing about the shape of the noise. Student's t was
// rejected because it assumes normal noise: benchmarks have heavy tails and outliers on one
// side.
//
// Test and interval use the same list, the typical values (J. A. Hartigan, "Using subsample
// values as typical values", JASA 64, 1969): for each other order, the theta at which the
// result of that order would equal the measured one. So an outcome cannot contradict its
// interval.
//
// All functions are pure and work on plain numbers; for ratios, callers pass logarithms. Random
// draws use the caller's seed, so a result is reproducible.
package stats

// Package stats decides what can be said of a difference, and how sure.
//
// One method carries it all: the randomisation test. The order in which two
// systems were measured was drawn at random, so if B differed from A by exactly
// theta, every other order would have been as likely. The share of the orders
// that would have shown at least what was seen is p, and the thetas that are not
// refuted are the interval. Nothing is assumed of the shape of the noise;
// Student's t, which assumes it normal, was rejected for that: benchmarks have
// heavy tails and outliers on one side.
//
// Test and interval are read from one list, the typical values (J. A. Hartigan,
// "Using subsample values as typical values", JASA 64, 1969): for each other order,
// the theta at which it would show just what was seen. So a word and the interval
// beside it cannot disagree.
//
// All functions are pure and work on plain numbers; where ratios are meant,
// callers pass logarithms. What is random is drawn from a seed that callers give,
// so a result can be had again.
package stats

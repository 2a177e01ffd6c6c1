// Package runner carries out an experiment: it brings the environments up, drives
// every run in its order, commits each to the record as it ends, and puts
// everything back on every path.
package runner

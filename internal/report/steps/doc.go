// Package steps reports the effect of each step of a tuning and, for an ablation, of each part of
// the tuning.
package steps

// Package steps reports the effect of each step of a tuning, and of each of its parts.
package steps

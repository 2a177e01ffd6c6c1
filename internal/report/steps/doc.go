// Package steps says what each step of a tuning is worth, and which part of it did it.
package steps

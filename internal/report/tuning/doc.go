// Package tuning says what a tuning would change, has changed, and could: plans, checks,
// knobs and profiles.
package tuning

// Package tuning reports what a tuning would change, has changed, and could change: plans,
// checks, knobs and profiles.
package tuning

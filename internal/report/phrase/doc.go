// Package phrase formats numbers, sizes, notes and lists in the same form for all reports.
package phrase

// Package phrase words numbers, sizes, notes and lists the same way wherever a report
// has one.
package phrase

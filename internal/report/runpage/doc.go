// Package runpage says what happened in one run, second by second, or in two runs beside
// each other.
package runpage

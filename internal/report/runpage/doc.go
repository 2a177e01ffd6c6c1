// Package runpage reports what happened in one run, second by second, or in two runs side by
// side.
package runpage

// Package disk says what is known of devices, and what a probe measured of a disk or of
// memory.
package disk

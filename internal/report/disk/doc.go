// Package disk reports the figures of devices, and the results of probes of a disk or of
// memory.
package disk

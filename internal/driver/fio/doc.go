// Package fio drives fio, the load generator for disks: it builds the command
// line of some jobs that run one after the other, and reads what fio prints of
// them as JSON, whole latency histograms included.
//
// The options are those of fio's manual (HOWTO.rst); histograms need fio 3.16 or
// later.
package fio

// Package probe measures what a database needs to know of a disk, with fio, and
// says which device model that makes; and, apart from that, how long memory takes
// from each node of a machine.
//
// A probe is made of slices. In each of them all steps (a durable write, random
// reads at some queue depths, ...) are measured for a moment, in an order drawn
// anew, so that a disk that drifts is unfair to none. The slices are the units of
// the intervals.
package probe

// Schema is the schema of a Result as JSON.
const Schema = "plinth/probe/v1"

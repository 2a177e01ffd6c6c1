// Package tune changes knobs of a machine and of a server, proves that they are in
// force, and puts them back: to the byte, after whatever happened in between.
//
// Before each change the values that were there are in a journal, on disk: those of
// the knob, and those of all that the kernel changes along with it. A plan is applied
// whole or not at all.
package tune

// Package emulator is a disk that nobody owns: a block device whose reads, writes and
// flushes take the time that a model of a device says, so that a database above it has a
// real filesystem, with its page cache, its journal and the kernel's limits on dirty
// pages.
//
// It has two forms, which differ in where requests come from (front) and in nothing
// else. Where the kernel has nbd it is a network block device whose connection leads to
// the emulator: a block device by itself. Where not, it is the file of a filesystem of
// plinth's own (FUSE), and a loop device with direct I/O on that file.
//
// What is written lies in a backing file. It is written at once, when the request
// arrives, and what is left of the model's time is waited out afterwards; where
// the backing is slower than the model, lateness says so.
//
// What the form promises about data:
//
//   - A device without a write cache has what was acknowledged in the backing
//     file. Killing the emulator loses nothing of it: it is in the host's page cache.
//     A power cut of the host itself could lose it, for no flush ever arrives.
//   - A device with a write cache keeps writes aside in memory until a flush, which
//     writes them to the backing file and syncs that: what was flushed is as safe
//     as on the backing disk. Killing the emulator loses the rest, as a power cut
//     of the real device would.
//
// What it does not reproduce: discards take no time, and the path to the emulator
// costs CPU that a real disk does not. What the path costs
// is measured and taken off each delay (Fit).
//
// The emulator is a process of its own: its CPU is counted as its own. It stays in
// the control groups of the plinth that started it. A server with limits has groups
// of its own (package limit), so that its dirty pages never wait for an emulator that
// waits for the server's memory: both in one group with a memory limit hang for good
// in writeback. A server without limits is in plinth's groups as well; where those
// have a memory limit (a container's, a service's) nothing here keeps the two apart.
package emulator

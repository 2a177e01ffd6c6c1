// Package limit gives a server a part of its machine: control groups that its
// processes are started in, with CPUs, a CPU quota, and memory. The load generator,
// the emulator and plinth itself stay outside.
//
// What the limits mean, and what they do not:
//
//   - cpus is a cpuset: the server runs on these CPUs and on no others. Others may
//     run on them too; Rest says which CPUs are left for those.
//   - cpu_quota is CPU seconds in a second. The server runs on all CPUs until it has
//     used up its part of a period of 100 ms, and then on none until the period ends:
//     throughput may be higher than with a cpuset, and the tail is far longer.
//   - memory counts what the server's processes use and the page cache of what they
//     read and write. Swap gives no more of it. Huge pages lie outside of it: they
//     are another controller's (hugetlb). Version 1 counts the page cache, but how
//     much of it may be dirty follows from the machine's memory; a note
//     says what would do.
//
// A group is made below the one that plinth is in (version 1), or beside it
// (version 2, where a group with processes can't have groups with limits below):
// limits from above, such as a container's, hold for it as well.
//
// Nothing is removed but directories that the journal names, by rmdir, which the
// kernel refuses while anything is in a group. No process is ever ended for it.
package limit

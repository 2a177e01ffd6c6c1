package inspect

import (
	"slices"
	"strconv"
	"strings"
)

var numaRules = []rule{
	{
		name: "zone-reclaim", weight: 60, about: ofMachine, check: zoneReclaim,
		benchmark:  "a node throws away its page cache while the other has memory to spare",
		production: "reads go to the disk that would be in memory",
		do:         "sysctl -w vm.zone_reclaim_mode=0; a file in /etc/sysctl.d keeps it",
	},
	{
		name: "numa-balancing", weight: 41, about: ofMachine, check: numaBalancing,
		benchmark:  "the kernel unmaps pages to see who uses them, and moves them: faults and stalls at its own times",
		production: "the same, for shared memory that everybody uses and that is at home nowhere",
		do:         "sysctl -w kernel.numa_balancing=0; a file in /etc/sysctl.d keeps it",
	},
	{
		name: "numa-unpinned", weight: 39, about: ofMachine, check: numaUnpinned,
		benchmark:  "where a process and its pages come to lie differs from start to start; pinning to one node, together with the performance governor, gave a published pgbench study 22 % more read-write TPS",
		production: "the same, when the server fits one node; when it needs all of them, interleave its memory",
		do:         "numactl --cpunodebind=0 --membind=0 SERVER ... (NUMAPolicy= and NUMAMask= of the unit)",
	},
}

func zoneReclaim(in *Input) evidence {
	mode, known := in.sysctl("vm.zone_reclaim_mode")
	if !known || mode == 0 || len(in.Machine.Nodes) < 2 {
		return nothing
	}
	return found("vm.zone_reclaim_mode is %d on %d NUMA nodes", mode, len(in.Machine.Nodes))
}

func numaBalancing(in *Input) evidence {
	mode, known := in.sysctl("kernel.numa_balancing")
	if !known || mode == 0 || len(in.Machine.Nodes) < 2 {
		return nothing
	}
	return found("kernel.numa_balancing is %d on %d NUMA nodes", mode, len(in.Machine.Nodes))
}

func numaUnpinned(in *Input) evidence {
	nodes := in.Machine.Nodes
	if len(nodes) < 2 || in.CPUs == "" {
		return nothing
	}
	reached, farthest := 0, 10
	for _, n := range nodes {
		if overlap(n.CPUs, in.CPUs) {
			reached++
		}
		farthest = max(farthest, slices.Max(append([]int{10}, n.Distances...)))
	}
	if reached < 2 {
		return nothing
	}
	return found("the server may run on %d of %d NUMA nodes; memory of another is up to %.1f times as far",
		reached, len(nodes), float64(farthest)/10)
}

// overlap says whether two lists of CPUs as the kernel prints them have one in
// common.
func overlap(a, b string) bool {
	in := cpuList(b)
	return slices.ContainsFunc(cpuList(a), func(cpu int) bool { return slices.Contains(in, cpu) })
}

// cpuList reads "0-3,8". https://docs.kernel.org/admin-guide/cputopology.html
func cpuList(text string) []int {
	const most = 1 << 13 // CPUs that Linux can have
	var all []int
	for part := range strings.SplitSeq(strings.TrimSpace(text), ",") {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		first, err1 := strconv.Atoi(from)
		last, err2 := strconv.Atoi(to)
		if err1 != nil || err2 != nil || first < 0 || last >= most {
			continue
		}
		for cpu := first; cpu <= last; cpu++ {
			all = append(all, cpu)
		}
	}
	return all
}

package limit

import (
	"cmp"
	"slices"

	"plinth/internal/host"
)

// choose picks n CPUs of these cores: from one NUMA node if possible, whole cores before
// parts of one, and the core of CPU 0 last, because interrupts and other processes tend to
// run there. The choice is deterministic, so that compared environments get the same CPUs.
// The cores must have at least n CPUs.
func choose(cores []host.Core, n int) []int {
	var best []int
	var bestCost [3]int
	for _, set := range candidates(cores) {
		chosen := take(set, n)
		if len(chosen) < n {
			continue
		}
		cost := costOf(cores, chosen)
		if best == nil || slices.Compare(cost[:], bestCost[:]) < 0 {
			best, bestCost = chosen, cost
		}
	}
	slices.Sort(best)
	return best
}

// costOf returns the cost of a choice, most important first: the number of NUMA nodes, the
// number of cores of which it has only a part, and whether it includes CPU 0.
func costOf(cores []host.Core, chosen []int) (cost [3]int) {
	nodes := map[int]bool{}
	for _, core := range cores {
		ours := 0
		for _, cpu := range core.CPUs {
			if slices.Contains(chosen, cpu) {
				ours++
			}
		}
		if ours > 0 {
			nodes[core.Node] = true
		}
		if 0 < ours && ours < len(core.CPUs) {
			cost[1]++
		}
	}
	cost[0] = len(nodes)
	if slices.Contains(chosen, 0) {
		cost[2] = 1
	}
	return cost
}

// candidates returns the cores of each node, then all cores, each list with the core of CPU
// 0 at the end.
func candidates(cores []host.Core) [][]host.Core {
	byNode := map[int][]host.Core{}
	var nodes []int
	for _, core := range cores {
		if byNode[core.Node] == nil {
			nodes = append(nodes, core.Node)
		}
		byNode[core.Node] = append(byNode[core.Node], core)
	}
	slices.Sort(nodes)
	var sets [][]host.Core
	var all []host.Core
	for _, node := range nodes {
		sets = append(sets, byNode[node])
		all = append(all, byNode[node]...)
	}
	sets = append(sets, all)
	for _, set := range sets {
		slices.SortStableFunc(set, func(a, b host.Core) int {
			return cmp.Compare(slices.Index(a.CPUs, 0), slices.Index(b.CPUs, 0))
		})
	}
	return sets
}

// take takes whole cores in order while they fit, then the missing CPUs from the cores that
// were skipped.
func take(cores []host.Core, n int) (taken []int) {
	var left []int
	for _, core := range cores {
		if len(core.CPUs) <= n-len(taken) {
			taken = append(taken, core.CPUs...)
			continue
		}
		last := slices.Clone(core.CPUs)
		slices.Reverse(last) // CPU 0 last
		left = append(left, last...)
	}
	return append(taken, left[:min(len(left), n-len(taken))]...)
}

// allOf returns all CPUs of these cores, in ascending order.
func allOf(cores []host.Core) (cpus []int) {
	for _, core := range cores {
		cpus = append(cpus, core.CPUs...)
	}
	slices.Sort(cpus)
	return cpus
}

package host

import (
	"fmt"
	"io/fs"
	"os"
	"slices"

	"plinth/internal/host/sysfs"

	"golang.org/x/sys/unix"
)

// Cores returns the physical cores that plinth may run on, ordered by their first CPU. CPUs
// from which this process is excluded (taskset, a cpuset, isolcpus) are left out. If the
// kernel does not show which CPUs share a core, each CPU is a core.
func Cores() ([]Core, error) {
	var allowed unix.CPUSet
	if err := unix.SchedGetaffinity(0, &allowed); err != nil {
		return nil, fmt.Errorf("cannot determine which CPUs plinth may run on: %w", err)
	}
	cores, err := readCores(os.DirFS("/"), allowed.IsSet)
	if err != nil {
		return nil, fmt.Errorf("cannot list the CPUs of the machine: %w", err)
	}
	return cores, nil
}

func readCores(root fs.FS, allowed func(cpu int) bool) ([]Core, error) {
	online, err := onlineCPUs(root)
	if err != nil {
		return nil, err
	}
	usable := func(cpu int) bool { return allowed(cpu) && slices.Contains(online, cpu) }
	nodes := nodesOfCPUs(root)
	var cores []Core
	dealt := map[int]bool{}
	for _, cpu := range online {
		if dealt[cpu] || !usable(cpu) {
			continue
		}
		core := Core{Node: nodes[cpu]}
		threads, err := ParseRanges(sysfs.Word(root, cpuFile(cpu, "topology/thread_siblings_list")))
		if err != nil || !slices.Contains(threads, cpu) {
			threads = []int{cpu}
		}
		for _, thread := range threads {
			if usable(thread) && !dealt[thread] {
				core.CPUs = append(core.CPUs, thread)
				dealt[thread] = true
			}
		}
		cores = append(cores, core)
	}
	return cores, nil
}

// nodesOfCPUs returns the NUMA node of each CPU; CPUs without a visible node are missing.
func nodesOfCPUs(root fs.FS) map[int]int {
	of := map[int]int{}
	dirs, _ := fs.Glob(root, nodeDir+"/node[0-9]*")
	for _, dir := range dirs {
		node, err := readNode(root, dir)
		if err != nil {
			continue
		}
		cpus, _ := ParseRanges(node.CPUs)
		for _, cpu := range cpus {
			of[cpu] = node.Node
		}
	}
	return of
}

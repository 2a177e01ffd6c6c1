package host

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/host/proc"
)

// PodView describes what a server in a pod of Kubernetes has on its node, as the /proc of the node shows it.
type PodView struct {
	CPUs  string // that the server's first process may run on: "0-3,8"
	Nodes string // NUMA nodes that its memory may come from
	// Others is the number of other pods with a process that may run on these CPUs.
	Others int
	// HugePages is how much memory is mapped in huge pages that were reserved (hugetlbfs), in bytes.
	HugePages int64
	// Memory is the memory of the process by NUMA node, in bytes; nil if the kernel does not say it.
	Memory map[string]int64
}

// ViewPod describes the first process of a pod that runs one of some programs. Root is /proc; only root sees
// all of it.
func ViewPod(root, uid string, programs []string) (PodView, error) {
	pid, err := FirstInPod(root, uid, programs)
	if err != nil {
		return PodView{}, err
	}
	directory := filepath.Join(root, strconv.Itoa(pid))
	status, err := os.ReadFile(filepath.Join(directory, "status"))
	if err != nil {
		return PodView{}, err
	}
	v := PodView{CPUs: proc.Field(string(status), "Cpus_allowed_list"), Nodes: proc.Field(string(status), "Mems_allowed_list")}
	own, err := ParseRanges(v.CPUs)
	if err != nil {
		return v, err
	}
	if v.Others, err = podsOn(root, uid, own); err != nil {
		return v, err
	}
	if v.HugePages, err = HugeMappings(directory); err != nil {
		return v, err
	}
	if text, err := os.ReadFile(filepath.Join(directory, "numa_maps")); err == nil { // kernels without NUMA have none
		v.Memory = memoryByNode(string(text))
	}
	return v, nil
}

// ofPod matches the UID of the pod in the name of a control group. systemd's names have underscores.
var ofPod = regexp.MustCompile(`pod([0-9a-f]{8}(?:[-_][0-9a-f]{4}){3}[-_][0-9a-f]{12})`)

// sandbox is the process that holds the namespaces of a pod. It sleeps, wherever it may run.
const sandbox = "pause"

// podsOn counts the pods, except for one, with a process that may run on one of some CPUs.
func podsOn(root, except string, cpus []int) (int, error) {
	directories, err := filepath.Glob(filepath.Join(root, "[0-9]*"))
	if err != nil {
		return 0, err
	}
	found := map[string]bool{}
	for _, directory := range directories {
		groups, err := os.ReadFile(filepath.Join(directory, "cgroup"))
		if err != nil {
			continue // it has ended
		}
		match := ofPod.FindSubmatch(groups)
		if match == nil {
			continue
		}
		uid := strings.ReplaceAll(string(match[1]), "_", "-")
		status, err := os.ReadFile(filepath.Join(directory, "status"))
		if err != nil || uid == except || found[uid] || proc.Field(string(status), "Name") == sandbox {
			continue
		}
		theirs, err := ParseRanges(proc.Field(string(status), "Cpus_allowed_list"))
		if err != nil {
			return 0, err
		}
		found[uid] = slices.ContainsFunc(theirs, func(cpu int) bool { return slices.Contains(cpus, cpu) })
	}
	maps.DeleteFunc(found, func(_ string, overlaps bool) bool { return !overlaps })
	return len(found), nil
}

// HugeMappings returns how much memory a process has mapped in huge pages that were reserved (hugetlbfs), in bytes. Its
// directory is /proc/PID.
func HugeMappings(directory string) (int64, error) {
	mappings, err := os.ReadFile(filepath.Join(directory, "smaps"))
	return hugeMappings(string(mappings)), err
}

// hugeMappings returns the size of all mappings in /proc/PID/smaps that consist of reserved huge pages: the
// kernel's pages of the others, including transparent huge pages, have the usual size.
func hugeMappings(smaps string) (bytes int64) {
	size := int64(0)
	for line := range strings.Lines(smaps) {
		name, value, _ := strings.Cut(line, ":")
		switch name {
		case "Size":
			size = kilobytes(value)
		case "KernelPageSize":
			if kilobytes(value) > int64(os.Getpagesize()) {
				bytes += size
			}
		}
	}
	return bytes
}

// kilobytes parses a size such as "2048 kB", and returns it in bytes.
func kilobytes(text string) int64 {
	n, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(text), " kB"), 10, 64)
	return n << 10
}

// pagesOn matches the pages of a mapping on a NUMA node in /proc/PID/numa_maps (numa(7)).
var pagesOn = regexp.MustCompile(` N(\d+)=(\d+)`)

// memoryByNode returns the memory of a process on each NUMA node.
func memoryByNode(numaMaps string) map[string]int64 {
	all := map[string]int64{}
	for line := range strings.Lines(numaMaps) {
		_, after, _ := strings.Cut(line, "kernelpagesize_kB=")
		kib, _ := strconv.ParseInt(strings.TrimSpace(after), 10, 64)
		for _, m := range pagesOn.FindAllStringSubmatch(line, -1) {
			pages, _ := strconv.ParseInt(m[2], 10, 64)
			all[m[1]] += pages * kib << 10
		}
	}
	return all
}

package pods

import (
	"slices"
	"strings"

	"plinth/internal/host"
	"plinth/internal/kube/cluster"
)

// factsOf describes the nodes of a cluster as one machine: what pods may use of all of them, and in what
// they differ.
func factsOf(version string, nodes []cluster.Node) host.Facts {
	f := host.Facts{OS: "Kubernetes " + version}
	var kernels, architectures, models []string
	for _, n := range nodes {
		f.CPUs += int(n.CPUs)
		f.Memory += int64(n.Memory)
		kernels, architectures, models = append(kernels, n.Kernel), append(architectures, n.Architecture), append(models, n.InstanceType)
	}
	f.Kernel, f.Arch, f.CPUModel = each(kernels), each(architectures), each(models)
	return f
}

// each joins texts, each once.
func each(texts []string) string {
	slices.Sort(texts)
	texts = slices.DeleteFunc(slices.Compact(texts), func(text string) bool { return text == "" })
	return strings.Join(texts, ", ")
}

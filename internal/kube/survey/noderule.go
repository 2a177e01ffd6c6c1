package survey

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

const same = "the same"

var nodeRules = []rule{
	{
		name: "no-node", weight: 90, check: noNode,
		benchmark: "no pod of an experiment would start", production: same,
		do: "kubectl uncordon NODE, or kubectl taint nodes NODE KEY-: plinth's pods tolerate no taints",
	},
	{
		name: "node-pressure", weight: 72, check: pressure,
		benchmark:  "the kubelet evicts pods there: a run ends in the middle",
		production: same,
		do:         "free memory or disk space there; kubectl describe node NODE",
	},
	{
		name: "node-not-ready", weight: 62, check: notReady,
		benchmark:  "its pods are elsewhere, on nodes that have more to do than usual",
		production: same,
		do:         "kubectl describe node NODE; start its kubelet",
	},
	{
		name: "throttled", weight: 61, check: throttledPods,
		benchmark:  "a container that has used up its CPU limit stops until the next period of 100 ms: latency shows the limit instead of the storage",
		production: same,
		do:         "leave out the pod's CPU limit, or give it CPUs of its own: whole ones, with requests equal to limits, on a node with the static CPU manager",
	},
	{
		name: "memory-overcommitted", weight: 59, check: memoryOvercommitted,
		benchmark:  "if the other pods use what they may, the kernel kills a process, or the kubelet evicts a pod",
		production: same,
		do:         "lower the limits of the other pods, or use a node of its own for the benchmark",
	},
	{
		name: "mixed-nodes", weight: 56, check: mixedNodes,
		benchmark:  "environments on different nodes differ in their machines, too",
		production: "a failover moves the server to another kind of machine",
		do:         "kubectl cordon the nodes that should not take part",
	},
	{
		name: "cpu-manager", weight: 54, check: cpuManager,
		benchmark:  "all pods share all CPUs of the node: the scheduler moves the server between them, and other pods run on them, too",
		production: "a pod with whole CPUs does not have them for itself",
		do:         "set cpuManagerPolicy: static and reservedSystemCPUs in the kubelet's configuration; drain the node, delete /var/lib/kubelet/cpu_manager_state, restart the kubelet",
	},
	{
		name: "cpu-overcommitted", weight: 51, check: cpuOvercommitted,
		benchmark:  "other pods may use the CPUs that a benchmark expects to be free",
		production: same,
		do:         "use a node of its own for the benchmark, or the static CPU manager",
	},
	{
		name: "cpu-requested", weight: 47, check: cpuRequested,
		benchmark:  "what is left may not suffice for the servers and the load generators, and they share the machine's disks, caches and memory with the other pods",
		production: "pods that are restarted may not find room",
		do:         "use a node with fewer pods; kubectl get pods --all-namespaces --field-selector spec.nodeName=NODE",
	},
	{
		name: "one-node", weight: 38, check: oneNode,
		benchmark:  "the load generators share the machine with the servers, and their traffic does not cross the network",
		production: "there is no node to fail over to",
		do:         "add a node for the load generators (driver: {node: apart})",
	},
	{
		name: "no-huge-pages", weight: 36, check: noHugePages,
		benchmark:  "shared_buffers is in pages of 4 KiB: translating addresses takes more time",
		production: same,
		do:         "sysctl -w vm.nr_hugepages=N on the node, then restart its kubelet; limits: {huge_pages: SIZE} gives them to a pod",
	},
	{
		name: "node-repels", weight: 31, check: repelled,
		benchmark:  "plinth's pods are not scheduled there",
		production: "",
		do:         "nothing, if the node is not meant for the benchmark; otherwise kubectl uncordon NODE, or kubectl taint nodes NODE KEY-",
	},
	{
		name: "topology-manager", weight: 25, check: topologyManager,
		benchmark:  "on a machine with several NUMA nodes, the CPUs of a pod and its memory may be on different ones",
		production: same,
		do:         "set cpuManagerPolicy: static, memoryManagerPolicy: Static with reservedMemory, and topologyManagerPolicy: single-numa-node in the kubelet's configuration",
	},
}

func noNode(s *Survey) string {
	if len(s.Nodes) == 0 || len(s.takers()) > 0 {
		return ""
	}
	return when(s.reasons(), "no node takes plinth's pods: %s")
}

// reasons says why nodes do not take plinth's pods.
func (s *Survey) reasons() []string {
	var all []string
	for _, n := range s.Nodes {
		if why := n.Repels(); why != "" {
			all = append(all, n.Name+" is "+why)
		}
	}
	return all
}

func repelled(s *Survey) string {
	all := slices.DeleteFunc(s.reasons(), func(r string) bool { return strings.HasSuffix(r, " is not ready") })
	if len(s.takers()) == 0 {
		return ""
	}
	return when(all, "%s")
}

func notReady(s *Survey) string {
	var names []string
	for _, n := range s.Nodes {
		if !n.Ready {
			names = append(names, n.Name)
		}
	}
	return when(names, fmt.Sprintf("%d of %d nodes not ready: %%s", len(names), len(s.Nodes)))
}

func pressure(s *Survey) string {
	var all []string
	for _, n := range s.Nodes {
		if len(n.Pressure) > 0 {
			all = append(all, n.Name+" has "+list(n.Pressure))
		}
	}
	return when(all, "%s")
}

// A container is reported from this share of its periods, and this many of them. Fewer happen at the start
// of nearly every program.
const (
	muchThrottled  = 0.01
	oftenThrottled = 10
)

func throttledPods(s *Survey) string {
	var all []Throttled
	for _, n := range s.Nodes {
		all = append(all, n.Throttled...)
	}
	slices.SortStableFunc(all, func(a, b Throttled) int { return cmp.Compare(b.Share(), a.Share()) })
	var lines []string
	for _, t := range all {
		if t.Share() >= muchThrottled && t.Throttled >= oftenThrottled {
			lines = append(lines, fmt.Sprintf("%s/%s in %.1f%% of %d periods", t.Namespace, t.Pod, 100*t.Share(), t.Periods))
		}
	}
	return when(lines, "since they started, CPU limits have held back "+several(len(lines), "container")+": %s")
}

func memoryOvercommitted(s *Survey) string {
	return when(s.nodes(func(n Node) string {
		if n.Pods == nil || n.Pods.LimitMemory <= n.PodMemory {
			return ""
		}
		return fmt.Sprintf("%s of %s on %s", size(n.Pods.LimitMemory), size(n.PodMemory), n.Name)
	}), "the pods' limits allow more memory than there is: %s")
}

func cpuOvercommitted(s *Survey) string {
	return when(s.nodes(func(n Node) string {
		if n.Pods == nil || n.Pods.LimitCPUs <= n.PodCPUs {
			return ""
		}
		line := fmt.Sprintf("%s of %s on %s", cpus(n.Pods.LimitCPUs), cpus(n.PodCPUs), n.Name)
		if n.Pods.Unlimited > 0 {
			line += fmt.Sprintf(" (and %s without a limit)", several(n.Pods.Unlimited, "pod"))
		}
		return line
	}), "the pods' limits allow more CPUs than there are: %s")
}

func cpuRequested(s *Survey) string {
	return when(s.nodes(func(n Node) string {
		if n.Pods == nil || n.Pods.RequestedCPUs < n.PodCPUs/2 {
			return ""
		}
		return fmt.Sprintf("%s of %s CPUs on %s (%s)", cpus(n.Pods.RequestedCPUs), cpus(n.PodCPUs), n.Name, several(n.Pods.Count, "pod"))
	}), "other pods have reserved %s")
}

// mixedNodes compares what the result of a benchmark depends on.
func mixedNodes(s *Survey) string {
	all := s.takers()
	for _, trait := range []struct {
		words string
		of    func(Node) string
	}{
		{"processor architectures", func(n Node) string { return n.Architecture }},
		{"instance types", func(n Node) string { return n.InstanceType }},
		{"numbers of CPUs", func(n Node) string { return cpus(n.CPUs) }},
		{"sizes of memory", func(n Node) string { return size(alike(n.Memory, all)) }},
		{"kernels", func(n Node) string { return n.Kernel }},
		{"container runtimes", func(n Node) string { return n.Runtime }},
	} {
		var values, lines []string
		for _, n := range all {
			if value := trait.of(n); value != "" && !slices.Contains(values, value) {
				values, lines = append(values, value), append(lines, value+" on "+n.Name)
			}
		}
		if len(values) > 1 {
			return when(lines, "the nodes have different "+trait.words+": %s")
		}
	}
	return ""
}

// alike returns the memory of the first node that has as much as another one: the kernels of equal machines
// keep slightly different parts of it for themselves.
func alike(memory int64, nodes []Node) int64 {
	for _, n := range nodes {
		if math.Abs(float64(n.Memory-memory)) < 0.02*float64(memory) {
			return n.Memory
		}
	}
	return memory
}

// policy reports the nodes on which a policy has a value.
func (s *Survey) policy(what, value string, of func(*Policies) string) string {
	seen := 0
	names := s.nodes(func(n Node) string {
		if n.Policies == nil {
			return ""
		}
		seen++
		if of(n.Policies) != value {
			return ""
		}
		return n.Name
	})
	return when(names, fmt.Sprintf("the %s's policy is %s on %d of %d nodes: %%s", what, value, len(names), seen))
}

func cpuManager(s *Survey) string {
	return s.policy("CPU manager", "none", func(p *Policies) string { return p.CPUManager })
}

func topologyManager(s *Survey) string {
	return s.policy("topology manager", "none", func(p *Policies) string { return p.TopologyManager })
}

func oneNode(s *Survey) string {
	if all := s.takers(); len(all) == 1 {
		return "only one node takes plinth's pods: " + all[0].Name
	}
	return ""
}

func noHugePages(s *Survey) string {
	without := s.nodes(func(n Node) string {
		if len(n.HugePages) > 0 {
			return ""
		}
		return n.Name
	})
	return when(without, fmt.Sprintf("no huge pages on %d of %d nodes: %%s", len(without), len(s.takers())))
}

// several formats a count: "1 node", "2 nodes".
func several(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

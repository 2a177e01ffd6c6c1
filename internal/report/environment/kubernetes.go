package environment

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"plinth/internal/knob"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
)

// kubernetesProperties describes a server on Kubernetes. Names that plinth chooses are no difference
// between environments.
func kubernetesProperties(k *record.Kubernetes) []property {
	if k == nil {
		return nil
	}
	all := []property{
		{"Kubernetes", k.Cluster},
		{"operator", k.Operator},
		{"instances", phrase.Exact(float64(k.Instances))},
		{"synchronous replication", synchronousWords(k.Synchronous)},
		{"node", k.Node},
		{"image", k.Image},
		{"quality of service", k.QoS},
		{"CPU manager", k.CPUManager},
		{"topology manager", k.TopologyManager},
		{"memory manager", k.MemoryManager},
	}
	all = append(all, grantedProperties(k.Granted)...)
	for _, c := range k.Claims {
		all = append(all,
			property{c.Role + " storage class", c.Class},
			property{c.Role + " provisioner", c.Provisioner},
			property{c.Role + " requested size", phrase.Bytes(c.Size)})
		for _, name := range slices.Sorted(maps.Keys(c.Parameters)) {
			all = append(all, property{c.Role + " class: " + name, c.Parameters[name]})
		}
	}
	return all
}

// grantedProperties describes what a server's pod has on its node. Which CPUs those are is no difference
// between environments.
func grantedProperties(g *record.Granted) []property {
	if g == nil {
		return nil
	}
	return []property{
		{"CPUs of the pod", sharedWords(g)}, {"mapped in huge pages", phrase.Bytes(g.HugePages)}, {"memory nodes", g.Nodes}, {"first process's memory", byNode(g.Memory)},
	}
}

func sharedWords(g *record.Granted) string {
	if g.Others > 0 {
		return "shared with other pods"
	}
	return "of this pod alone"
}

// addPods adds what the running pods were found to have on their nodes, if any environment's tuning asks for
// something.
func addPods(d *prose.Document, environments []record.Environment) {
	if !slices.ContainsFunc(environments, tunesPod) {
		return
	}
	var lines prose.List
	for _, e := range environments {
		if k := e.Kubernetes; k != nil {
			lines = append(lines, e.Name+": "+podWords(k))
		}
	}
	d.Add(prose.Heading("In the running pods"), lines)
}

func tunesPod(e record.Environment) bool {
	return e.Tuning != nil && slices.ContainsFunc(e.Tuning.Knobs, func(k record.Knob) bool { return k.Layer == string(knob.Pod) })
}

// podWords describes what a pod was found to have: "Guaranteed; CPUs 2-3, of this pod alone; 2 GiB in huge
// pages; memory from node 0; CPU manager static, topology manager none".
func podWords(k *record.Kubernetes) string {
	words := []string{k.QoS}
	if g := k.Granted; g == nil {
		words = append(words, "CPUs and huge pages were not read")
	} else {
		words = append(words, "CPUs "+g.CPUs+", "+sharedWords(g), phrase.Bytes(g.HugePages)+" in huge pages", "memory from node "+g.Nodes)
		words = append(words, byNode(g.Memory))
	}
	var policies []string
	for _, one := range []property{{"CPU", k.CPUManager}, {"topology", k.TopologyManager}, {"memory", k.MemoryManager}} {
		if one.value != "" {
			policies = append(policies, one.name+" manager "+one.value)
		}
	}
	words = append(words, strings.Join(policies, ", "))
	return strings.Join(slices.DeleteFunc(words, func(s string) bool { return s == "" }), "; ")
}

// byNode describes on which NUMA nodes memory is: "75 % on node 0, 25 % on node 1". A single node says
// nothing.
func byNode(memory map[string]int64) string {
	if len(memory) < 2 {
		return ""
	}
	total := int64(0)
	for _, bytes := range memory {
		total += bytes
	}
	var words []string
	for _, node := range slices.Sorted(maps.Keys(memory)) {
		words = append(words, fmt.Sprintf("%s on node %s", phrase.Percent(float64(memory[node])/float64(max(total, 1))), node))
	}
	return strings.Join(words, ", ")
}

// synchronousWords describes synchronous replication: "any 1, required".
func synchronousWords(s *record.Synchronous) string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf("%s %d, %s", s.Method, s.Number, s.Durability)
}

package survey

import (
	"fmt"
	"slices"
)

var classRules = []rule{
	{
		name: "class-no-barriers", weight: 84, check: noBarriers,
		benchmark:  "flushes do not reach the disk: the run measures a machine without durability",
		production: "a power failure damages the database",
		do:         "remove the option from mountOptions of a new storage class",
	},
	{
		name: "no-class", weight: 74, check: noClass,
		benchmark: "no environment of an experiment can have a volume", production: same,
		do: "install a provisioner, such as local-path (https://github.com/rancher/local-path-provisioner)",
	},
	{
		name: "class-network", weight: 58, check: onNetwork,
		benchmark:  "each flush of the WAL crosses the network, to every replica: other traffic on it, and on the storage's nodes, is part of the result",
		production: "the latency of the network and of the slowest replica adds to every commit",
		do:         "measure the difference: two environments, one with a local class; or put only the WAL on one (storage: {wal: {class: CLASS, size: SIZE}})",
	},
	{
		name: "class-one-replica", weight: 48, check: oneReplica,
		benchmark:  "the network adds to each flush, and no replica is gained: compare it with local storage",
		production: "the loss of one node or disk loses the volume",
		do:         "use a class with two or more replicas, or replicas of the database on local storage",
	},
	{
		name: "class-immediate", weight: 43, check: immediate,
		benchmark:  "a volume is made before its pod is scheduled, perhaps on a node or in a zone where the pod finds no room",
		production: same,
		do:         "use a class with volumeBindingMode: WaitForFirstConsumer",
	},
	{
		name: "class-retain", weight: 37, check: retained,
		benchmark:  "plinth deletes its claims, and the volumes stay, with their cost",
		production: "",
		do:         "use a class with reclaimPolicy: Delete for benchmarks; kubectl get persistentvolumes",
	},
	{
		name: "class-no-expansion", weight: 26, check: noExpansion,
		benchmark:  "a data set that outgrows its volume ends the experiment",
		production: "a full volume has to be copied to a larger one",
		do:         "set allowVolumeExpansion: true in the class, if its provisioner can expand volumes",
	},
	{
		name: "class-cloud", weight: 24, check: inCloud,
		benchmark:  "its IOPS and throughput are limited by what was provisioned, by the instance and by burst credits: a run shorter than a burst measures only the burst",
		production: "each flush crosses the provider's network",
		do:         "compare it with local storage, and run for longer than a burst; plinth devices lists the limits of some types",
	},
	{
		name: "class-unknown", weight: 22, check: unknownClass,
		benchmark:  "plinth does not know whether these volumes are on the node or across a network",
		production: "",
		do:         "ask the administrator of the cluster; measure the latency of a flush there and on a local class",
	},
	{
		name: "default-class", weight: 21, check: defaultClass,
		benchmark:  "a claim without a class gets another class than expected, or none",
		production: same,
		do:         "name the class of each volume; kubectl annotate storageclass CLASS storageclass.kubernetes.io/is-default-class=true",
	},
	{
		name: "class-delete", weight: 14, check: deleted,
		benchmark:  "",
		production: "a user who deletes a claim, or its namespace, deletes the data",
		do:         "use a class with reclaimPolicy: Retain in production",
	},
}

func (c Class) option(names ...string) bool {
	return slices.ContainsFunc(c.Options, func(o string) bool { return slices.Contains(names, o) })
}

func noBarriers(s *Survey) string {
	return when(s.classes(func(c Class) bool { return c.option("nobarrier", "barrier=0") }), "volumes are mounted without write barriers: %s")
}

func noClass(s *Survey) string {
	if s.classesKnown && len(s.Classes) == 0 {
		return "the cluster has no storage class"
	}
	return ""
}

// described lists the storage classes in a place, with what is known about their replication.
func (s *Survey) described(where Where) []string {
	var all []string
	for _, c := range s.Classes {
		switch {
		case c.Where != where:
		case c.Replicas > 0:
			all = append(all, fmt.Sprintf("%s (%s, %s)", c.Name, c.Product, replicas(c.Replicas)))
		default:
			all = append(all, fmt.Sprintf("%s (%s)", c.Name, c.Product))
		}
	}
	return all
}

func replicas(n int) string { return several(n, "replica") }

func onNetwork(s *Survey) string {
	return when(s.described(Network), "storage across a network: %s")
}

func inCloud(s *Survey) string {
	return when(s.described(Cloud), "volumes of a cloud: %s")
}

func oneReplica(s *Survey) string {
	return when(s.classes(func(c Class) bool { return c.Where == Network && c.Replicas == 1 }), "volumes have one replica: %s")
}

// immediate leaves out storage across a network, which all nodes usually reach.
func immediate(s *Survey) string {
	return when(s.classes(func(c Class) bool { return c.Binding == "Immediate" && (c.Where == Local || c.Where == Cloud) }),
		"volumes are bound before their pods are scheduled (Immediate): %s")
}

func retained(s *Survey) string {
	return when(s.classes(func(c Class) bool { return c.Reclaim == "Retain" }), "volumes outlive their claims (Retain): %s")
}

func deleted(s *Survey) string {
	return when(s.classes(func(c Class) bool { return c.Reclaim == "Delete" }), "volumes are deleted with their claims (Delete): %s")
}

func noExpansion(s *Survey) string {
	return when(s.classes(func(c Class) bool { return !c.Expandable }), "volumes cannot grow (allowVolumeExpansion): %s")
}

func unknownClass(s *Survey) string {
	var all []string
	for _, c := range s.Classes {
		if c.Where == Unknown {
			all = append(all, fmt.Sprintf("%s (%s)", c.Name, c.Provisioner))
		}
	}
	return when(all, "storage of unknown kind: %s")
}

func defaultClass(s *Survey) string {
	defaults := s.classes(func(c Class) bool { return c.Default })
	switch {
	case len(s.Classes) == 0 || len(defaults) == 1:
		return ""
	case len(defaults) == 0:
		return "no storage class is the default one"
	}
	return when(defaults, "several storage classes are the default one: %s")
}

package experimenttest

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"plinth/internal/experiment"
	"plinth/internal/unit"
)

// OnKubernetes generates valid experiments whose environments run on Kubernetes.
func OnKubernetes() *rapid.Generator[*experiment.Experiment] {
	return Any().Filter(func(e *experiment.Experiment) bool { return len(e.OnKubernetes()) > 0 })
}

// anyKubernetes draws a server on Kubernetes.
func anyKubernetes(t *rapid.T, env *experiment.Environment) {
	k := &env.Kubernetes
	env.Optional = rapid.Bool().Draw(t, "optional")
	switch oneOf(t, "cnpg", "none", "existing") {
	case "existing":
		env.Optional = false
		k.Existing, env.Disposable, env.Settings = oneOf(t, "cluster/orders", "service/orders.v1"), true, nil
		return
	case "none":
		k.Operator, k.Image = experiment.OperatorNone, oneOf(t, "", "registry.example:5000/postgres:15")
	default:
		k.Operator, k.Instances = experiment.OperatorCNPG, rapid.IntRange(1, 3).Draw(t, "instances")
		if k.Catalog = oneOf(t, "", "imagecatalog/ours", "clusterimagecatalog/postgresql.v1"); k.Catalog != "" {
			env.Postgres.Version = rapid.IntRange(14, 18).Draw(t, "version")
		} else {
			k.Image = oneOf(t, "", "registry.example:5000/postgresql:17.5-trixie")
		}
		if k.Instances > 1 && rapid.Bool().Draw(t, "synchronous") {
			k.Synchronous = experiment.Synchronous{
				Method: oneOf(t, "any", "first"), Number: rapid.IntRange(1, k.Instances-1).Draw(t, "number"),
				DataDurability: oneOf(t, "required", "preferred"), FailoverQuorum: rapid.Bool().Draw(t, "quorum"),
			}
		}
	}
	env.Storage.Data = anyClaim(t)
	if rapid.Bool().Draw(t, "wal") {
		env.Storage.WAL = anyClaim(t)
	}
	if rapid.Bool().Draw(t, "temp") {
		env.Storage.Temp = anyClaim(t)
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "tablespaces") {
		name := fmt.Sprintf("_space_%d", i)
		if k.Operator == experiment.OperatorNone {
			name += "_" // not for CloudNativePG
		}
		env.Storage.Tablespaces = append(env.Storage.Tablespaces, experiment.Tablespace{Name: name, Volume: anyClaim(t)})
	}
	env.Limits = experiment.Limits{Memory: rapid.SampledFrom([]unit.Size{0, 64 * unit.MiB, 8*unit.GiB + 1}).Draw(t, "memory")}
	if env.Limits.Memory > 0 {
		env.Limits.HugePages = 2 * unit.MiB * unit.Size(rapid.IntRange(0, 1000).Draw(t, "huge pages"))
	}
	if rapid.Bool().Draw(t, "quota") {
		env.Limits.CPUQuota = 0.25
	} else {
		env.Limits.CPUs = rapid.IntRange(0, 64).Draw(t, "cpus")
	}
}

func anyClaim(t *rapid.T) experiment.Volume {
	return experiment.Volume{Class: oneOf(t, "local-path", "longhorn.2r"), Disk: experiment.Disk{Size: anySize(t)}}
}

// anyCluster draws what concerns all environments on Kubernetes, and removes what they do not allow.
func anyCluster(t *rapid.T, e *experiment.Experiment) {
	if len(e.OnKubernetes()) == 0 {
		return
	}
	e.Kubernetes = experiment.Cluster{Context: oneOf(t, "", "admin@lab"), Namespace: oneOf(t, "", "bench"), Image: oneOf(t, "", "registry.example/plinth:1.0")}
	e.Driver.Node = oneOf(t, "", "apart", "same")
	e.Driver.Pods = rapid.IntRange(0, min(slices.Min(e.Clients), slices.Min(e.Threads))).Draw(t, "pods")
	if slices.ContainsFunc(e.Environments, func(env experiment.Environment) bool { return env.Existing() }) {
		e.Settings = nil
	}
}

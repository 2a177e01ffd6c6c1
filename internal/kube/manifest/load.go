package manifest

import (
	"slices"
	"time"

	"plinth/internal/unit"
)

// nodeKey is the label of a node by which pods are kept apart.
const nodeKey = "kubernetes.io/hostname"

// KeeperSilence is how long the keeper waits for a heartbeat before it ends, and takes all objects along.
// plinth sends several in that time.
const KeeperSilence = time.Minute

// loadSilence is how long a load generator waits for its agent: until the last pod of its Job has begun,
// which may have an image to pull. The keeper usually ends it before.
const loadSilence = 15 * time.Minute

// hold returns the command of a pod of plinth: it waits until plinth ends it, or has been silent for too
// long. then is the exit code after the silence.
func hold(silence time.Duration, then string) []any {
	return []any{"plinth", "hold", "--silence", unit.Duration(silence).String(), "--then", then}
}

// Container is the container of plinth's pods.
const Container = "plinth"

// Load returns the Job of the load generators. A pod that fails is not replaced (backoffLimit): its run
// is invalid, and a new pod would begin in the middle of it.
func (p Plan) Load() Object {
	pods := int64(max(1, p.Experiment.Driver.Pods))
	labels := p.labels("", roleLoad)
	spec := p.plinthPod(hold(loadSilence, "1"), p.loadResources(int(pods)))
	if affinity := p.loadAffinity(); affinity != nil {
		spec["affinity"] = affinity
	}
	spec["topologySpreadConstraints"] = []any{Object{
		"maxSkew": int64(1), "topologyKey": nodeKey, "whenUnsatisfiable": "ScheduleAnyway",
		"labelSelector": Object{"matchLabels": p.selector("", roleLoad)},
	}}
	return Object{
		"apiVersion": "batch/v1", "kind": "Job", "metadata": p.metadata(p.single(roleLoad), labels),
		"spec": Object{
			"completionMode": "Indexed", "completions": pods, "parallelism": pods, "backoffLimit": int64(0),
			"template": Object{"metadata": meshless(Object{"labels": p.labels("", roleLoad)}), "spec": spec},
		},
	}
}

// plinthPod returns a pod that runs plinth's image without any privilege: nothing in it calls the API.
func (p Plan) plinthPod(command []any, resources Object) Object {
	return Object{
		"automountServiceAccountToken": false,
		"enableServiceLinks":           false,
		"restartPolicy":                "Never",
		"securityContext": Object{
			"runAsNonRoot": true, "runAsUser": podUser, "runAsGroup": podUser, "seccompProfile": Object{"type": "RuntimeDefault"},
		},
		"containers": []any{Object{
			"name": Container, "image": p.Image(), "command": command, "resources": resources,
			// The user of the image may have no home directory.
			"env":             []any{Object{"name": "PLINTH_STATE", "value": "/tmp/plinth"}},
			"securityContext": Object{"allowPrivilegeEscalation": false, "capabilities": Object{"drop": []any{"ALL"}}},
		}},
	}
}

// meshless changes the metadata of a pod so that a service mesh puts no sidecar into it: a Job whose pods have one
// does not complete, and its proxy would be part of what is measured.
//
// https://istio.io/latest/docs/setup/additional-setup/sidecar-injection/
// https://linkerd.io/2/features/proxy-injection/
func meshless(metadata Object) Object {
	metadata["labels"].(Object)["sidecar.istio.io/inject"] = "false"
	metadata["annotations"] = Object{"linkerd.io/inject": "disabled"}
	return metadata
}

// What a load generator needs, of memory apart from its clients, and of a CPU for each thread.
const (
	loadMemory   = 256 * unit.MiB
	clientMemory = 2 * unit.MiB
	threadCPU    = 0.5
)

// loadResources returns the resources of each load generator. It may use more CPU than it requests: a
// quota would throttle it.
func (p Plan) loadResources(pods int) Object {
	share := func(all []int) int { return (slices.Max(append(all, 1)) + pods - 1) / pods }
	memory := quantity(loadMemory + clientMemory*unit.Size(share(slices.Clone(p.Experiment.Clients))))
	return Object{
		"requests": Object{"cpu": cores(threadCPU * float64(share(slices.Clone(p.Experiment.Threads)))), "memory": memory},
		"limits":   Object{"memory": memory},
	}
}

// loadAffinity keeps the load generators off the nodes of servers, or on them. It returns nil if no
// server is known.
func (p Plan) loadAffinity() Object {
	const required = "requiredDuringSchedulingIgnoredDuringExecution"
	node := p.Experiment.Driver.Node
	terms := p.serverTerms(node != "same") // the replicas need not be on the node of their primary
	switch {
	case len(terms) == 0:
		return nil
	case node == "apart":
		return Object{"podAntiAffinity": Object{required: terms}}
	case node == "same":
		return Object{"podAffinity": Object{required: terms}}
	}
	var preferred []any
	for _, term := range terms {
		preferred = append(preferred, Object{"weight": int64(100), "podAffinityTerm": term})
	}
	return Object{"podAntiAffinity": Object{"preferredDuringSchedulingIgnoredDuringExecution": preferred}}
}

// serverTerms returns terms that match the pods of the servers, and of their replicas if replicas is set: those
// that plinth creates, and those of existing CloudNativePG clusters, which have one label for both. The pods of
// an existing Service are known only to the cluster.
func (p Plan) serverTerms(replicas bool) []any {
	var terms []any
	created, replicated := false, false
	for _, env := range p.Experiment.OnKubernetes() {
		kind, name := env.Kubernetes.Of()
		switch {
		case !env.Existing():
			created, replicated = true, replicated || env.Replica.There()
		case kind == "cluster":
			terms = append(terms, term(Object{LabelCNPG: name}))
		}
	}
	if created {
		terms = append(terms, term(p.selector("", roleServer)))
	}
	if replicated && replicas {
		terms = append(terms, term(p.selector("", roleReplica)))
	}
	return terms
}

func term(labels Object) Object {
	return Object{"labelSelector": Object{"matchLabels": labels}, "topologyKey": nodeKey}
}

// Keeper returns the Job that owns all other objects (Own). It succeeds when plinth has been silent for
// too long, and the cluster then deletes it, and with it what it owns. A pod of it that was evicted is
// replaced.
func (p Plan) Keeper() Object {
	needs := Object{"cpu": "10m", "memory": "64Mi"}
	spec := p.plinthPod(hold(KeeperSilence, "0"), Object{"requests": needs, "limits": Object{"memory": "64Mi"}})
	return Object{
		"apiVersion": "batch/v1", "kind": "Job", "metadata": p.metadata(p.single(roleKeeper), p.labels("", roleKeeper)),
		"spec": Object{
			"backoffLimit": int64(3), "ttlSecondsAfterFinished": int64(0),
			"podFailurePolicy": Object{"rules": []any{Object{
				"action": "Ignore", "onPodConditions": []any{Object{"type": "DisruptionTarget", "status": "True"}},
			}}},
			"template": Object{"metadata": meshless(Object{"labels": p.labels("", roleKeeper)}), "spec": spec},
		},
	}
}

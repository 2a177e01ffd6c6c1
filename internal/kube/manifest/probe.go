package manifest

import "plinth/internal/unit"

// Probe says what the pod of a probe has.
type Probe struct {
	Class  string
	Claim  unit.Size // of the volume
	Node   string    // empty for any that the scheduler chooses
	Beside unit.Size // what may be written to the node's own disk; 0 for nothing
}

// Where the pod of a probe has its disks.
const (
	ProbeVolume = home + "/volume" // of the storage class
	ProbeBeside = home + "/node"   // on the node's own disk
)

// podUser is the user that plinth's pods run as.
const podUser = int64(65534)

// Probe returns a claim of a storage class, and a pod that mounts its volume.
func (p Plan) Probe(of Probe) (claim, pod Object) {
	name := p.single(roleProbe)
	claim = Object{
		"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": p.metadata(name, p.labels("", roleProbe)),
		"spec": Object{
			"accessModes": []any{"ReadWriteOnce"}, "storageClassName": of.Class,
			"resources": Object{"requests": Object{"storage": quantity(of.Claim)}},
		},
	}
	requests, limits := Object{"cpu": "500m", "memory": "256Mi"}, Object{"memory": "1Gi"}
	volumes := []any{Object{"name": "volume", "persistentVolumeClaim": Object{"claimName": name}}}
	mounts := []any{Object{"name": "volume", "mountPath": ProbeVolume}}
	if of.Beside > 0 {
		// Without the request, the pod might fill the disk of a node, and the kubelet evict other pods.
		requests["ephemeral-storage"], limits["ephemeral-storage"] = quantity(of.Beside), quantity(of.Beside)
		volumes = append(volumes, Object{"name": "node", "emptyDir": Object{}})
		mounts = append(mounts, Object{"name": "node", "mountPath": ProbeBeside})
	}
	spec := p.plinthPod(hold(loadSilence, "1"), Object{"requests": requests, "limits": limits})
	spec["volumes"] = volumes
	spec["containers"].([]any)[0].(Object)["volumeMounts"] = mounts
	// The root of a new volume belongs to root.
	security := spec["securityContext"].(Object)
	security["fsGroup"], security["fsGroupChangePolicy"] = podUser, "OnRootMismatch"
	spec["terminationGracePeriodSeconds"] = int64(5)
	if of.Node != "" {
		// nodeName would pass by the scheduler, which many volumes wait for.
		spec["affinity"] = Object{"nodeAffinity": Object{"requiredDuringSchedulingIgnoredDuringExecution": Object{"nodeSelectorTerms": []any{Object{
			"matchFields": []any{Object{"key": "metadata.name", "operator": "In", "values": []any{of.Node}}},
		}}}}}
		spec["tolerations"] = []any{Object{"operator": "Exists"}}
	}
	metadata := meshless(p.metadata(name, p.labels("", roleProbe)))
	return claim, Object{"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
}

// ProbePods returns the labels of the pod of a probe.
func (p Plan) ProbePods() map[string]string { return texts(p.selector("", roleProbe)) }

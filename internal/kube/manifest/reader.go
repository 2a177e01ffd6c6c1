package manifest

import "plinth/internal/experiment"

// Reader returns a pod on the node of an environment's server, in which plinth reads the node and the
// server while a load runs. A privileged one sees the node's processes and control groups; another one
// sees what every pod does: the node's CPUs, disks and memory in /proc. Without a node, as for an existing
// Service, the scheduler chooses one.
func (p Plan) Reader(env experiment.Environment, node string, privileged bool) Object {
	needs := Object{"cpu": "50m", "memory": "128Mi"}
	spec := p.plinthPod(hold(loadSilence, "1"), Object{"requests": needs, "limits": Object{"memory": "512Mi"}})
	if node != "" {
		spec["nodeName"] = node
		// The server's node may keep other pods away.
		spec["tolerations"] = []any{Object{"operator": "Exists"}}
	}
	spec["terminationGracePeriodSeconds"] = int64(5)
	if privileged {
		spec["hostPID"] = true
		spec["securityContext"] = Object{"runAsUser": int64(0), "runAsGroup": int64(0)}
		container := spec["containers"].([]any)[0].(Object)
		container["securityContext"] = Object{"privileged": true}
	}
	return Object{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": meshless(p.metadata(p.name(env.Name, roleReader), p.labels(env.Name, roleReader))), "spec": spec,
	}
}

// Fault returns a privileged pod on the node of an environment's primary, from which the server is killed.
// It is not the reader: after a failover, the primary may run on another node.
func (p Plan) Fault(env experiment.Environment, node string) Object {
	pod := p.Reader(env, node, true)
	pod["metadata"] = meshless(p.metadata(p.name(env.Name, roleFault), p.labels(env.Name, roleFault)))
	return pod
}

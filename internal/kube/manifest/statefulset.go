package manifest

import (
	"strings"

	"plinth/internal/experiment"
)

// member is the single pod of a StatefulSet, and its volumes.
type member struct {
	environment, role string
	container         Object
	init              Object // an init container, or nil
	volumes           []Object
	claims            []any
	port              int64
	portName          string
}

// statefulSet returns a StatefulSet and its headless Service, by whose name the pod is reached.
func (p Plan) statefulSet(m member) []Object {
	name, labels, selector := p.name(m.environment, m.role), p.labels(m.environment, m.role), p.selector(m.environment, m.role)
	m.container["ports"] = []any{Object{"name": m.portName, "containerPort": m.port}}
	pod := Object{
		"automountServiceAccountToken": false,
		// Variables for every Service of the namespace would change with it.
		"enableServiceLinks": false,
		"containers":         []any{m.container},
		// A server with much in its buffers needs time to write it.
		"terminationGracePeriodSeconds": int64(600),
		"securityContext":               Object{"seccompProfile": Object{"type": "RuntimeDefault"}},
	}
	if m.init != nil {
		pod["initContainers"] = []any{m.init}
	}
	if len(m.volumes) > 0 {
		pod["volumes"] = list(m.volumes)
	}
	service := Object{
		"apiVersion": "v1", "kind": "Service", "metadata": p.metadata(name, labels),
		"spec": Object{"clusterIP": "None", "selector": selector, "ports": []any{Object{"name": m.portName, "port": m.port, "targetPort": m.portName}}},
	}
	template := Object{"metadata": meshless(Object{"labels": p.labels(m.environment, m.role)}), "spec": pod}
	set := Object{
		"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": p.metadata(name, p.labels(m.environment, m.role)),
		"spec": Object{
			"replicas": int64(1), "serviceName": name,
			"selector": Object{"matchLabels": p.selector(m.environment, m.role)},
			// Without it, the volumes would remain when the StatefulSet is deleted.
			"persistentVolumeClaimRetentionPolicy": Object{"whenDeleted": "Delete", "whenScaled": "Delete"},
			"template":                             template,
			"volumeClaimTemplates":                 m.claims,
		},
	}
	return []Object{service, set}
}

// claim returns the template of a PersistentVolumeClaim.
func (p Plan) claim(m member, name string, v experiment.Volume) Object {
	return Object{
		"apiVersion": "v1", "kind": "PersistentVolumeClaim",
		"metadata": Object{"name": name, "labels": p.labels(m.environment, m.role)},
		"spec": Object{
			"accessModes": []any{"ReadWriteOnce"}, "storageClassName": v.Class,
			"resources": Object{"requests": Object{"storage": quantity(v.Size)}},
		},
	}
}

// secret returns the Secret of a server's password.
func (p Plan) secret(environment string, content Object) Object {
	return Object{
		"apiVersion": "v1", "kind": "Secret", "type": "Opaque",
		"metadata": p.metadata(p.name(environment, roleServer), p.labels(environment, roleServer)), "stringData": content,
	}
}

// startup returns a probe that ends once the server has started: later probes would disturb the runs.
func startup(how Object) Object {
	probe := Object{"periodSeconds": int64(1), "failureThreshold": int64(600)}
	for key, value := range how {
		probe[key] = value
	}
	return probe
}

// literal returns an argument in which Kubernetes finds no reference to a variable, $(NAME).
func literal(argument string) string { return strings.ReplaceAll(argument, "$", "$$") }

// list returns values as a list of the API.
func list[T any](values []T) []any {
	all := make([]any, len(values))
	for i, value := range values {
		all[i] = value
	}
	return all
}

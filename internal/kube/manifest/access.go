package manifest

import (
	"slices"

	"plinth/internal/experiment"
)

// Access returns the rights that plinth needs in the namespace of the experiment: a Role, a
// ServiceAccount for a plinth that runs in a pod of the cluster, and the RoleBinding between the two.
func (p Plan) Access() []Object {
	name, namespace := p.single(roleAccess), p.Experiment.Kubernetes.Namespace
	labelled := func(version, kind string, more Object) Object {
		o := Object{"apiVersion": version, "kind": kind, "metadata": p.metadata(name, p.labels("", roleAccess))}
		for key, value := range more {
			o[key] = value
		}
		return o
	}
	const group = "rbac.authorization.k8s.io"
	return []Object{
		labelled("v1", "ServiceAccount", nil),
		labelled(group+"/v1", "Role", Object{"rules": p.Rules()}),
		labelled(group+"/v1", "RoleBinding", Object{
			"roleRef":  Object{"apiGroup": group, "kind": "Role", "name": name},
			"subjects": []any{Object{"kind": "ServiceAccount", "name": name, "namespace": namespace}},
		}),
	}
}

// Rules returns the rules of that Role, for the kinds of objects that the experiment has.
func (p Plan) Rules() []any {
	// Server-side apply is a patch, which also needs the right to create.
	manage := []any{"get", "list", "watch", "create", "patch", "delete"}
	rule := func(group string, verbs []any, resources ...string) Object {
		return Object{"apiGroups": []any{group}, "resources": list(resources), "verbs": slices.Clone(verbs)}
	}
	rules := []any{
		rule("batch", manage, "jobs"),
		rule("", manage, "pods"), // those that read the nodes
		rule("", []any{"get", "list", "watch"}, "events", "services"),
		rule("", []any{"get", "create"}, "pods/exec"), // over a WebSocket, or over SPDY
		rule("", []any{"get"}, "pods/log"),
		rule("", []any{"get"}, "secrets"), // the passwords that CloudNativePG chooses
	}
	if p.Experiment.Durability.Fault == experiment.FaultDrain {
		rules = append(rules, rule("", []any{"create"}, "pods/eviction"))
	}
	own, cnpg, known := false, false, false
	for _, env := range p.Experiment.OnKubernetes() {
		kind, _ := env.Kubernetes.Of()
		switch {
		case env.Kubernetes.Operator == experiment.OperatorCNPG:
			cnpg = true
		case !env.Existing():
			own = true
		case kind == "cluster":
			known = true
		}
	}
	if own {
		rules = append(rules, rule("apps", manage, "statefulsets"), rule("", []any{"get", "list", "create", "patch", "delete"}, "services", "secrets"))
	}
	switch {
	case own || cnpg:
		rules = append(rules, rule("", []any{"get", "list", "watch", "delete"}, "persistentvolumeclaims"))
	case known: // plinth looks at those of the pods that it waits for
		rules = append(rules, rule("", []any{"get", "list"}, "persistentvolumeclaims"))
	}
	switch {
	case cnpg:
		rules = append(rules, rule(groupCNPG, manage, "clusters"))
	case known:
		rules = append(rules, rule(groupCNPG, []any{"get", "list", "watch"}, "clusters"))
	}
	return rules
}

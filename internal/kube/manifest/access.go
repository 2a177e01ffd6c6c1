package manifest

import (
	"slices"

	"plinth/internal/experiment"
)

// Access returns the rights that plinth needs in the namespace of the experiment: a Role, a
// ServiceAccount for a plinth that runs in a pod of the cluster, and the RoleBinding between the two. An
// experiment that drains nodes has a ClusterRole and its binding, too. They belong to the administrator who
// installs them, and not to a record: plinth does not delete them.
func (p Plan) Access() []Object {
	name, namespace := p.single(roleAccess), p.Experiment.Kubernetes.Namespace
	labels := func() Object { return Object{labelManager: "plinth", LabelRole: roleAccess} }
	object := func(version, kind string, metadata, more Object) Object {
		o := Object{"apiVersion": version, "kind": kind, "metadata": metadata}
		for key, value := range more {
			o[key] = value
		}
		return o
	}
	const group = "rbac.authorization.k8s.io"
	binding := func(kind string) Object {
		return Object{
			"roleRef":  Object{"apiGroup": group, "kind": kind, "name": name},
			"subjects": []any{Object{"kind": "ServiceAccount", "name": name, "namespace": namespace}},
		}
	}
	access := []Object{
		object("v1", "ServiceAccount", p.metadata(name, labels()), nil),
		object(group+"/v1", "Role", p.metadata(name, labels()), Object{"rules": p.Rules()}),
		object(group+"/v1", "RoleBinding", p.metadata(name, labels()), binding("Role")),
	}
	if rules := p.ClusterRules(); rules != nil {
		access = append(access,
			object(group+"/v1", "ClusterRole", Object{"name": name, "labels": labels()}, Object{"rules": rules}),
			object(group+"/v1", "ClusterRoleBinding", Object{"name": name, "labels": labels()}, binding("ClusterRole")))
	}
	return access
}

// ClusterRules returns the rules of a ClusterRole that the experiment needs: those on nodes, if it drains
// them.
func (p Plan) ClusterRules() []any {
	if p.Experiment.Durability.Fault != experiment.FaultDrain {
		return nil
	}
	return []any{
		ruleFor("", []any{"get", "list", "patch"}, "nodes"),
		ruleFor("", []any{"get"}, "persistentvolumes"), // which nodes can use them
	}
}

// FaultRules returns the rules of a Role that only the experiment's fault needs.
func (p Plan) FaultRules() []any {
	switch p.Experiment.Durability.Fault {
	case "":
		return nil
	case experiment.FaultDrain:
		return []any{ruleFor("", []any{"create"}, "pods/eviction")}
	}
	return []any{ruleFor("", []any{"delete"}, "pods")}
}

func ruleFor(group string, verbs []any, resources ...string) Object {
	return Object{"apiGroups": []any{group}, "resources": list(resources), "verbs": slices.Clone(verbs)}
}

// Rules returns the rules of that Role, for the kinds of objects that the experiment has.
func (p Plan) Rules() []any {
	// Server-side apply is a patch, which also needs the right to create.
	manage := []any{"get", "list", "watch", "create", "patch", "delete"}
	rules := []any{
		ruleFor("batch", manage, "jobs"),
		ruleFor("", manage, "pods"), // those that read the nodes
		ruleFor("", []any{"get", "list", "watch"}, "events", "services"),
		ruleFor("", []any{"get", "create"}, "pods/exec"), // over a WebSocket, or over SPDY
		ruleFor("", []any{"get"}, "pods/log"),
		ruleFor("", []any{"get"}, "secrets"), // the passwords that CloudNativePG chooses
	}
	if p.Experiment.Durability.Fault == experiment.FaultDrain {
		rules = append(rules, p.FaultRules()...)
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
		rules = append(rules, ruleFor("apps", manage, "statefulsets"), ruleFor("", []any{"get", "list", "create", "patch", "delete"}, "services", "secrets"))
	}
	switch {
	case own || cnpg:
		rules = append(rules, ruleFor("", []any{"get", "list", "watch", "delete"}, "persistentvolumeclaims"))
	case known: // plinth looks at those of the pods that it waits for
		rules = append(rules, ruleFor("", []any{"get", "list"}, "persistentvolumeclaims"))
	}
	switch {
	case cnpg:
		rules = append(rules, ruleFor(GroupCNPG, manage, "clusters"))
	case known:
		rules = append(rules, ruleFor(GroupCNPG, []any{"get", "list", "watch"}, "clusters"))
	}
	return rules
}

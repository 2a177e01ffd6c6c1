package manifest

import (
	"plinth/internal/experiment"
)

// Endpoint says how pods of the cluster reach an environment's server, and which Secret has what is
// needed to log in.
type Endpoint struct {
	Host string // the name of a Service, which the cluster's DNS resolves in the same namespace
	Port int64
	User string

	Secret      string // its name; empty if it is not known
	UserKey     string // the key of the user, which replaces User; may be empty
	PasswordKey string
}

// Endpoint returns how an environment's server is reached. CloudNativePG's Service NAME-rw leads to the
// primary, and its Secret NAME-superuser has the password of postgres. The port of an existing Service is the
// usual one of the server: only the cluster knows that of the Service.
//
// https://cloudnative-pg.io/docs/1.28/applications
func (p Plan) Endpoint(env experiment.Environment) Endpoint {
	kind, name := env.Kubernetes.Of()
	redis := p.Experiment.Engine == experiment.EngineRedis
	switch {
	case env.Kubernetes.Operator == experiment.OperatorCNPG:
		kind, name = "cluster", p.name(env.Name, roleServer)
	case !env.Existing():
		name = p.name(env.Name, roleServer)
	}
	e := Endpoint{Host: name, Port: postgresPort, User: "postgres", PasswordKey: passwordKey}
	switch {
	case kind == "cluster":
		e.Host, e.Secret, e.UserKey = name+"-rw", name+"-superuser", "username"
	case redis:
		e.Port, e.User = redisPort, "default"
	}
	switch {
	case !env.Existing() && kind != "cluster":
		e.Secret = name
	case kind == "service" && env.Kubernetes.Secret != "":
		e.Secret, e.UserKey = env.Kubernetes.Secret, "username"
	}
	return e
}

// Main returns the kind and the name of the object that runs an environment's server: a Cluster or a
// StatefulSet, or the Service that leads to it.
func (p Plan) Main(env experiment.Environment) (kind, name string) {
	switch of, existing := env.Kubernetes.Of(); {
	case of == "cluster":
		return "Cluster", existing
	case of == "service":
		return "Service", existing
	case env.Kubernetes.Operator == experiment.OperatorCNPG:
		return "Cluster", p.name(env.Name, roleServer)
	}
	return "StatefulSet", p.name(env.Name, roleServer)
}

// Pods returns the labels of the pod of an environment's server: of the primary, if there are replicas.
// It returns nil for an existing Service, whose own selector says it.
func (p Plan) Pods(env experiment.Environment) map[string]string {
	switch kind, name := p.Main(env); kind {
	case "Cluster":
		return map[string]string{LabelCNPG: name, "cnpg.io/instanceRole": "primary"}
	case "StatefulSet":
		return texts(p.selector(env.Name, roleServer))
	}
	return nil
}

// LoadPods returns the labels of the pods of the load generators.
func (p Plan) LoadPods() map[string]string { return texts(p.selector("", roleLoad)) }

// KeeperPods returns the labels of the pod of the keeper.
func (p Plan) KeeperPods() map[string]string { return texts(p.selector("", roleKeeper)) }

// ReaderPods returns the labels of the pod that reads the node of an environment's server.
func (p Plan) ReaderPods(env experiment.Environment) map[string]string {
	return texts(p.selector(env.Name, roleReader))
}

func texts(labels Object) map[string]string {
	all := map[string]string{}
	for name, value := range labels {
		all[name], _ = value.(string)
	}
	return all
}

// Package manifest builds the objects of an experiment on Kubernetes: the servers of its environments,
// the pods of its load generators, and what they need. It is pure: it knows no cluster.
//
// Objects are plain maps with the fields of the API, as they appear in YAML. The Go types of
// CloudNativePG would bring some 900 packages, those of Kubernetes several hundred more, and neither
// would find more mistakes than the API server does: it checks an object's fields, types and values
// when the object is sent with a dry run, by the schema of the version that the cluster really has.
package manifest

import (
	"cmp"
	"regexp"
	"strings"

	"plinth/internal/experiment"
)

// Object is an object of the Kubernetes API, or a part of one. Its values are those that client-go
// accepts: Object, []any, string, int64 and bool.
type Object = map[string]any

// Plan says for which experiment objects are built, and how they are marked.
type Plan struct {
	Experiment *experiment.Experiment
	Record     string        // the name of the record; all objects are labelled with it
	Version    string        // plinth's, for its image
	Password   func() string // returns a new password; called once for each server that needs one
}

// Server returns the objects of an environment's server and its replica; none for a server that exists.
func (p Plan) Server(env experiment.Environment) ([]Object, error) {
	switch {
	case env.Existing():
		return nil, nil
	case env.Kubernetes.Operator == experiment.OperatorCNPG:
		return []Object{p.cluster(env)}, nil
	case p.Experiment.Engine == experiment.EngineRedis:
		return p.redis(env)
	}
	return p.postgres(env), nil
}

// Namespace returns the namespace of the experiment, for a cluster that does not have it.
func (p Plan) Namespace() Object {
	return Object{
		"apiVersion": "v1", "kind": "Namespace",
		"metadata": Object{"name": p.Experiment.Kubernetes.Namespace, "labels": p.labels("", roleNamespace)},
	}
}

// Own makes the keeper the owner of objects: when its Job is deleted, the cluster deletes them, too.
// uid is that of the Job in the cluster.
func (p Plan) Own(objects []Object, uid string) {
	for _, o := range objects {
		metadata, is := o["metadata"].(Object)
		if !is {
			continue
		}
		metadata["ownerReferences"] = []any{Object{"apiVersion": "batch/v1", "kind": "Job", "name": p.single(roleKeeper), "uid": uid}}
	}
}

// Image returns plinth's own image.
func (p Plan) Image() string {
	return cmp.Or(p.Experiment.Kubernetes.Image, "localhost/plinth:"+tag(p.Version))
}

var notInTag = regexp.MustCompile(`[^A-Za-z0-9_.-]`)

// tag returns a version as the tag of an image. scripts/image names the image in the same way.
func tag(version string) string {
	clean := strings.TrimLeft(notInTag.ReplaceAllString(version, "-"), ".-")
	return clean[:min(len(clean), 128)]
}

// metadata returns the metadata of an object in the experiment's namespace.
func (p Plan) metadata(name string, labels Object) Object {
	m := Object{"name": name, "labels": labels}
	if namespace := p.Experiment.Kubernetes.Namespace; namespace != "" {
		m["namespace"] = namespace
	}
	return m
}

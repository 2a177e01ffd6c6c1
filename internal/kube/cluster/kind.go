package cluster

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"plinth/internal/hint"
	"plinth/internal/kube/manifest"
)

var version1 = schema.GroupVersion{Version: "v1"}

// kind is a kind of objects that plinth creates. Asking the API server which kinds it has would find
// the same.
type kind struct {
	name     string
	resource schema.GroupVersionResource
	global   bool // not in a namespace
}

// kinds are in the order in which they are deleted: a keeper's Job takes what it owns along, and a
// claim stays as long as a pod uses it.
var kinds = []kind{
	{"Job", schema.GroupVersionResource{Group: "batch", Version: "v1", Resource: "jobs"}, false},
	{"Cluster", schema.GroupVersionResource{Group: manifest.GroupCNPG, Version: "v1", Resource: "clusters"}, false},
	{"StatefulSet", schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "statefulsets"}, false},
	{"Pod", version1.WithResource("pods"), false},
	{"PersistentVolumeClaim", version1.WithResource("persistentvolumeclaims"), false},
	{"Service", version1.WithResource("services"), false},
	{"Secret", version1.WithResource("secrets"), false},
	{"RoleBinding", schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "rolebindings"}, false},
	{"Role", schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "roles"}, false},
	{"ServiceAccount", version1.WithResource("serviceaccounts"), false},
	{"Namespace", version1.WithResource("namespaces"), true},
}

// kindNamed returns the kind with a name.
func kindNamed(name string) (kind, error) {
	for _, k := range kinds {
		if k.name == name {
			return k, nil
		}
	}
	return kind{}, fmt.Errorf("plinth creates no objects of kind %s", name)
}

// of returns the client for the objects of a kind in a namespace.
func (c *Cluster) of(k kind, namespace string) dynamic.ResourceInterface {
	if k.global {
		return c.objects.Resource(k.resource)
	}
	return c.objects.Resource(k.resource).Namespace(namespace)
}

// Ref names an object in the cluster's namespace.
type Ref struct{ Kind, Name string }

func (r Ref) String() string { return r.Kind + " " + r.Name }

// RefOf returns the name of an object.
func RefOf(o Object) Ref { return refOf(&unstructured.Unstructured{Object: o}) }

// UID returns the identity of an object that the cluster has stored.
func UID(o Object) string { return string((&unstructured.Unstructured{Object: o}).GetUID()) }

// refOf returns the name of an object.
func refOf(o *unstructured.Unstructured) Ref { return Ref{o.GetKind(), o.GetName()} }

// notInstalled is the error for a kind that the cluster does not have.
func (k kind) notInstalled(err error) error {
	if k.resource.Group == manifest.GroupCNPG {
		return hint.Errorf("install CloudNativePG 1.28 or later (https://cloudnative-pg.io/docs/), or use operator: none",
			"the cluster has no CloudNativePG: it does not know %s", k.resource.GroupResource())
	}
	return hint.Wrap(fmt.Errorf("the cluster does not know %s: %w", k.resource.GroupResource(), err), "plinth needs Kubernetes 1.27 or later")
}

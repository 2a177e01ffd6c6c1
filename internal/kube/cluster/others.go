package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"plinth/internal/kube/manifest"
)

// other is an object of others in a namespace.
type other struct {
	ref    Ref
	kind   kind
	record string // that of another experiment of plinth, or ""
}

// derived are resources that clusters keep about other objects: they are no one's own.
var derived = []string{"events", "endpoints", "endpointslices"}

// groupMetrics is the API of what pods use now, which has an object for each pod.
const groupMetrics = "metrics.k8s.io"

// listable returns all kinds of objects that a namespace of this cluster can have, as the API server tells.
func (c *Cluster) listable(ctx context.Context) ([]kind, error) {
	var groups metav1.APIGroupList
	if err := c.read(ctx, "/apis", &groups); err != nil {
		return nil, err
	}
	paths := []string{"/api/v1"}
	for _, group := range groups.Groups {
		for _, version := range group.Versions {
			if group.Name != groupMetrics {
				paths = append(paths, "/apis/"+version.GroupVersion)
			}
		}
	}
	var all []kind
	for _, path := range paths {
		var resources metav1.APIResourceList
		if err := c.read(ctx, path, &resources); err != nil {
			return nil, err
		}
		version, err := schema.ParseGroupVersion(resources.GroupVersion)
		if err != nil {
			return nil, err
		}
		for _, r := range resources.APIResources {
			k := kind{r.Kind, version.WithResource(r.Name), false}
			// An object has the same name and identity in all versions of its group.
			known := slices.ContainsFunc(all, func(other kind) bool { return other.resource.GroupResource() == k.resource.GroupResource() })
			if r.Namespaced && slices.Contains(r.Verbs, "list") && !strings.Contains(r.Name, "/") && !slices.Contains(derived, r.Name) && !known {
				all = append(all, k)
			}
		}
	}
	return all, nil
}

// read reads an answer of the API server.
func (c *Cluster) read(ctx context.Context, path string, into any) error {
	answer, err := c.get(ctx, path, nil)
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", path, err)
	}
	return json.Unmarshal(answer, into)
}

// automatic are the objects that clusters create in every namespace: Kubernetes, OpenShift and Istio.
var automatic = map[string][]string{
	"ServiceAccount": {"default", "builder", "deployer"},
	"ConfigMap":      {"kube-root-ca.crt", "openshift-service-ca.crt", "istio-ca-root-cert"},
	"RoleBinding":    {"system:deployers", "system:image-builders", "system:image-pullers"},
}

// isAutomatic reports whether an object is one of them, or one that CloudNativePG keeps in a namespace for all
// its Clusters, which are looked at themselves.
func isAutomatic(o *unstructured.Unstructured) bool {
	if slices.Contains(automatic[o.GetKind()], o.GetName()) {
		return true
	}
	if slices.Contains([]string{"ConfigMap", "Secret"}, o.GetKind()) && o.GetLabels()["app.kubernetes.io/managed-by"] == "cloudnative-pg" {
		return true
	}
	account := o.GetAnnotations()["kubernetes.io/service-account.name"] // whose token it is
	return o.GetKind() == "Secret" && slices.Contains(automatic["ServiceAccount"], account)
}

// others lists what is in the cluster's namespace, except what belongs to the record's objects, whose
// identities mine has and gets, and what clusters create by themselves. A kind that cannot be listed is an error.
func (c *Cluster) others(ctx context.Context, kinds []kind, mine map[string]bool) ([]other, error) {
	var failed error
	var all []other
	var objects []*unstructured.Unstructured
	for _, k := range kinds {
		list, err := c.of(k, c.Namespace).List(ctx, metav1.ListOptions{})
		switch {
		case isGone(err), apierrors.IsMethodNotSupported(err):
			continue
		case apierrors.IsForbidden(err):
			failed = errors.Join(failed, c.unseen(err))
			continue
		case err != nil:
			failed = errors.Join(failed, fmt.Errorf("cannot list %s: %w", k.resource.Resource, c.explain(err)))
			continue
		}
		for i := range list.Items {
			o := &list.Items[i]
			objects = append(objects, o)
			all = append(all, other{ref: Ref{k.name, o.GetName()}, kind: k, record: o.GetLabels()[manifest.LabelRecord]})
		}
	}
	addOwned(objects, mine)
	var found []other
	for i, o := range objects {
		if !mine[string(o.GetUID())] && o.GetDeletionTimestamp() == nil {
			found = append(found, all[i])
		}
	}
	return found, failed
}

// addOwned adds to the identities of some owners those of what they own, of what that owns, and so on, and of
// what clusters create by themselves.
func addOwned(objects []*unstructured.Unstructured, owners map[string]bool) {
	for changed := true; changed; {
		changed = false
		for _, o := range objects {
			uid := string(o.GetUID())
			owned := slices.ContainsFunc(o.GetOwnerReferences(), func(owner metav1.OwnerReference) bool { return owners[string(owner.UID)] })
			if !owners[uid] && (owned || isAutomatic(o)) {
				owners[uid], changed = true, true
			}
		}
	}
}

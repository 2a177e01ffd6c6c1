package cluster

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Raw returns what the API server answers at a path: its own answer, or that of a kubelet behind it.
func (c *Cluster) Raw(ctx context.Context, path string, query url.Values) ([]byte, error) {
	answer, err := c.get(ctx, path, query)
	if err != nil {
		return nil, c.explain(err)
	}
	return answer, nil
}

// IsGone reports whether an error says that an object, or a whole API, does not exist.
func IsGone(err error) bool { return isGone(err) }

// Right is the permission for one verb on one kind of objects.
type Right struct{ Group, Resource, Verb string }

var reviews = schema.GroupVersionResource{Group: "authorization.k8s.io", Version: "v1", Resource: "selfsubjectaccessreviews"}

// Allowed reports whether the account has a right in the cluster's namespace. It asks the API server
// about this right: the list of all rights of an account lacks those that a cloud provider's
// authorizer grants.
func (c *Cluster) Allowed(ctx context.Context, right Right) (bool, error) {
	asked := Object{"group": right.Group, "resource": right.Resource, "verb": right.Verb, "namespace": c.Namespace}
	if resource, sub, is := strings.Cut(right.Resource, "/"); is {
		asked["resource"], asked["subresource"] = resource, sub
	}
	review := &unstructured.Unstructured{Object: Object{
		"apiVersion": reviews.GroupVersion().String(), "kind": "SelfSubjectAccessReview",
		"spec": Object{"resourceAttributes": asked},
	}}
	answer, err := c.objects.Resource(reviews).Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return false, fmt.Errorf("cannot ask for the right to %s %s: %w", right.Verb, right.Resource, c.explain(err))
	}
	allowed, _, err := unstructured.NestedBool(answer.Object, "status", "allowed")
	return allowed, err
}

package cluster

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"plinth/internal/hint"
	"plinth/internal/kube/manifest"
)

// manager is the name under which the API server remembers which fields plinth has set.
const manager = "plinth"

// Apply creates objects, in this order, and returns them as the cluster has them. An object that exists
// is changed if it carries the same record's label, and is an error otherwise.
func (c *Cluster) Apply(ctx context.Context, objects ...Object) ([]Object, error) {
	return c.applyAll(ctx, objects, metav1.ApplyOptions{FieldManager: manager})
}

// DryRun has the API server check objects as if they were created: their fields and values, the rights
// of the account, admission and quotas. It changes nothing. Objects in a namespace cannot be checked
// before the namespace exists.
func (c *Cluster) DryRun(ctx context.Context, objects ...Object) error {
	_, err := c.applyAll(ctx, objects, metav1.ApplyOptions{FieldManager: manager, DryRun: []string{metav1.DryRunAll}})
	return err
}

func (c *Cluster) applyAll(ctx context.Context, objects []Object, options metav1.ApplyOptions) ([]Object, error) {
	made := make([]Object, 0, len(objects))
	for _, object := range objects {
		o := &unstructured.Unstructured{Object: object}
		stored, err := c.apply(ctx, o, options)
		if err != nil {
			return made, fmt.Errorf("cannot create %s: %w", refOf(o), err)
		}
		made = append(made, stored.Object)
	}
	return made, nil
}

func (c *Cluster) apply(ctx context.Context, o *unstructured.Unstructured, options metav1.ApplyOptions) (*unstructured.Unstructured, error) {
	k, err := kindNamed(o.GetKind())
	if err != nil {
		return nil, err
	}
	record := o.GetLabels()[manifest.LabelRecord]
	if record == "" {
		return nil, fmt.Errorf("it has no label %s", manifest.LabelRecord)
	}
	namespace := o.GetNamespace()
	if namespace == "" {
		namespace = c.Namespace
	}
	client := c.of(k, namespace)
	existing, err := client.Get(ctx, o.GetName(), metav1.GetOptions{})
	switch {
	case err == nil && existing.GetLabels()[manifest.LabelRecord] != record:
		return nil, hint.Errorf("plinth changes nothing that it did not create: delete or rename it, or choose another namespace",
			"it exists, and does not carry the label %s: %s", manifest.LabelRecord, record)
	case err != nil && !apierrors.IsNotFound(err):
		return nil, c.explain(err)
	}
	stored, err := client.Apply(ctx, o.GetName(), o, options)
	if isUnknownKind(err) {
		return nil, k.notInstalled(err)
	}
	if err != nil {
		return nil, c.explain(err)
	}
	return stored, nil
}

// isUnknownKind reports whether an error says that the cluster does not have a kind, rather than an
// object: only then is the answer no object of the API, but the words "page not found".
func isUnknownKind(err error) bool {
	return apierrors.IsNotFound(err) && apierrors.IsUnexpectedServerError(err)
}

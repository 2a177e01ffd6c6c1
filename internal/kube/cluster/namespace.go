package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/kube/manifest"
)

// Several experiments may use a namespace that plinth created. It belongs to the one that began last
// (TakeOver), so that an earlier one does not delete it. At its end, that one leaves it to another one that
// is still there. The last one deletes it.

var kindNamespace, _ = kindNamed("Namespace")

// State says whether the cluster has a namespace.
type State int

// The states of a namespace.
const (
	Absent State = iota
	Present
	Leaving // it is being deleted
)

// Namespaced returns the state of the cluster's namespace. An account that may use it, but not read it, has
// it.
func (c *Cluster) Namespaced(ctx context.Context) (State, error) {
	_, state, err := c.namespace(ctx)
	return state, err
}

func (c *Cluster) namespace(ctx context.Context) (*unstructured.Unstructured, State, error) {
	o, err := c.of(kindNamespace, "").Get(ctx, c.Namespace, metav1.GetOptions{})
	switch {
	case isGone(err):
		return nil, Absent, nil
	case apierrors.IsForbidden(err):
		return nil, Present, nil
	case err != nil:
		return nil, Absent, fmt.Errorf("cannot read the namespace %s: %w", c.Namespace, c.explain(err))
	case o.GetDeletionTimestamp() != nil:
		return o, Leaving, nil
	}
	return o, Present, nil
}

// AwaitNamespace waits while the cluster's namespace is being deleted, and reports whether it is there.
func (c *Cluster) AwaitNamespace(ctx context.Context, within time.Duration) (bool, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, within, errTooLate)
	defer cancel()
	for {
		state, err := c.Namespaced(ctx)
		if err != nil || state != Leaving {
			return state == Present, err
		}
		if host.Sleep(ctx, c.every) != nil {
			return false, hint.Wrap(fmt.Errorf("the namespace %s is still being deleted: %w", c.Namespace, context.Cause(ctx)),
				"kubectl get namespace "+c.Namespace+" --output yaml says what it waits for (status.conditions)")
		}
	}
}

// TakeOver makes the cluster's namespace that of a record, if another experiment created it. It returns
// false if the namespace is gone, or is being deleted with everything in it.
func (c *Cluster) TakeOver(ctx context.Context, record string) (bool, error) {
	for {
		o, state, err := c.namespace(ctx)
		if err != nil || state != Present || o == nil {
			return state == Present, err
		}
		of, label := o.GetLabels()[manifest.LabelRecord], manifest.LabelValue(record)
		if of == "" || of == label {
			return true, nil
		}
		err = c.assign(ctx, o.GetResourceVersion(), label)
		switch {
		case apierrors.IsConflict(err), isGone(err): // it has changed meanwhile
		case apierrors.IsForbidden(err): // it stays as long as it has other objects
			return true, nil
		case err != nil:
			return false, fmt.Errorf("cannot change the namespace %s: %w", c.Namespace, c.explain(err))
		}
	}
}

// assign makes the cluster's namespace that of a record, unless its content is no longer that of a version.
func (c *Cluster) assign(ctx context.Context, version, label string) error {
	metadata := Object{"labels": Object{manifest.LabelRecord: label}}
	if version != "" {
		metadata["resourceVersion"] = version
	}
	patch, err := json.Marshal(Object{"metadata": metadata})
	if err == nil {
		_, err = c.of(kindNamespace, "").Patch(ctx, c.Namespace, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: manager})
	}
	return err
}

// IsLeaving reports whether an object could not be created because its namespace is being deleted.
func IsLeaving(err error) bool {
	return apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause)
}

// UsedError says why a namespace that plinth created stays.
type UsedError struct{ Namespace, Reason string }

func (e *UsedError) Error() string {
	return fmt.Sprintf("cannot delete the namespace %s: %s", e.Namespace, e.Reason)
}

// Stays returns a line that says that a namespace stays, and why, if an error says so; "" otherwise.
func Stays(err error) string {
	used := new(UsedError)
	if !errors.As(err, &used) {
		return ""
	}
	return fmt.Sprintf("the namespace %s stays: %s (hint: %s)", used.Namespace, used.Reason, hint.Of(err))
}

// leave reports whether nothing of others is in a namespace, so that it can be deleted. If another
// experiment is there, the namespace is left to it. What others have there is an error.
func (c *Cluster) leave(ctx context.Context, namespace Leftover, mine map[string]bool) (free bool, err error) {
	patient, cancel := context.WithTimeout(ctx, c.patience)
	defer cancel()
	all, err := c.listable(ctx)
	for passes(err) && host.Sleep(patient, c.every) == nil {
		all, err = c.listable(ctx)
	}
	if err != nil {
		return false, c.unseen(err)
	}
	for {
		found, err := c.others(ctx, all, mine)
		i := slices.IndexFunc(found, func(o other) bool { return o.record != "" && o.record != namespace.Record })
		switch {
		case i >= 0:
			return false, c.handOver(ctx, namespace, found[i].record)
		case err != nil:
			return false, err
		case len(found) == 0:
			return true, nil
		}
		// The cluster deletes what belonged to a deleted object some seconds later.
		if host.Sleep(patient, c.every) != nil {
			return false, c.used(found)
		}
		all = slices.DeleteFunc(all, func(k kind) bool {
			return !slices.ContainsFunc(found, func(o other) bool { return o.kind == k })
		})
	}
}

// used is the error for a namespace in which others have objects.
func (c *Cluster) used(found []other) error {
	var names []string
	for _, o := range found {
		names = append(names, o.ref.String())
	}
	slices.Sort(names)
	if more := len(names) - shownOthers; more > 0 {
		names = append(names[:shownOthers], fmt.Sprintf("%d more", more))
	}
	return hint.Wrap(&UsedError{c.Namespace, "plinth did not create " + strings.Join(names, ", ") + " in it"},
		"delete them, or keep the namespace: kubectl label namespace "+c.Namespace+" "+manifest.LabelRecord+"-")
}

// shownOthers is how many objects of others an error names.
const shownOthers = 5

// unseen is the error for a namespace in which others may have objects.
func (c *Cluster) unseen(err error) error {
	explained := c.explain(err)
	advice := "kubectl delete namespace " + c.Namespace + " deletes it, if it contains nothing else"
	if more := hint.Of(explained); more != "" {
		advice += "; or " + more
	}
	return hint.Wrap(&UsedError{c.Namespace, "plinth cannot see whether it contains other objects: " + err.Error()}, advice)
}

// handOver leaves the namespace to another record. That record's experiment may have ended just before: the
// namespace is then taken back.
func (c *Cluster) handOver(ctx context.Context, namespace Leftover, record string) error {
	if err := c.assign(ctx, namespace.version, record); err != nil {
		if apierrors.IsConflict(err) || isGone(err) {
			return nil
		}
		return fmt.Errorf("cannot leave the namespace %s to %s: %w", c.Namespace, record, c.explain(err))
	}
	theirs, err := c.labelled(ctx, manifest.LabelRecord+"="+record, func(kind) bool { return true })
	if err == nil && !slices.ContainsFunc(theirs, func(l Leftover) bool { return !l.kind.global }) {
		_, err = c.TakeOver(ctx, namespace.Record)
	}
	return err
}

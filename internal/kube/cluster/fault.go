package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/kube/manifest"
)

// DeletePod deletes a pod, whose processes may take a while to end by themselves: a second at least. A new pod
// of the same name stays.
func (c *Cluster) DeletePod(ctx context.Context, pod Pod, grace time.Duration) error {
	seconds := int64(grace.Seconds())
	options := metav1.DeleteOptions{GracePeriodSeconds: &seconds, Preconditions: metav1.NewUIDPreconditions(pod.UID)}
	if err := c.of(kindPod, c.Namespace).Delete(ctx, pod.Name, options); err != nil {
		return fmt.Errorf("cannot delete the pod %s: %w", pod.Name, c.explain(err))
	}
	return nil
}

// Exists reports whether a pod is still there, and has not been replaced by one of the same name.
func (c *Cluster) Exists(ctx context.Context, pod Pod) (bool, error) {
	o, err := c.Get(ctx, Ref{kindPod.name, pod.Name})
	return o != nil && UID(o) == pod.UID, err
}

// Evict evicts a pod by the eviction API, as kubectl drain does: a PodDisruptionBudget may refuse it for a
// while.
func (c *Cluster) Evict(ctx context.Context, pod Pod, within time.Duration) error {
	eviction := &unstructured.Unstructured{Object: Object{
		"apiVersion": "policy/v1", "kind": "Eviction", "metadata": Object{"name": pod.Name, "namespace": c.Namespace},
		"deleteOptions": Object{"preconditions": Object{"uid": pod.UID}},
	}}
	for ends := time.Now().Add(within); ; {
		_, err := c.of(kindPod, c.Namespace).Create(ctx, eviction, metav1.CreateOptions{}, "eviction")
		switch {
		case err == nil, isGone(err), apierrors.IsConflict(err): // another pod has its name
			return nil
		case apierrors.IsTooManyRequests(err) && time.Now().Before(ends):
			if host.Sleep(ctx, c.every) == nil {
				continue
			}
			err = context.Cause(ctx)
		case apierrors.IsTooManyRequests(err):
			err = hint.Wrap(err, "kubectl get poddisruptionbudget --namespace "+c.Namespace+" shows what protects the pod")
		default:
			err = c.explain(err)
		}
		return fmt.Errorf("cannot evict the pod %s: %w", pod.Name, err)
	}
}

var (
	nodes   = version1.WithResource("nodes")
	volumes = version1.WithResource("persistentvolumes")
)

// What is on a node that plinth has cordoned, so that any plinth finds and uncordons it: a label with the
// record, as LabelRecord has it on what plinth creates, and the namespace of the experiment.
const (
	labelCordoned       = "plinth/cordoned"
	annotationNamespace = "plinth/namespace"
)

// Cordon keeps new pods off a node. A node that others have cordoned before is not changed; one that is cordoned for
// another experiment, which will uncordon it, is an error.
func (c *Cluster) Cordon(ctx context.Context, node, record string) error {
	found, err := c.objects.Resource(nodes).Get(ctx, node, metav1.GetOptions{})
	if err == nil {
		if cordoned, _, _ := unstructured.NestedBool(found.Object, "spec", "unschedulable"); cordoned {
			if other := found.GetLabels()[labelCordoned]; other != "" && other != manifest.LabelValue(record) {
				return hint.Errorf("wait for the end of that experiment; if it was killed, plinth clean --kubernetes uncordons the node",
					"cannot cordon the node %s: it is cordoned for another experiment, %s", node, other)
			}
			return nil
		}
		err = c.patchNode(ctx, found, true, manifest.LabelValue(record), c.Namespace)
	}
	if err != nil {
		return fmt.Errorf("cannot cordon the node %s: %w", node, c.explain(err))
	}
	return nil
}

// Uncordon undoes Cordon, unless another user has uncordoned the node meanwhile, or the node is gone.
func (c *Cluster) Uncordon(ctx context.Context, node, record string) error {
	found, err := c.objects.Resource(nodes).Get(ctx, node, metav1.GetOptions{})
	switch {
	case isGone(err):
		return nil
	case err == nil && found.GetLabels()[labelCordoned] != manifest.LabelValue(record):
		return nil
	case err == nil:
		err = c.patchNode(ctx, found, false, nil, nil)
	}
	if err != nil {
		return hint.Wrap(fmt.Errorf("cannot uncordon the node %s: %w", node, c.explain(err)), "kubectl uncordon "+node)
	}
	return nil
}

// cordonedNodes lists the nodes that plinth has cordoned for experiments in the cluster's namespace, or in
// any. An account that may not list nodes, or a cluster that has none, has none of them.
func (c *Cluster) cordonedNodes(ctx context.Context) ([]unstructured.Unstructured, error) {
	all, err := c.objects.Resource(nodes).List(ctx, metav1.ListOptions{LabelSelector: labelCordoned})
	switch {
	case apierrors.IsForbidden(err), apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("cannot list nodes: %w", c.explain(err))
	}
	return slices.DeleteFunc(all.Items, func(o unstructured.Unstructured) bool {
		return c.Namespace != "" && o.GetAnnotations()[annotationNamespace] != c.Namespace
	}), nil
}

// patchNode cordons or uncordons a node, unless another one has its name now.
func (c *Cluster) patchNode(ctx context.Context, node *unstructured.Unstructured, cordoned bool, record, namespace any) error {
	patch, err := json.Marshal(Object{
		"metadata": Object{
			"labels": Object{labelCordoned: record}, "annotations": Object{annotationNamespace: namespace}, "uid": string(node.GetUID()),
		},
		"spec": Object{"unschedulable": cordoned},
	})
	if err != nil {
		return err
	}
	_, err = c.objects.Resource(nodes).Patch(ctx, node.GetName(), types.MergePatchType, patch, metav1.PatchOptions{FieldManager: manager})
	return err
}

// Usable reports whether pods without tolerations can be scheduled to a node.
func (n Node) Usable() bool {
	return n.Ready && !n.Cordoned && !slices.ContainsFunc(n.Taints, func(taint string) bool {
		return strings.HasSuffix(taint, ":NoSchedule") || strings.HasSuffix(taint, ":NoExecute")
	})
}

// Stuck returns the volume of a pod that no other one of some nodes can use, or "".
func (c *Cluster) Stuck(ctx context.Context, pod Pod, among []Node) (string, error) {
	found, err := c.pod(ctx, pod.Name)
	if err != nil {
		return "", err
	}
	for _, v := range found.Spec.Volumes {
		if v.PersistentVolumeClaim == nil {
			continue
		}
		volume, err := c.volumeOf(ctx, v.PersistentVolumeClaim.ClaimName)
		if err != nil {
			return "", err
		}
		if volume != nil && !slices.ContainsFunc(among, func(n Node) bool { return n.Name != found.Spec.NodeName && reaches(n, volume) }) {
			return volume.Name, nil
		}
	}
	return "", nil
}

// volumeOf returns the volume of a claim; nil if it has none, or the account may not read it.
func (c *Cluster) volumeOf(ctx context.Context, claim string) (*corev1.PersistentVolume, error) {
	bound, err := c.Get(ctx, Ref{kindClaim.name, claim})
	if err != nil || bound == nil {
		return nil, err
	}
	o, err := c.objects.Resource(volumes).Get(ctx, text(bound, "spec", "volumeName"), metav1.GetOptions{})
	switch {
	case isGone(err), NotAllowed(err):
		return nil, nil
	case err != nil:
		return nil, c.explain(err)
	}
	volume := &corev1.PersistentVolume{}
	return volume, runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, volume)
}

// reaches reports whether a node can use a volume, by the labels that the volume requires.
func reaches(n Node, volume *corev1.PersistentVolume) bool {
	affinity := volume.Spec.NodeAffinity
	if affinity == nil || affinity.Required == nil {
		return true
	}
	return slices.ContainsFunc(affinity.Required.NodeSelectorTerms, func(term corev1.NodeSelectorTerm) bool {
		return !slices.ContainsFunc(term.MatchExpressions, func(r corev1.NodeSelectorRequirement) bool {
			return r.Operator == corev1.NodeSelectorOpIn && !slices.Contains(r.Values, n.labels[r.Key])
		})
	})
}

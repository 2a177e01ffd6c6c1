package cluster

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
)

// Get returns an object of the cluster's namespace, or a namespace; nil if it does not exist.
func (c *Cluster) Get(ctx context.Context, ref Ref) (Object, error) {
	k, err := kindNamed(ref.Kind)
	if err != nil {
		return nil, err
	}
	o, err := c.of(k, c.Namespace).Get(ctx, ref.Name, metav1.GetOptions{})
	switch {
	case isUnknownKind(err):
		return nil, k.notInstalled(err)
	case isGone(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("cannot read %s: %w", ref, c.explain(err))
	}
	return o.Object, nil
}

// Secret returns the content of a Secret; nil if it does not exist.
func (c *Cluster) Secret(ctx context.Context, name string) (map[string]string, error) {
	o, err := c.Get(ctx, Ref{"Secret", name})
	if o == nil || err != nil {
		return nil, err
	}
	data, _, _ := unstructured.NestedStringMap(o, "data")
	content := map[string]string{}
	for key, encoded := range data {
		value, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil {
			return nil, fmt.Errorf("cannot read Secret %s: its %s is not base64", name, key)
		}
		content[key] = string(value)
	}
	return content, nil
}

// Pod is a pod, as far as its user needs to know it.
type Pod struct {
	Name     string
	Node     string // empty until it is scheduled
	Image    string // of its first container
	ImageID  string // with the digest, as the node has it
	QoS      string // Guaranteed, Burstable or BestEffort
	UID      string
	Restarts int // of its containers
}

// Pods returns the pods of the cluster's namespace that have all of some labels, by name. Pods that are
// being deleted, or have ended, are left out.
func (c *Cluster) Pods(ctx context.Context, with map[string]string) ([]Pod, error) {
	list, err := c.of(kindPod, c.Namespace).List(ctx, metav1.ListOptions{LabelSelector: labels.Set(with).String()})
	if err != nil {
		return nil, fmt.Errorf("cannot list pods: %w", c.explain(err))
	}
	var all []Pod
	for i := range list.Items {
		var pod corev1.Pod
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(list.Items[i].Object, &pod); err != nil {
			return nil, fmt.Errorf("cannot read the pod %s: %w", list.Items[i].GetName(), err)
		}
		if pod.DeletionTimestamp == nil && pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed {
			all = append(all, summaryOf(&pod))
		}
	}
	slices.SortFunc(all, func(a, b Pod) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

func summaryOf(pod *corev1.Pod) Pod {
	p := Pod{Name: pod.Name, Node: pod.Spec.NodeName, QoS: string(pod.Status.QOSClass), UID: string(pod.UID)}
	if len(pod.Spec.Containers) > 0 {
		p.Image = pod.Spec.Containers[0].Image
	}
	for _, status := range pod.Status.ContainerStatuses {
		p.Restarts += int(status.RestartCount)
		if len(pod.Spec.Containers) > 0 && status.Name == pod.Spec.Containers[0].Name {
			p.ImageID = status.ImageID
		}
	}
	return p
}

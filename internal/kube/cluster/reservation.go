package cluster

import (
	"cmp"
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"plinth/internal/unit"
)

// Reservation holds what a pod has reserved of a node, and what it may use there at most.
type Reservation struct {
	Namespace, Pod, Node string
	Requests, Limits     Resources
	Unlimited            bool // a container of the pod has no CPU limit
}

// Resources are CPUs and memory.
type Resources struct {
	CPUs   float64
	Memory unit.Size
}

// podsAtOnce is how many pods the API server is asked for at once.
const podsAtOnce = 500

// Reservations returns those of the pods of all namespaces that are on a node, and have not ended.
func (c *Cluster) Reservations(ctx context.Context) ([]Reservation, error) {
	var all []Reservation
	options := metav1.ListOptions{FieldSelector: "status.phase!=Succeeded,status.phase!=Failed", Limit: podsAtOnce}
	for {
		list, err := c.of(kindPod, "").List(ctx, options)
		if err != nil {
			return nil, fmt.Errorf("cannot list the pods of all namespaces: %w", c.explain(err))
		}
		for i := range list.Items {
			var pod corev1.Pod
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(list.Items[i].Object, &pod); err != nil {
				return nil, fmt.Errorf("cannot read the pod %s: %w", list.Items[i].GetName(), err)
			}
			if pod.Spec.NodeName != "" {
				all = append(all, reservationOf(&pod))
			}
		}
		if options.Continue = list.GetContinue(); options.Continue == "" {
			return all, nil
		}
	}
}

func reservationOf(p *corev1.Pod) Reservation {
	r := Reservation{
		Namespace: p.Namespace, Pod: p.Name, Node: p.Spec.NodeName,
		Requests: total(p, func(r corev1.ResourceRequirements) corev1.ResourceList { return r.Requests }),
		Limits:   total(p, func(r corev1.ResourceRequirements) corev1.ResourceList { return r.Limits }),
	}
	for _, container := range p.Spec.Containers {
		r.Unlimited = r.Unlimited || container.Resources.Limits.Cpu().IsZero()
	}
	if whole := p.Spec.Resources; whole != nil && !whole.Limits.Cpu().IsZero() {
		r.Unlimited = false
	}
	return r
}

// total returns what the scheduler counts: the sum of the containers, or what the containers need that
// run before them, one after the other, if that is more. A sidecar, which is among those, keeps running.
// https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/#resource-sharing-within-containers
// What is declared for the pod as a whole takes the place of both.
func total(p *corev1.Pod, of func(corev1.ResourceRequirements) corev1.ResourceList) Resources {
	var sidecars, most, sum Resources
	for _, container := range p.Spec.InitContainers {
		needs := resourcesOf(of(container.Resources))
		if always := container.RestartPolicy; always != nil && *always == corev1.ContainerRestartPolicyAlways {
			sidecars = sidecars.plus(needs)
			needs = Resources{}
		}
		most = most.or(sidecars.plus(needs))
	}
	for _, container := range p.Spec.Containers {
		sum = sum.plus(resourcesOf(of(container.Resources)))
	}
	needs := most.or(sidecars.plus(sum))
	if p.Spec.Resources != nil {
		declared := resourcesOf(of(*p.Spec.Resources))
		needs = Resources{cmp.Or(declared.CPUs, needs.CPUs), cmp.Or(declared.Memory, needs.Memory)}
	}
	return needs.plus(resourcesOf(p.Spec.Overhead))
}

func resourcesOf(l corev1.ResourceList) Resources {
	return Resources{CPUs: float64(l.Cpu().MilliValue()) / 1000, Memory: unit.Size(l.Memory().Value())}
}

func (r Resources) plus(other Resources) Resources {
	return Resources{r.CPUs + other.CPUs, r.Memory + other.Memory}
}

// or returns the larger of each resource.
func (r Resources) or(other Resources) Resources {
	return Resources{max(r.CPUs, other.CPUs), max(r.Memory, other.Memory)}
}

package cluster

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Port is a TCP port of a Service.
type Port struct {
	Name   string // may be empty
	Number int64  // by which pods reach it
}

// Ports returns the TCP ports of a Service, as pods reach them by its name. That of a headless Service leads
// to its pods themselves: their ports count.
func (c *Cluster) Ports(ctx context.Context, name string) ([]Port, error) {
	o, err := c.Get(ctx, Ref{"Service", name})
	if err != nil || o == nil {
		return nil, err
	}
	service := &corev1.Service{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o, service); err != nil {
		return nil, fmt.Errorf("cannot read Service %s: %w", name, err)
	}
	var all []Port
	for _, port := range service.Spec.Ports {
		if port.Protocol != "" && port.Protocol != corev1.ProtocolTCP {
			continue
		}
		number := int64(port.Port)
		if target := port.TargetPort; service.Spec.ClusterIP == corev1.ClusterIPNone && target != (intstr.IntOrString{}) {
			if number, err = c.targetOf(ctx, service, target); err != nil {
				return nil, fmt.Errorf("cannot find the port %s of Service %s: %w", target.String(), name, err)
			}
		}
		all = append(all, Port{port.Name, number})
	}
	return all, nil
}

// targetOf returns the number of a port of the pods of a Service.
func (c *Cluster) targetOf(ctx context.Context, service *corev1.Service, target intstr.IntOrString) (int64, error) {
	if target.Type == intstr.Int {
		return int64(target.IntVal), nil
	}
	pods, err := readAll[corev1.Pod](ctx, c, kindPod)
	if err != nil {
		return 0, c.explain(err)
	}
	for _, pod := range pods {
		if !selects(service.Spec.Selector, pod.Labels) {
			continue
		}
		for _, container := range pod.Spec.Containers {
			for _, port := range container.Ports {
				if port.Name == target.StrVal {
					return int64(port.ContainerPort), nil
				}
			}
		}
	}
	return 0, errors.New("none of its pods has a port of that name")
}

// selects reports whether a selector selects an object with some labels.
func selects(selector, labels map[string]string) bool {
	for name, value := range selector {
		if labels[name] != value {
			return false
		}
	}
	return len(selector) > 0
}

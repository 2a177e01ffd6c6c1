package cluster

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"plinth/internal/unit"
)

// Node is a machine of a cluster.
type Node struct {
	Name         string
	Ready        bool
	Cordoned     bool     // no pods are scheduled there
	CordonedFor  string   // the record of plinth, if it has cordoned the node
	Taints       []string // key=value:effect
	Pressure     []string // conditions such as MemoryPressure
	CPUs         float64  // allocatable by pods
	Memory       unit.Size
	HugePages    map[string]unit.Size // allocatable, by the size of a page, such as 2Mi
	AllCPUs      float64              // of the machine
	AllMemory    unit.Size
	Architecture string
	Kernel       string
	OS           string
	Runtime      string
	Kubelet      string
	Zone         string
	InstanceType string

	labels map[string]string
}

// Nodes returns the cluster's nodes, by name.
func (c *Cluster) Nodes(ctx context.Context) ([]Node, error) {
	return listAll(ctx, c, nodes, nodeOf)
}

// listAll lists objects that are in no namespace.
func listAll[T, Of any](ctx context.Context, c *Cluster, resource schema.GroupVersionResource, of func(T) Of) ([]Of, error) {
	list, err := c.objects.Resource(resource).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("cannot list %s: %w", resource.Resource, c.explain(err))
	}
	slices.SortFunc(list.Items, func(a, b unstructured.Unstructured) int { return strings.Compare(a.GetName(), b.GetName()) })
	all := make([]Of, len(list.Items))
	for i, item := range list.Items {
		var typed T
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(item.Object, &typed); err != nil {
			return nil, fmt.Errorf("cannot read %s %s: %w", item.GetKind(), item.GetName(), err)
		}
		all[i] = of(typed)
	}
	return all, nil
}

func nodeOf(n corev1.Node) Node {
	node := Node{
		Name: n.Name, Cordoned: n.Spec.Unschedulable, CordonedFor: n.Labels[labelCordoned], labels: n.Labels, HugePages: map[string]unit.Size{},
		CPUs:    float64(n.Status.Allocatable.Cpu().MilliValue()) / 1000,
		Memory:  unit.Size(n.Status.Allocatable.Memory().Value()),
		AllCPUs: float64(n.Status.Capacity.Cpu().MilliValue()) / 1000, AllMemory: unit.Size(n.Status.Capacity.Memory().Value()),
		Kernel: n.Status.NodeInfo.KernelVersion, OS: n.Status.NodeInfo.OSImage, Architecture: n.Status.NodeInfo.Architecture,
		Runtime: n.Status.NodeInfo.ContainerRuntimeVersion, Kubelet: n.Status.NodeInfo.KubeletVersion,
		Zone: n.Labels[corev1.LabelTopologyZone], InstanceType: n.Labels[corev1.LabelInstanceTypeStable],
	}
	for _, taint := range n.Spec.Taints {
		node.Taints = append(node.Taints, taint.ToString())
	}
	for _, condition := range n.Status.Conditions {
		switch is := condition.Status == corev1.ConditionTrue; condition.Type {
		case corev1.NodeReady:
			node.Ready = is
		case corev1.NodeMemoryPressure, corev1.NodeDiskPressure, corev1.NodePIDPressure: // others may be true when all is well
			if is {
				node.Pressure = append(node.Pressure, string(condition.Type))
			}
		}
	}
	for name, quantity := range n.Status.Allocatable {
		if size, is := strings.CutPrefix(string(name), corev1.ResourceHugePagesPrefix); is && !quantity.IsZero() {
			node.HugePages[size] = unit.Size(quantity.Value())
		}
	}
	return node
}

// StorageClass is a way to get volumes.
type StorageClass struct {
	Name        string
	Provisioner string
	Parameters  map[string]string
	Reclaim     string // Delete or Retain
	Binding     string // Immediate or WaitForFirstConsumer
	Expandable  bool
	Default     bool
	Options     []string // of mount
}

// StorageClasses returns the cluster's storage classes, by name.
func (c *Cluster) StorageClasses(ctx context.Context) ([]StorageClass, error) {
	return listAll(ctx, c, schema.GroupVersionResource{Group: "storage.k8s.io", Version: "v1", Resource: "storageclasses"}, classOf)
}

// class has the fields of a StorageClass that are read here, so that its API need not be linked.
type class struct {
	metav1.ObjectMeta    `json:"metadata"`
	Provisioner          string            `json:"provisioner"`
	Parameters           map[string]string `json:"parameters"`
	ReclaimPolicy        string            `json:"reclaimPolicy"`
	VolumeBindingMode    string            `json:"volumeBindingMode"`
	AllowVolumeExpansion bool              `json:"allowVolumeExpansion"`
	MountOptions         []string          `json:"mountOptions"`
}

// secretKey matches the names of parameters and mount options that may hold a secret. CSI's own ones name
// a Secret.
var secretKey = regexp.MustCompile(`(?i)(pass(word|wd|phrase)?\d*|pwd|credentials?|token|secret|key)$`)

const notShown = "(not shown)"

func classOf(s class) StorageClass {
	for name := range s.Parameters {
		if secretKey.MatchString(name) {
			s.Parameters[name] = notShown
		}
	}
	for i, options := range s.MountOptions {
		s.MountOptions[i] = withoutSecrets(options)
	}
	return StorageClass{
		Name: s.Name, Provisioner: s.Provisioner, Parameters: s.Parameters, Reclaim: s.ReclaimPolicy, Binding: s.VolumeBindingMode,
		Expandable: s.AllowVolumeExpansion, Options: s.MountOptions,
		Default: s.Annotations["storageclass.kubernetes.io/is-default-class"] == "true",
	}
}

// withoutSecrets returns mount options, of which one text may have several, without the values that may be secret.
func withoutSecrets(options string) string {
	all := strings.Split(options, ",")
	for i, option := range all {
		if name, _, has := strings.Cut(option, "="); has && secretKey.MatchString(name) {
			all[i] = name + "=" + notShown
		}
	}
	return strings.Join(all, ",")
}

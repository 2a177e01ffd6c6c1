package survey

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/kube/cluster"
)

// Node is a machine of a cluster, what its pods have reserved of it, and the policies of its kubelet.
type Node struct {
	Name         string           `json:"name"`
	Ready        bool             `json:"ready"`
	Cordoned     bool             `json:"cordoned"`
	Taints       []string         `json:"taints"`   // key=value:effect
	Pressure     []string         `json:"pressure"` // "MemoryPressure"
	CPUs         float64          `json:"cpus"`
	Memory       int64            `json:"memory_bytes"`
	PodCPUs      float64          `json:"allocatable_cpus"`
	PodMemory    int64            `json:"allocatable_memory_bytes"`
	HugePages    map[string]int64 `json:"huge_pages_bytes"` // by the size of a page, "2Mi"
	Kernel       string           `json:"kernel"`
	OS           string           `json:"os"`
	Architecture string           `json:"architecture"`
	Runtime      string           `json:"runtime"`
	KubeletIs    string           `json:"kubelet"`
	Zone         string           `json:"zone,omitempty"`
	InstanceType string           `json:"instance_type,omitempty"`

	Pods      *Pods       `json:"pods,omitempty"`
	Policies  *Policies   `json:"policies,omitempty"`
	Throttled []Throttled `json:"throttled,omitempty"`
}

// Pods holds what the pods of a node have reserved, and what they may use at most.
type Pods struct {
	Count           int     `json:"count"`
	RequestedCPUs   float64 `json:"requested_cpus"`
	RequestedMemory int64   `json:"requested_memory_bytes"`
	LimitCPUs       float64 `json:"limit_cpus"`
	LimitMemory     int64   `json:"limit_memory_bytes"`
	Unlimited       int     `json:"without_cpu_limit"` // pods
}

// Policies are the settings of a kubelet that decide where pods run.
// https://kubernetes.io/docs/tasks/administer-cluster/cpu-management-policies/
type Policies struct {
	CPUManager      string `json:"cpu_manager"`
	TopologyManager string `json:"topology_manager"`
	MemoryManager   string `json:"memory_manager"`
	ReservedCPUs    string `json:"reserved_cpus,omitempty"`
}

// Throttled is a container that its CPU limit (the kernel's CFS quota) has held back since it started.
// https://docs.kernel.org/scheduler/sched-bwc.html#statistics
type Throttled struct {
	Namespace string `json:"namespace"`
	Pod       string `json:"pod"`
	Container string `json:"container"`
	Periods   int64  `json:"periods"`
	Throttled int64  `json:"throttled_periods"`
}

// Share returns the share of the periods in which the container was held back.
func (t Throttled) Share() float64 { return float64(t.Throttled) / float64(max(t.Periods, 1)) }

// Repels returns why plinth's pods are not scheduled on a node, or "".
func (n Node) Repels() string {
	i := slices.IndexFunc(n.Taints, func(t string) bool { return !strings.HasSuffix(t, ":PreferNoSchedule") })
	switch {
	case !n.Ready:
		return "not ready"
	case n.Cordoned:
		return "cordoned"
	case i >= 0:
		return "tainted " + n.Taints[i]
	}
	return ""
}

// mostKubelets is how many kubelets are asked. The answers of one can have several megabytes.
const mostKubelets = 50

// KubeletResource is the resource through which kubelets are read. The right to get it is not one to read alone: a
// kubelet also takes commands for its pods with it, over a WebSocket, which begins with a GET.
const KubeletResource = "nodes/proxy"

// The rules that reading more about nodes needs.
var podsRule, kubeletRule = cluster.RuleOf("", "pods", "list"), cluster.RuleOf("", KubeletResource, "get")

func (s *Survey) readNodes(ctx context.Context, c *cluster.Cluster) {
	nodes, err := c.Nodes(ctx)
	if err != nil {
		s.gap("the nodes", err, cluster.RuleOf("", "nodes", "list"))
		if cluster.NotAllowed(err) {
			s.WouldAdd = append(s.WouldAdd, podsRule, kubeletRule)
		}
		return
	}
	for _, n := range nodes {
		s.Nodes = append(s.Nodes, nodeOf(n))
	}
	s.readPods(ctx, c)
	s.readKubelets(ctx, c)
}

func nodeOf(n cluster.Node) Node {
	node := Node{
		Name: n.Name, Ready: n.Ready, Cordoned: n.Cordoned, Taints: n.Taints, Pressure: n.Pressure,
		CPUs: n.AllCPUs, Memory: int64(n.AllMemory), PodCPUs: n.CPUs, PodMemory: int64(n.Memory), HugePages: map[string]int64{},
		Kernel: n.Kernel, OS: n.OS, Architecture: n.Architecture, Runtime: n.Runtime, KubeletIs: n.Kubelet, Zone: n.Zone, InstanceType: n.InstanceType,
	}
	for size, bytes := range n.HugePages {
		node.HugePages[size] = int64(bytes)
	}
	return node
}

func (s *Survey) readPods(ctx context.Context, c *cluster.Cluster) {
	pods, err := c.Reservations(ctx)
	if err != nil {
		s.gap("what the pods on the nodes have reserved", err, podsRule)
		return
	}
	byName := map[string]*Pods{}
	for i := range s.Nodes {
		s.Nodes[i].Pods = &Pods{}
		byName[s.Nodes[i].Name] = s.Nodes[i].Pods
	}
	for _, pod := range pods {
		on := byName[pod.Node]
		if on == nil { // the node is gone since
			continue
		}
		on.Count++
		on.RequestedCPUs += pod.Requests.CPUs
		on.RequestedMemory += int64(pod.Requests.Memory)
		on.LimitCPUs += pod.Limits.CPUs
		on.LimitMemory += int64(pod.Limits.Memory)
		if pod.Unlimited {
			on.Unlimited++
		}
	}
}

// readKubelets asks the kubelets of the nodes that take pods, through the API server.
func (s *Survey) readKubelets(ctx context.Context, c *cluster.Cluster) {
	var asked []*Node
	for i := range s.Nodes {
		if s.Nodes[i].Ready {
			asked = append(asked, &s.Nodes[i])
		}
	}
	if left := len(asked) - mostKubelets; left > 0 {
		s.gap(fmt.Sprintf("the policies and throttled pods of %d nodes", left), fmt.Errorf("only the first %d kubelets are asked", mostKubelets), cluster.Rule{})
		asked = asked[:mostKubelets]
	}
	problems := make([][2]error, len(asked))
	each(len(asked), func(i int) { problems[i] = asked[i].ask(ctx, c) })
	for part, what := range []string{"the policies", "the throttled pods"} {
		s.kubeletGap(what, asked, problems, part)
	}
}

// kubeletGap notes the first of equal problems, with the nodes that have it.
func (s *Survey) kubeletGap(what string, asked []*Node, problems [][2]error, part int) {
	var names []string
	var first error
	for i, node := range asked {
		if err := problems[i][part]; err != nil {
			names = append(names, node.Name)
			first = cmp.Or(first, err)
		}
	}
	if first != nil {
		s.gap(what+" of "+list(names), first, kubeletRule)
	}
}

// ask reads the policies of a node's kubelet, and which containers there are throttled.
func (n *Node) ask(ctx context.Context, c *cluster.Cluster) (problems [2]error) {
	policies, err := c.Policies(ctx, n.Name)
	if err == nil {
		n.Policies = (*Policies)(&policies)
	}
	problems[0] = err
	answer, err := c.AskKubelet(ctx, n.Name, "metrics/cadvisor")
	if err == nil {
		n.Throttled, err = throttled(string(answer))
	}
	problems[1] = err
	return problems
}

// sample is a line of a container's counter, in the text format of Prometheus. The series of a pod as a
// whole has no container.
var (
	sample = regexp.MustCompile(`^container_cpu_cfs_(throttled_periods|periods)_total\{(.*)\} (\S+)`)
	label  = regexp.MustCompile(`(\w+)="((?:[^"\\]|\\.)*)"`)
)

// throttled reads the containers that were held back from what a kubelet answers at /metrics/cadvisor,
// the most held back first.
func throttled(metrics string) ([]Throttled, error) {
	found := map[Throttled]*Throttled{}
	lines := bufio.NewScanner(strings.NewReader(metrics))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		m := sample.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		labels := map[string]string{}
		for _, pair := range label.FindAllStringSubmatch(m[2], -1) {
			labels[pair[1]] = pair[2]
		}
		key := Throttled{Namespace: labels["namespace"], Pod: labels["pod"], Container: labels["container"]}
		value, err := strconv.ParseFloat(m[3], 64)
		if err != nil || key.Container == "" || key.Pod == "" {
			continue
		}
		if found[key] == nil {
			one := key
			found[key] = &one
		}
		if m[1] == "periods" {
			found[key].Periods += int64(value)
		} else {
			found[key].Throttled += int64(value)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("the kubelet's metrics cannot be read: %w", err)
	}
	all := []Throttled{}
	for _, t := range found {
		if t.Throttled > 0 {
			all = append(all, *t)
		}
	}
	slices.SortFunc(all, func(a, b Throttled) int {
		return cmp.Or(cmp.Compare(b.Share(), a.Share()), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Pod, b.Pod), cmp.Compare(a.Container, b.Container))
	})
	return all, nil
}

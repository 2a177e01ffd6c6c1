package survey

import (
	"slices"
	"strings"
	"testing"

	"plinth/internal/kube/cluster"
)

// healthy returns a cluster without findings.
func healthy() *Survey {
	node := func(name string) Node {
		return Node{
			Name: name, Ready: true, CPUs: 8, PodCPUs: 7.5, Memory: 32 << 30, PodMemory: 30 << 30, HugePages: map[string]int64{"2Mi": 4 << 30},
			Kernel: "6.1.0", Architecture: "amd64", Runtime: "containerd://1.7",
			Pods:     &Pods{Count: 4, RequestedCPUs: 0.4, LimitCPUs: 1, LimitMemory: 2 << 30},
			Policies: &Policies{CPUManager: "static", TopologyManager: "single-numa-node"},
		}
	}
	return &Survey{
		Namespace: Namespace{Name: "bench"}, Nodes: []Node{node("a"), node("b")}, classesKnown: true,
		Classes: []Class{{Name: "local", Provisioner: "rancher.io/local-path", Product: "a directory", Where: Local, Reclaim: "Recycle", Binding: "WaitForFirstConsumer", Expandable: true, Default: true}},
		CNPG:    CNPG{Installed: true, Version: "1.28.1", asked: true},
	}
}

// ruleTest makes a healthy cluster such that a rule finds something, and one that comes close.
type ruleTest struct {
	rule       string
	bad, close func(*Survey)
	text       string
	also       []string // other rules that then find something
}

func class(change func(*Class)) func(*Survey) {
	return func(s *Survey) { change(&s.Classes[0]) }
}

func node(change func(*Node)) func(*Survey) {
	return func(s *Survey) { change(&s.Nodes[1]) }
}

func nothing(*Survey) {}

var ruleTests = []ruleTest{
	{"no-node", func(s *Survey) {
		s.Nodes[0].Cordoned, s.Nodes[1].Taints = true, []string{"db=only:NoSchedule"}
	}, node(func(n *Node) { n.Taints = []string{"db=only:PreferNoSchedule"} }), "no node takes plinth's pods: a is cordoned and b is tainted db=only:NoSchedule", nil},
	{"node-pressure", node(func(n *Node) { n.Pressure = []string{"MemoryPressure"} }), nothing, "b has MemoryPressure", nil},
	{"node-not-ready", node(func(n *Node) { n.Ready = false }), nothing, "1 of 2 nodes not ready: b", []string{"one-node"}},
	{"throttled", node(func(n *Node) { n.Throttled = []Throttled{{"shop", "web-1", "web", 8000, 1000}} }),
		node(func(n *Node) {
			n.Throttled = []Throttled{{"shop", "web-1", "web", 8000, 70}, {"shop", "web-2", "web", 12, 9}}
		}),
		"since they started, CPU limits have held back 1 container: shop/web-1 in 12.5% of 8000 periods", nil},
	{"memory-overcommitted", node(func(n *Node) { n.Pods.LimitMemory = 40 << 30 }), node(func(n *Node) { n.Pods = nil }),
		"the pods' limits allow more memory than there is: 40 GiB of 30 GiB on b", nil},
	{"mixed-nodes", node(func(n *Node) { n.CPUs = 16 }), func(s *Survey) { s.Nodes[1].CPUs, s.Nodes[1].Cordoned = 16, true },
		"the nodes have different numbers of CPUs: 8 on a and 16 on b", nil},
	{"mixed-nodes", node(func(n *Node) { n.Kernel = "6.12" }), node(func(n *Node) { n.Memory -= 4096 }), "the nodes have different kernels: 6.1.0 on a and 6.12 on b", nil},
	{"cpu-manager", node(func(n *Node) { n.Policies.CPUManager = "none" }), node(func(n *Node) { n.Policies = nil }), "the CPU manager's policy is none on 1 of 2 nodes: b", nil},
	{"cpu-overcommitted", node(func(n *Node) { n.Pods.LimitCPUs, n.Pods.Unlimited = 12.5, 2 }), node(func(n *Node) { n.Pods.LimitCPUs, n.Pods.Unlimited = 7.5, 2 }),
		"the pods' limits allow more CPUs than there are: 12.5 of 7.5 on b (and 2 pods without a limit)", nil},
	{"cpu-requested", node(func(n *Node) { n.Pods.RequestedCPUs = 3.75 }), node(func(n *Node) { n.Pods.RequestedCPUs = 3.7 }),
		"other pods have reserved 3.75 of 7.5 CPUs on b (4 pods)", nil},
	{"one-node", func(s *Survey) { s.Nodes = s.Nodes[:1] }, func(s *Survey) { s.Nodes = nil }, "only one node takes plinth's pods: a", nil},
	{"no-huge-pages", node(func(n *Node) { n.HugePages = nil }), func(s *Survey) { s.Nodes = nil }, "no huge pages on 1 of 2 nodes: b", nil},
	{"node-repels", node(func(n *Node) { n.Cordoned = true }), nothing, "b is cordoned", []string{"one-node"}},
	{"topology-manager", node(func(n *Node) { n.Policies.TopologyManager = "none" }), node(func(n *Node) { n.Policies = nil }),
		"the topology manager's policy is none on 1 of 2 nodes: b", nil},

	{"class-no-barriers", class(func(c *Class) { c.Options = []string{"noatime", "nobarrier"} }), class(func(c *Class) { c.Options = []string{"barrier=1"} }),
		"volumes are mounted without write barriers: local", nil},
	{"no-class", func(s *Survey) { s.Classes = nil }, func(s *Survey) { s.Classes, s.classesKnown = nil, false }, "the cluster has no storage class", nil},
	{"class-network", class(func(c *Class) { c.Where, c.Product, c.Replicas = Network, "Longhorn", 2 }), nothing, "storage across a network: local (Longhorn, 2 replicas)", nil},
	{"class-one-replica", class(func(c *Class) { c.Where, c.Product, c.Replicas = Network, "Longhorn", 1 }), class(func(c *Class) { c.Replicas = 1 }),
		"volumes have one replica: local", []string{"class-network"}},
	{"class-immediate", class(func(c *Class) { c.Binding = "Immediate" }), class(func(c *Class) { c.Binding, c.Where = "Immediate", Network }),
		"volumes are bound before their pods are scheduled (Immediate): local", nil},
	{"class-retain", class(func(c *Class) { c.Reclaim = "Retain" }), nothing, "volumes outlive their claims (Retain): local", nil},
	{"class-no-expansion", class(func(c *Class) { c.Expandable = false }), nothing, "volumes cannot grow (allowVolumeExpansion): local", nil},
	{"class-cloud", class(func(c *Class) { c.Where, c.Product = Cloud, "Amazon EBS" }), nothing, "volumes of a cloud: local (Amazon EBS)", nil},
	{"class-unknown", class(func(c *Class) { c.Where, c.Provisioner = Unknown, "example.com/x" }), nothing, "storage of unknown kind: local (example.com/x)", nil},
	{"default-class", class(func(c *Class) { c.Default = false }), func(s *Survey) { s.Classes = nil }, "no storage class is the default one", nil},
	{"default-class", func(s *Survey) {
		s.Classes = append(s.Classes, s.Classes[0])
		s.Classes[1].Name = "other"
	}, nothing, "several storage classes are the default one: local and other", nil},
	{"class-delete", class(func(c *Class) { c.Reclaim = "Delete" }), nothing, "volumes are deleted with their claims (Delete): local", nil},

	{"rights-missing", func(s *Survey) {
		s.Missing = []cluster.Rule{cluster.RuleOf("batch", "jobs", "create"), cluster.RuleOf("", "pods/exec", "create")}
	}, nothing,
		"plinth run needs rights in the namespace bench that this account lacks, on jobs and pods/exec", nil},
	{"cnpg-old", func(s *Survey) {
		s.CNPG.Version, s.CNPG.Lacks = "1.24.0", []string{"postgresql.synchronous.failoverQuorum"}
	}, nothing, "CloudNativePG 1.24.0 lacks fields of its Cluster: postgresql.synchronous.failoverQuorum", nil},
	{"namespace-absent", func(s *Survey) { s.Namespace.Absent = true }, nothing, "the namespace bench does not exist", nil},
	{"pod-security", func(s *Survey) { s.Namespace.PodSecurity = "restricted" }, func(s *Survey) { s.Namespace.PodSecurity = "privileged" },
		"the namespace bench admits no privileged pods (pod-security.kubernetes.io/enforce: restricted)", nil},
	{"no-cnpg", func(s *Survey) { s.CNPG = CNPG{asked: true} }, func(s *Survey) { s.CNPG = CNPG{} }, "CloudNativePG is not installed", nil},
}

func TestRules(t *testing.T) {
	if found := Findings(healthy()); len(found) > 0 {
		t.Errorf("of a healthy cluster: %s", texts(found))
	}
	if found := Findings(&Survey{}); len(found) > 0 {
		t.Errorf("of a cluster of which nothing is known: %s", texts(found))
	}
	for _, test := range ruleTests {
		t.Run(test.rule, func(t *testing.T) {
			s := healthy()
			test.bad(s)
			said := false
			for _, f := range Findings(s) {
				switch {
				case f.Rule == test.rule:
					said = true
					if f.Text != test.text || f.Benchmark == "" && f.Production == "" || f.Do == "" || strings.Contains(f.Do, "{}") {
						t.Errorf("it finds %+v\nwant %s", f, test.text)
					}
				case !slices.Contains(test.also, f.Rule):
					t.Errorf("%s also finds something: %s", f.Rule, f.Text)
				}
			}
			if !said {
				t.Error("it finds nothing")
			}
			s = healthy()
			test.close(s)
			for _, f := range Findings(s) {
				if f.Rule == test.rule {
					t.Errorf("it must not find %q", f.Text)
				}
			}
		})
	}
}

// TestEveryRule: each rule has a test, a name of its own, and a weight.
func TestEveryRule(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range rules() {
		if seen[r.name] || r.weight <= 0 || r.weight > 100 {
			t.Errorf("%s is there twice, or weighs %d", r.name, r.weight)
		}
		seen[r.name] = true
		if !slices.ContainsFunc(ruleTests, func(test ruleTest) bool { return test.rule == r.name }) {
			t.Errorf("%s has no test", r.name)
		}
	}
}

func TestProvisioners(t *testing.T) {
	for name, want := range map[string]struct {
		product string
		where   Where
	}{
		"rancher.io/local-path":                         {"a directory of the node (local-path)", Local},
		"driver.longhorn.io":                            {"Longhorn", Network},
		"rook-ceph.rbd.csi.ceph.com":                    {"Ceph RBD", Network},
		"rbd.csi.ceph.com":                              {"Ceph RBD", Network},
		"openshift-storage.cephfs.csi.ceph.com":         {"CephFS", Network},
		"org.democratic-csi.iscsi":                      {"TrueNAS or ZFS on another machine (democratic-csi)", Network},
		"cluster.local/nfs-subdir-external-provisioner": {"NFS", Network},
		"ebs.csi.aws.com":                               {"Amazon EBS", Cloud},
		"kubernetes.io/no-provisioner":                  {"", Unknown}, // volumes that an administrator has made
		"driver.longhorn.io.example.com":                {"", Unknown},
	} {
		if p := known(name); p.product != want.product || p.where != want.where {
			t.Errorf("%s: %+v", name, p)
		}
	}
	seen := map[string]bool{}
	for _, p := range provisioners {
		if seen[p.name] || p.product == "" || !strings.HasPrefix(p.source, "https://") {
			t.Errorf("%+v is there twice, or has no product or source", p)
		}
		seen[p.name] = true
	}
}

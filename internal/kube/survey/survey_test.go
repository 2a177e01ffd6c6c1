package survey

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plinth/internal/inspect"
	"plinth/internal/kube/cluster"
	"plinth/internal/kube/kubetest"
)

// answers starts a cluster with captured answers.
func answers(t *testing.T, name string) *kubetest.Server {
	t.Helper()
	s := kubetest.New(filepath.Join("testdata", name))
	t.Cleanup(s.Close)
	config := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(config, []byte(s.Configuration()), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", config)
	return s
}

func look(t *testing.T, namespace string) *Survey {
	t.Helper()
	c, err := cluster.Open(context.Background(), cluster.Options{Namespace: namespace})
	if err != nil {
		t.Fatal(err)
	}
	s, err := Look(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func texts(findings []inspect.Finding) string {
	var b strings.Builder
	for _, f := range findings {
		b.WriteString(string(f.Severity) + " " + f.Rule + ": " + f.Text + "\n")
	}
	return b.String()
}

// TestDocumentedCluster surveys a cluster that is written from the documentation of its parts.
func TestDocumentedCluster(t *testing.T) {
	api := answers(t, "documented")
	api.Deny("create", "jobs")
	api.Deny("delete", "jobs")
	api.Deny("create", "pods/exec")
	s := look(t, "bench")
	want := `critical class-no-barriers: volumes are mounted without write barriers: fast
warning rights-missing: plinth run needs rights in the namespace bench that this account lacks, on jobs and pods/exec
warning cnpg-old: CloudNativePG 1.26.1 lacks fields of its Cluster: postgresql.synchronous.failoverQuorum
warning throttled: since they started, CPU limits have held back 1 container: shop/web-1 in 25.0% of 8000 periods
warning memory-overcommitted: the pods' limits allow more memory than there is: 32 GiB of 30 GiB on db-1
warning class-network: storage across a network: ceph-block (Ceph RBD, 3 replicas), longhorn-1r (Longhorn, 1 replica), longhorn-2r (Longhorn, 2 replicas) and mayastor-3 (OpenEBS Mayastor, 3 replicas)
warning mixed-nodes: the nodes have different instance types: m7i.2xlarge on db-1 and m7i.4xlarge on db-2
warning cpu-manager: the CPU manager's policy is none on 1 of 2 nodes: db-2
warning cpu-overcommitted: the pods' limits allow more CPUs than there are: 10 of 7.5 on db-1
warning class-one-replica: volumes have one replica: longhorn-1r
warning cpu-requested: other pods have reserved 4.6 of 7.5 CPUs on db-1 (2 pods)
note class-retain: volumes outlive their claims (Retain): longhorn-2r
note no-huge-pages: no huge pages on 1 of 2 nodes: db-2
note pod-security: the namespace bench admits no privileged pods (pod-security.kubernetes.io/enforce: baseline)
note node-repels: cp-1 is tainted node-role.kubernetes.io/control-plane:NoSchedule and db-3 is cordoned
note class-no-expansion: volumes cannot grow (allowVolumeExpansion): local-path
note topology-manager: the topology manager's policy is none on 1 of 2 nodes: db-2
note class-cloud: volumes of a cloud: gp3 (Amazon EBS)
note class-unknown: storage of unknown kind: fast (storage.example.com/block)
note class-delete: volumes are deleted with their claims (Delete): ceph-block, fast, gp3, local-path and 3 more
`
	if got := texts(s.Findings); got != want {
		t.Errorf("found\n%s\nwant\n%s", got, want)
	}
	if len(s.Gaps) > 0 || s.Version != "v1.33.5" || s.Cluster != "lab" {
		t.Errorf("%s %s, gaps %v", s.Cluster, s.Version, s.Gaps)
	}
	if i := slices.IndexFunc(s.Classes, func(c Class) bool { return c.Name == "longhorn-local" }); s.Classes[i].Where != Local {
		t.Errorf("%+v", s.Classes[i])
	}
}

// TestGaps: what an account may not read is a gap, with the rule that would allow it.
func TestGaps(t *testing.T) {
	denied := func(verb, resource, group string) string {
		return `403 ` + resource + ` is forbidden: User "bob" cannot ` + verb + ` resource "` + resource + `" in API group "` + group + `" at the cluster scope`
	}
	for _, tc := range []struct {
		fail map[string]string
		gap  string
		add  cluster.Rule
	}{
		{map[string]string{"GET /api/v1/nodes": denied("list", "nodes", "")}, "the nodes", cluster.RuleOf("", "nodes", "list")},
		{map[string]string{"GET /api/v1/pods": denied("list", "pods", "")}, "what the pods on the nodes have reserved", cluster.RuleOf("", "pods", "list")},
		{map[string]string{
			"GET /api/v1/nodes/cp-1/proxy/configz": denied("get", "nodes/proxy", ""), "GET /api/v1/nodes/db-1/proxy/configz": denied("get", "nodes/proxy", ""),
		}, "the policies of cp-1 and db-1", cluster.RuleOf("", "nodes/proxy", "get")},
		{map[string]string{"GET /api/v1/nodes/db-1/proxy/metrics/cadvisor": denied("get", "nodes/proxy", "")}, "the throttled pods of db-1", cluster.RuleOf("", "nodes/proxy", "get")},
		{map[string]string{"GET /api/v1/nodes/db-1/proxy/configz": "502 dial tcp: no route to host"}, "the policies of db-1", cluster.Rule{}},
		{map[string]string{"GET /apis/storage.k8s.io/v1/storageclasses": denied("list", "storageclasses", "storage.k8s.io")}, "the storage classes", cluster.RuleOf("storage.k8s.io", "storageclasses", "list")},
		{map[string]string{"GET /apis/ceph.rook.io/v1/namespaces/rook-ceph/cephblockpools/replicapool": denied("get", "cephblockpools", "ceph.rook.io")},
			"the replicas of the storage class ceph-block", cluster.RuleOf("ceph.rook.io", "cephblockpools", "get")},
		{map[string]string{"GET /apis/apps/v1/deployments": denied("list", "deployments", "apps")}, "the version of CloudNativePG", cluster.RuleOf("apps", "deployments", "list")},
		{map[string]string{"GET /apis/postgresql.cnpg.io/v1": "503 not available"}, "whether CloudNativePG is installed", cluster.Rule{}},
		{map[string]string{"GET /openapi/v3/apis/postgresql.cnpg.io/v1": "503 not available"}, "the fields of CloudNativePG's Cluster", cluster.Rule{}},
		{map[string]string{"GET /api/v1/namespaces/bench": denied("get", "namespaces", "")}, "which pods the namespace admits", cluster.RuleOf("", "namespaces", "get")},
		{map[string]string{"POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews": "500 no"}, "the rights of the account", cluster.Rule{}},
	} {
		t.Run(tc.gap, func(t *testing.T) {
			api := answers(t, "documented")
			for request, answer := range tc.fail {
				api.Fail(request, answer)
			}
			s := look(t, "bench")
			if len(s.Gaps) != 1 || s.Gaps[0].What != tc.gap || s.Gaps[0].Why == "" {
				t.Fatalf("gaps %+v", s.Gaps)
			}
			if len(tc.add.Verbs) == 0 && len(s.WouldAdd) == 0 && s.Gaps[0].Needs == "" {
				return
			}
			if len(s.WouldAdd) == 0 || len(s.WouldAdd) > 1 && tc.gap != "the nodes" || !slices.Equal(s.WouldAdd[0].Resources, tc.add.Resources) || s.Gaps[0].Needs != tc.add.Verbs[0]+" "+tc.add.Resources[0] {
				t.Errorf("it needs %+v, %q", s.WouldAdd, s.Gaps[0].Needs)
			}
		})
	}
}

func TestAbsentNamespace(t *testing.T) {
	answers(t, "documented")
	if s := look(t, "nowhere"); !s.Namespace.Absent || !strings.Contains(texts(s.Findings), "the namespace nowhere does not exist") || len(s.Gaps) > 0 {
		t.Errorf("%+v, gaps %v", s.Namespace, s.Gaps)
	}
}

// TestStopped: an interrupted survey is an error, not a survey with gaps.
func TestStopped(t *testing.T) {
	answers(t, "documented")
	c, err := cluster.Open(context.Background(), cluster.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if s, err := Look(ctx, c); err == nil {
		t.Errorf("it finds %+v", s)
	}
}

// TestMalformedAnswers: what a kubelet or the API server answers need not be what is expected.
func TestMalformedAnswers(t *testing.T) {
	for _, text := range []string{"", "{}", "[]", "<html>", `{"kubeletconfig":7}`} {
		if fields, err := lacking([]byte(text)); err == nil {
			t.Errorf("fields of %q: %v", text, fields)
		}
		if n, err := poolReplicas([]byte(text)); err == nil {
			t.Errorf("replicas of %q: %d", text, n)
		}
	}
	for _, text := range []string{"", "container_cpu_cfs_periods_total{} 1", `container_cpu_cfs_throttled_periods_total{pod="a",container="b"} x`, "container_cpu_cfs_periods_total{pod=\"a\n"} {
		if found, err := throttled(text); err != nil || len(found) > 0 {
			t.Errorf("throttled in %q: %v, %v", text, found, err)
		}
	}
}

// TestLab surveys the cluster of one node that the end-to-end tests start. Its answers are captured; long
// ones are cut.
func TestLab(t *testing.T) {
	answers(t, "lab")
	s := look(t, "bench")
	want := `note one-node: only one node takes plinth's pods: node1
note pod-security: the namespace bench admits no privileged pods (pod-security.kubernetes.io/enforce: restricted)
note class-no-expansion: volumes cannot grow (allowVolumeExpansion): local-path and slow
note topology-manager: the topology manager's policy is none on 1 of 1 nodes: node1
note class-unknown: storage of unknown kind: local-path (plinth.test/directory) and slow (plinth.test/directory)
note class-delete: volumes are deleted with their claims (Delete): local-path and slow
`
	if got := texts(s.Findings); got != want || len(s.Gaps) > 0 || len(s.Missing) > 0 {
		t.Errorf("found\n%s\nwant\n%s\ngaps %v, missing %v", got, want, s.Gaps, s.Missing)
	}
	node := s.Nodes[0]
	if *node.Policies != (Policies{CPUManager: "static", TopologyManager: "none", MemoryManager: "None"}) || node.HugePages["2Mi"] != 512<<20 ||
		node.Pods.Count != 1 || node.Pods.RequestedCPUs != 0.1 || node.Pods.LimitMemory != 200<<20 || node.PodCPUs != 1.9 || len(node.Throttled) > 0 {
		t.Errorf("%+v, %+v, %+v", node, node.Policies, node.Pods)
	}
	if s.CNPG.Version != "1.28.1" || len(s.CNPG.Lacks) > 0 {
		t.Errorf("%+v", s.CNPG)
	}
}

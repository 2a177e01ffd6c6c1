package inspection_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"plinth/internal/inspect"
	"plinth/internal/kube/survey"
	"plinth/internal/report/inspection"
	"plinth/internal/report/reporttest"
)

// troubledCluster returns a cluster with findings, gaps, missing rights, and control sequences in its
// texts.
func troubledCluster() *survey.Survey {
	s := &survey.Survey{
		Schema: survey.Schema, Cluster: "lab", Version: "v1.33.5", Namespace: survey.Namespace{Name: "bench", PodSecurity: "baseline"},
		Nodes: []survey.Node{
			{
				Name: "db-1", Ready: true, CPUs: 8, PodCPUs: 7.5, Memory: 32 << 30, PodMemory: 30 << 30, HugePages: map[string]int64{"2Mi": 4 << 30},
				Kernel: "6.1.0-28-amd64", OS: "Debian GNU/Linux 12 (bookworm)", Architecture: "amd64", Runtime: "containerd://1.7.27", KubeletIs: "v1.33.5",
				Zone: "z1", InstanceType: "m7i.2xlarge", Pods: &survey.Pods{Count: 2, RequestedCPUs: 4.6, RequestedMemory: 5 << 30, LimitCPUs: 10, LimitMemory: 32 << 30},
				Policies:  &survey.Policies{CPUManager: "none", TopologyManager: "none", MemoryManager: "None", ReservedCPUs: "0-1"},
				Throttled: []survey.Throttled{{Namespace: "shop", Pod: "web-1", Container: "web", Periods: 8000, Throttled: 2000}},
			},
			{Name: "db-2", Cordoned: true, Pressure: []string{"DiskPressure"}, CPUs: 1, PodCPUs: 1, Memory: 1 << 30, PodMemory: 1 << 30},
		},
		Classes: []survey.Class{
			{
				Name: "longhorn-1r", Provisioner: "driver.longhorn.io", Product: "Longhorn", Where: survey.Network, Replicas: 1, Reclaim: "Retain", Binding: "Immediate",
				Parameters: map[string]string{"numberOfReplicas": "1", "csi.storage.k8s.io/node-stage-secret-name": "hidden", "odd": "\x1b[31mred"},
			},
			{Name: "fast", Provisioner: "example.com/x", Where: survey.Unknown, Reclaim: "Delete", Binding: "WaitForFirstConsumer", Expandable: true, Default: true, Options: []string{"nobarrier"}},
		},
		CNPG:     survey.CNPG{Installed: true, Version: "1.26.1", Image: "ghcr.io/cloudnative-pg/cloudnative-pg:1.26.1", Lacks: []string{"postgresql.synchronous.failoverQuorum"}},
		Missing:  []survey.Rule{{Groups: []string{"batch"}, Resources: []string{"jobs"}, Verbs: []string{"create", "delete"}}},
		Gaps:     []inspect.Gap{{What: "the policies of db-1", Why: `nodes "db-1" is forbidden`, Needs: "get nodes/proxy"}},
		WouldAdd: []survey.Rule{{Groups: []string{""}, Resources: []string{"nodes/proxy"}, Verbs: []string{"get"}}},
	}
	s.Findings = survey.Findings(s)
	return s
}

func writeCluster(t *testing.T, s *survey.Survey, format string, opts inspection.Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := inspection.WriteCluster(&b, s, format, opts); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestCluster(t *testing.T) {
	s := troubledCluster()
	for format, file := range map[string]string{"text": "cluster.txt", "markdown": "cluster.md"} {
		text := writeCluster(t, s, format, inspection.Options{})
		reporttest.Golden(t, filepath.Join("testdata", file), text)
		if strings.Contains(text, "\x1b") || strings.Contains(text, "hidden") {
			t.Errorf("%s has a control sequence or the name of a Secret", format)
		}
	}
	text := writeCluster(t, s, "json", inspection.Options{})
	again := &survey.Survey{}
	if err := json.Unmarshal([]byte(text), again); err != nil || writeCluster(t, again, "json", inspection.Options{}) != text {
		t.Errorf("it is not read as it was written: %v", err)
	}
}

// TestClusterOfLittle shows a cluster of which nothing is known, and one with many nodes.
func TestClusterOfLittle(t *testing.T) {
	if text := writeCluster(t, &survey.Survey{}, "text", inspection.Options{}); !strings.Contains(text, "Nothing found") {
		t.Errorf("it says\n%s", text)
	}
	if text := writeCluster(t, &survey.Survey{Nodes: make([]survey.Node, 30)}, "text", inspection.Options{}); !strings.Contains(text, "and 10 more, which --json shows") {
		t.Errorf("it says\n%s", text)
	}
}

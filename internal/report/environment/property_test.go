package environment_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"plinth/internal/record"
	"plinth/internal/report/environment"
	"plinth/internal/report/reporttest"
)

// disks holds the environments of reporttest.WellDecided.
var disks = []string{"one-disk", "two-disks"}

// TestDifferencesOnly checks that the first table omits properties that are the same
// everywhere.
func TestDifferencesOnly(t *testing.T) {
	rec := reporttest.WellDecided(t)
	for name, disk := range map[string]string{"one-disk": "/dev/vda", "two-disks": "/dev/vdb"} {
		e := rec.Environments[name]
		e.Settings = map[string]string{"shared_buffers": "1GB", "synchronous_commit": map[bool]string{true: "on", false: "off"}[name == "one-disk"],
			"data_directory": "/" + name}
		e.Declared = map[string]string{"synchronous_commit": "on"}
		e.Volumes = []record.Volume{{Role: "data", Filesystem: "xfs", Source: disk, Size: 1 << 30}}
		rec.Environments[name] = e
	}
	differs := environment.Differences(environment.Of(rec, disks)).Markdown()
	for _, want := range []string{"| synchronous\\_commit (requested) | on | off |", "| data on | /dev/vda | /dev/vdb |"} {
		if !strings.Contains(differs, want) {
			t.Errorf("%q is not in:\n%s", want, differs)
		}
	}
	for _, bad := range []string{"shared\\_buffers", "xfs", "data\\_directory"} {
		if strings.Contains(differs, bad) {
			t.Errorf("%q is no difference:\n%s", bad, differs)
		}
	}
}

// TestReplicaIsTold checks that a replica's storage and its own settings are shown.
func TestReplicaIsTold(t *testing.T) {
	rec := reporttest.WellDecided(t)
	e := rec.Environments["two-disks"]
	e.Replica = &record.Replica{
		Server: "PostgreSQL", Version: "15.18", Synchronous: true, Settings: map[string]string{"work_mem": "16MB"},
		Volumes: []record.Volume{{Role: "replica data", Filesystem: "xfs"}}, Limits: &record.Limits{CPUs: "3"},
	}
	rec.Environments["two-disks"] = e
	text := environment.Differences(environment.Of(rec, disks)).Markdown()
	for _, want := range []string{"replica: work", "16MB", "replica data filesystem", "commits wait for it", "CPUs of the replica"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
}

// TestGrantedToPods checks that what the pods of servers have on their nodes is compared.
func TestGrantedToPods(t *testing.T) {
	rec := reporttest.WellDecided(t)
	for name, k := range map[string]*record.Kubernetes{
		"one-disk": {QoS: "Burstable", CPUManager: "none", TopologyManager: "none", Granted: &record.Granted{CPUs: "0-7", Others: 3, Nodes: "0-1", Memory: map[string]int64{"0": 3, "1": 1}}},
		"two-disks": {QoS: "Guaranteed", CPUManager: "static", TopologyManager: "single-numa-node", Granted: &record.Granted{
			CPUs: "2-3", Nodes: "0", HugePages: 2 << 30, Memory: map[string]int64{"0": 4}}},
	} {
		e := rec.Environments[name]
		e.Kubernetes = k
		rec.Environments[name] = e
	}
	differs := environment.Differences(environment.Of(rec, disks)).Markdown()
	for _, want := range []string{
		"| quality of service | Burstable | Guaranteed |", "| CPU manager | none | static |", "| topology manager | none | single-numa-node |",
		"| CPUs of the pod | shared with other pods | of this pod alone |", "| mapped in huge pages | 0 B | 2 GiB |", "| memory nodes | 0-1 | 0 |",
		"| first process's memory | 75 % on node 0, 25 % on node 1 |",
	} {
		if !strings.Contains(differs, want) {
			t.Errorf("%q is not in:\n%s", want, differs)
		}
	}
}

// TestDescriptionIsFirst checks that the label and the facts of the file come before what was read.
func TestDescriptionIsFirst(t *testing.T) {
	rec := reporttest.WellDecided(t)
	e := rec.Environments["two-disks"]
	e.Label, e.Facts = "t3.large | RDS", map[string]string{"region": "ap-southeast-3"}
	rec.Environments["two-disks"] = e
	described := environment.Of(rec, disks)
	if got := environment.Differs(described); !strings.Contains(got, "two-disks: label t3.large | RDS, given: region ap-southeast-3") {
		t.Error(got)
	}
	if got := environment.Differences(described).Markdown(); !strings.Contains(got, `| label `) || !strings.Contains(got, `t3.large \| RDS`) {
		t.Error(got)
	}
}

// TestManyEnvironments checks that the line about many environments names in what they differ, and not what each has.
func TestManyEnvironments(t *testing.T) {
	var all []record.Environment
	for i := range 7 {
		all = append(all, record.Environment{Name: fmt.Sprintf("mix-%d", i), Settings: map[string]string{"commit_delay": strconv.Itoa(i)},
			Declared: map[string]string{"commit_delay": strconv.Itoa(i)}})
	}
	if got, want := environment.Differs(all), "The 7 environments differ in commit_delay."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := environment.Differs(all[:2]); !strings.HasPrefix(got, "mix-0: commit_delay 0.") {
		t.Errorf("%q", got)
	}
}

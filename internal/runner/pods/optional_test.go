package pods

import (
	"strings"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/kube/cluster"
	"plinth/internal/kube/clustertest"
	"plinth/internal/runner/site"
)

// TestMissingClass checks what decides whether an optional environment is left out.
func TestMissingClass(t *testing.T) {
	class := func(name string) experiment.Volume { return experiment.Volume{Class: name} }
	classes := []cluster.StorageClass{{Name: "fast"}, {Name: "local-path"}}
	for _, test := range []struct {
		storage experiment.Storage
		want    string
	}{
		{experiment.Storage{}, ""}, // an existing server
		{experiment.Storage{Data: class("fast"), WAL: class("local-path")}, ""},
		{experiment.Storage{Data: class("longhorn-1r")}, "longhorn-1r"},
		{experiment.Storage{Data: class("fast"), Temp: class("slow")}, "slow"},
		{experiment.Storage{Data: class("fast"), Tablespaces: []experiment.Tablespace{{Name: "cold", Volume: class("hdd")}}}, "hdd"},
	} {
		if got := missingClass(experiment.Environment{Storage: test.storage}, classes); got != test.want {
			t.Errorf("%+v: %q, want %q", test.storage, got, test.want)
		}
	}
}

// TestLeaveOut checks which environments are measured: those that the cluster can have, and in a resumed
// experiment, those that it began with.
func TestLeaveOut(t *testing.T) {
	const fast = "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}}"
	const both = fast + "\n---\n{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: slow}}"
	began := func(leftOut ...string) *site.Resumed { return &site.Resumed{LeftOut: leftOut} }
	for _, tc := range []struct {
		name, classes string
		hidden        bool // from the account
		resumed       *site.Resumed
		left, failure string
	}{
		{"all there", both, false, nil, "", ""},
		{"one missing", fast, false, nil, "the cluster has no storage class slow", ""},
		{"not visible", fast, true, nil, "", ""},
		{"resumed, still missing", fast, false, began("b"), "the cluster has no storage class slow", ""},
		{"resumed, it has come", both, false, began("b"), "it was left out when the experiment began", ""},
		{"resumed, not visible any more", both, true, began("b"), "it was left out when the experiment began", ""},
		{"resumed, it is gone", fast, false, began(), "", "environment b: it cannot be left out of a record that has measured it: the cluster has no storage class slow"},
		{"resumed, all there", both, false, began(), "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := clustertest.New(t, tc.classes)
			if tc.hidden {
				c.Deny("list", "storageclasses")
			}
			env := func(name, class string) experiment.Environment {
				return experiment.Environment{Name: name, Optional: true, Storage: experiment.Storage{Data: experiment.Volume{Class: class}}}
			}
			s := New(c.Cluster, Options{})
			s.experiment = &experiment.Experiment{Baseline: "a", Environments: []experiment.Environment{env("a", "fast"), env("b", "slow")}}
			left, err := s.leaveOut(t.Context(), tc.resumed)
			if tc.failure != "" {
				if err == nil || err.Error() != tc.failure {
					t.Errorf("%v", err)
				}
				return
			}
			if err != nil || len(left)+len(s.experiment.Environments) != 2 || (tc.left == "") != (len(left) == 0) {
				t.Fatalf("%+v, %+v, %v", left, s.experiment.Environments, err)
			}
			if tc.left != "" && (left[0].Environment != "b" || !strings.Contains(left[0].Reason, tc.left)) {
				t.Errorf("%+v", left)
			}
		})
	}
}

package probepod

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"plinth/internal/hint"
	"plinth/internal/kube/cluster"
	"plinth/internal/kube/clustertest"
	"plinth/internal/kube/manifest"
	"plinth/internal/unit"
)

const classes = `
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: local-path}
provisioner: rancher.io/local-path
reclaimPolicy: Delete
volumeBindingMode: WaitForFirstConsumer
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: longhorn}
provisioner: driver.longhorn.io
reclaimPolicy: Retain
volumeBindingMode: Immediate
parameters: {numberOfReplicas: "2"}
---
apiVersion: v1
kind: Node
metadata: {name: node1}
`

func TestMistakes(t *testing.T) {
	for name, try := range map[string]struct {
		options      Options
		want, advice string
	}{
		"no such class": {Options{Class: "local-pth"}, "the cluster has no storage class local-pth", "did you mean local-path?"},
		"nothing near":  {Options{Class: "x"}, "the cluster has no storage class x", "the cluster's classes: local-path, longhorn"},
		"no such node":  {Options{Class: "local-path", Node: "node2"}, "the cluster has no node node2", "did you mean node1?"},
		"small claim": {Options{Class: "local-path", Claim: 2 * unit.GiB}, "a volume of 2GiB is too small: a test file of 1GiB fills at most half of it",
			"use --claim 3GiB, or a smaller test file (--size)"},
	} {
		c := clustertest.New(t, classes)
		try.options.File = unit.GiB
		_, err := Find(t.Context(), c.Cluster, try.options, time.Now())
		if err == nil || !strings.Contains(err.Error(), try.want) || hint.Of(err) != try.advice {
			t.Errorf("%s: %v, hint %s", name, err, hint.Of(err))
		}
		if names := c.Names(t); len(names) > 0 {
			t.Errorf("%s: created %v", name, names)
		}
	}
}

func TestAPodIsMadeAndDeleted(t *testing.T) {
	c := clustertest.New(t, classes)
	p, err := Find(t.Context(), c.Cluster, Options{Class: "longhorn", File: 100 * unit.MiB, Node: "node1"}, time.Date(2026, 11, 26, 5, 4, 3, 2e6, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	if !p.Retained() || p.Claim != unit.GiB {
		t.Errorf("%+v", p)
	}
	var said []string
	if err := p.Raise(t.Context(), func(what string) { said = append(said, what) }); err != nil {
		t.Fatal(err)
	}
	if p.Node != "node1" || p.Volume(t.Context()) != "pvc-1" || len(said) != 3 {
		t.Errorf("%+v, said %v", p.Pod, said)
	}
	stored, err := c.Get(t.Context(), cluster.Ref{Kind: "Pod", Name: p.Name})
	pod := clustertest.Object{Object: stored}
	if err != nil || pod.GetLabels()[manifest.LabelRecord] != "probe-longhorn-20261126T050403.002Z" || len(pod.GetOwnerReferences()) != 1 {
		t.Errorf("%v, %v", stored, err)
	}
	if err := p.Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	if names := c.Names(t); len(names) > 0 {
		t.Errorf("left: %v", names)
	}
}

// TestAnAccountWithFewRights checks that it need not read classes and nodes.
func TestAnAccountWithFewRights(t *testing.T) {
	c := clustertest.New(t, "")
	c.Deny("list", "storageclasses")
	c.Deny("list", "nodes")
	p, err := Find(t.Context(), c.Cluster, Options{Class: "x", Node: "y", File: unit.GiB}, time.Now())
	if err != nil || p.Class.Name != "x" || p.Retained() {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestAPodThatEnds checks that the cluster's words replace those about the connection.
func TestAPodThatEnds(t *testing.T) {
	lost := errors.New("the connection was lost")
	c := clustertest.New(t, classes)
	p, err := Find(t.Context(), c.Cluster, Options{Class: "local-path", File: unit.GiB}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	c.Applied = func(o *clustertest.Object) error {
		if o.GetKind() == "Pod" {
			o.Object["status"].(map[string]any)["conditions"] = []any{
				map[string]any{"type": "Ready", "status": "True"},
				map[string]any{"type": "DisruptionTarget", "status": "True", "reason": "EvictionByEvictionAPI", "message": "Eviction API: evicting"},
			}
		}
		return nil
	}
	if err := p.Raise(t.Context(), func(string) {}); err != nil {
		t.Fatal(err)
	}
	if err := p.Ended(t.Context(), lost); err == nil || !strings.HasSuffix(err.Error(), ": Eviction API: evicting (EvictionByEvictionAPI)") {
		t.Error(err)
	}
	seen := &cluster.PodError{Pod: "x", Reason: "Deleted", Text: "it was deleted"}
	if err := p.Ended(t.Context(), fmt.Errorf("lost: %w", seen)); !errors.Is(err, seen) {
		t.Error(err)
	}
	if err := p.Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := p.Ended(t.Context(), lost); err == nil || !strings.HasSuffix(err.Error(), ": it was deleted (Deleted)") {
		t.Error(err)
	}
}

// TestAPodThatCannotRun checks that what is wrong is said, and that everything is deleted.
func TestAPodThatCannotRun(t *testing.T) {
	pending := map[string]any{"phase": "Pending"}
	for name, try := range map[string]struct {
		class        string
		kind         string // which object is not ready
		status       map[string]any
		event        string
		want, advice string
		pods         int // created pods of the probe
	}{
		"no volume": {
			class: "longhorn", kind: "PersistentVolumeClaim", status: pending,
			event: "{reason: ProvisioningFailed, type: Warning, message: no disk has 3 GiB}",
			want:  "no disk has 3 GiB (ProvisioningFailed)", advice: "kubectl get storageclass",
		},
		"no provisioner": {
			class: "longhorn", kind: "PersistentVolumeClaim", status: pending,
			event: "{reason: ExternalProvisioning, type: Normal, message: Waiting for a volume}",
			want:  "Waiting for a volume (ExternalProvisioning)", advice: "is the provisioner of the storage class running?",
		},
		"no node": {
			class: "local-path", kind: "Pod", pods: 1,
			status: map[string]any{"phase": "Pending", "conditions": []any{map[string]any{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/1 nodes are available"}}},
			want:   "no node takes it: 0/1 nodes are available", advice: "and 1.2GiB of its disk",
		},
		"no image": {
			class: "local-path", kind: "Pod", pods: 1,
			status: map[string]any{"phase": "Pending", "containerStatuses": []any{map[string]any{"name": "plinth", "image": "x",
				"state": map[string]any{"waiting": map[string]any{"reason": "ErrImagePull", "message": "x: not found"}}}}},
			want: "cannot get the image x: x: not found (ErrImagePull)", advice: "--image of plinth probe",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := clustertest.New(t, classes)
			p, err := Find(t.Context(), c.Cluster, Options{Class: try.class, File: unit.GiB}, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			c.Applied = func(o *clustertest.Object) error {
				if o.GetKind() != try.kind {
					return nil
				}
				o.Object["status"] = try.status
				if try.event != "" {
					c.Event(t, o, try.event)
				}
				return nil
			}
			err = p.Raise(t.Context(), func(string) {})
			if err == nil || !strings.Contains(err.Error(), try.want) || !strings.Contains(hint.Of(err), try.advice) {
				t.Errorf("%v, hint %s", err, hint.Of(err))
			}
			made := slices.DeleteFunc(c.Names(t), func(name string) bool { return !strings.HasPrefix(name, "Pod ") || !strings.HasSuffix(name, "-probe") })
			if len(made) != try.pods {
				t.Errorf("created %v", made)
			}
			if err := p.Delete(t.Context()); err != nil {
				t.Fatal(err)
			}
			if names := c.Names(t); len(names) > 0 {
				t.Errorf("left: %v", names)
			}
		})
	}
}

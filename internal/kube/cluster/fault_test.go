package cluster

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"plinth/internal/journal"
)

const twoNodes = `
{apiVersion: v1, kind: Node, metadata: {name: n1, uid: "1", labels: {kubernetes.io/hostname: n1}}, status: {conditions: [{type: Ready, status: "True"}]}}
---
{apiVersion: v1, kind: Node, metadata: {name: n2, uid: "2", labels: {kubernetes.io/hostname: n2}}, spec: {unschedulable: true}, status: {conditions: [{type: Ready, status: "True"}]}}
`

// node returns whether a node is cordoned, and by which record.
func node(t *testing.T, c *Cluster, name string) (cordoned bool, record string) {
	t.Helper()
	o, err := c.objects.Resource(nodes).Get(context.Background(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	cordoned, _, _ = unstructured.NestedBool(o.Object, "spec", "unschedulable")
	return cordoned, o.GetLabels()[labelCordoned]
}

// TestCordon: a node is uncordoned only by the record that has cordoned it.
func TestCordon(t *testing.T) {
	c, _ := fakeCluster(t, twoNodes)
	ctx := context.Background()
	for _, step := range []struct {
		do           func() error
		name, record string
		cordoned     bool
	}{
		{func() error { return c.Cordon(ctx, "n1", "one") }, "n1", "one", true},
		{func() error { return c.Cordon(ctx, "n1", "one") }, "n1", "one", true},
		{func() error {
			mustSay(t, c.Cordon(ctx, "n1", "two"), "cannot cordon the node n1: it is cordoned for another experiment, one", "wait for the end")
			return nil
		}, "n1", "one", true},
		{func() error { return c.Uncordon(ctx, "n1", "two") }, "n1", "one", true},
		{func() error { return c.Uncordon(ctx, "n1", "one") }, "n1", "", false},
		{func() error { return c.Uncordon(ctx, "n1", "one") }, "n1", "", false},
		{func() error { return c.Cordon(ctx, "n2", "one") }, "n2", "", true}, // another user has done it
		{func() error { return c.Uncordon(ctx, "n2", "one") }, "n2", "", true},
		{func() error { return c.Uncordon(ctx, "n3", "one") }, "n1", "", false},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		if cordoned, record := node(t, c, step.name); cordoned != step.cordoned || record != step.record {
			t.Errorf("%s: cordoned %v by %q, want %v by %q", step.name, cordoned, record, step.cordoned, step.record)
		}
	}
	mustSay(t, c.Cordon(ctx, "n3", "one"), "cannot cordon the node n3", "")
}

// TestDrainedByAKilledPlinth: the journal has what uncordons the node, with the way to its cluster.
func TestDrainedByAKilledPlinth(t *testing.T) {
	const path = "/api/v1/nodes/n1"
	s := newServer(t, map[string]string{
		"GET " + path:   `200 {"apiVersion":"v1","kind":"Node","metadata":{"name":"n1","uid":"1","labels":{"plinth/cordoned":"one"}},"spec":{"unschedulable":true}}`,
		"PATCH " + path: `200 {"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"}}`,
	})
	t.Setenv("KUBECONFIG", config(t, s.URL, "", "token: secret"))
	c, err := Open(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	state := t.TempDir()
	j, err := journal.Open(state, "test")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.NoteCordon(j, "n1", "one"); err != nil {
		t.Fatal(err)
	}
	if text := j.Entries()[0].Describe(); !strings.Contains(text, "kubernetes cordon n1") {
		t.Errorf("it is described as %s", text)
	}
	t.Setenv("KUBECONFIG", "/none") // as in another shell
	if err := j.PutBack(t.Context(), Undoers()); err != nil {
		t.Fatal(err)
	}
	want := `PATCH ` + path + `?fieldManager=plinth {"metadata":{"annotations":{"plinth/namespace":null},"labels":{"plinth/cordoned":null},"uid":"1"},"spec":{"unschedulable":false}}`
	if last := s.sent[len(s.sent)-1]; last != want {
		t.Errorf("it sends\n%s, want\n%s", last, want)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	mustSay(t, undoCordon(t.Context(), []byte(`{}`)), "the journal entry has no node", "")
	t.Setenv("KUBECONFIG", config(t, s.URL, "", "token: secret"))
	mustSay(t, undoCordon(t.Context(), []byte(`{"name":"n1","record":"one","server":"https://10.0.0.1"}`)), "now points to "+s.URL+", not to https://10.0.0.1", "kubectl uncordon n1")
}

// TestDeletePod: the pod is given the time, and one that has replaced it stays.
func TestDeletePod(t *testing.T) {
	s := newServer(t, map[string]string{"DELETE /api/v1/namespaces/bench/pods/a": `200 {}`})
	if err := s.open(t).DeletePod(context.Background(), Pod{Name: "a", UID: "7"}, time.Second); err != nil {
		t.Fatal(err)
	}
	if sent := s.sent[len(s.sent)-1]; !strings.Contains(sent, `"gracePeriodSeconds":1`) || !strings.Contains(sent, `"preconditions":{"uid":"7"}`) {
		t.Errorf("it sends %s", sent)
	}
}

// TestEvict: an eviction that a PodDisruptionBudget refuses is tried again, for a while.
func TestEvict(t *testing.T) {
	c, client := fakeCluster(t, "")
	refusals := 2
	client.PrependReactor("create", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		if action.GetSubresource() != "eviction" {
			return false, nil, nil
		}
		if refusals--; refusals >= 0 {
			return true, nil, apierrors.NewTooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", 0)
		}
		return true, action.(clienttesting.CreateAction).GetObject(), nil
	})
	if err := c.Evict(context.Background(), Pod{Name: "a", UID: "7"}, soon); err != nil || refusals >= 0 {
		t.Fatalf("%v, with %d refusals left", err, refusals)
	}
	refusals = 2
	mustSay(t, c.Evict(context.Background(), Pod{Name: "a"}, 0), "cannot evict the pod a: Cannot evict pod as it would violate", "kubectl get poddisruptionbudget")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("interrupted"))
	refusals = 2
	mustSay(t, c.Evict(ctx, Pod{Name: "a"}, time.Hour), "interrupted", "")
}

// TestStuck: a volume of one node keeps its pod there.
func TestStuck(t *testing.T) {
	c, _ := fakeCluster(t, strings.Replace(twoNodes, "unschedulable: true", "unschedulable: false", 1)+`
---
{apiVersion: v1, kind: Pod, metadata: {name: local}, spec: {nodeName: n1, volumes: [{name: x, emptyDir: {}}, {name: data, persistentVolumeClaim: {claimName: local}}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: remote}, spec: {nodeName: n1, volumes: [{name: data, persistentVolumeClaim: {claimName: remote}}]}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: local}, spec: {volumeName: pv-local}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: remote}, spec: {volumeName: pv-remote}}
---
{apiVersion: v1, kind: PersistentVolume, metadata: {name: pv-local}, spec: {nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [n1]}]}]}}}}
---
{apiVersion: v1, kind: PersistentVolume, metadata: {name: pv-remote}}
`)
	among, err := c.Nodes(context.Background())
	if err != nil || len(among) != 2 || !among[0].Usable() || !among[1].Usable() {
		t.Fatalf("%+v, %v", among, err)
	}
	for pod, want := range map[string]string{"local": "pv-local", "remote": ""} {
		if got, err := c.Stuck(context.Background(), Pod{Name: pod}, among); err != nil || got != want {
			t.Errorf("%s: %q, %v", pod, got, err)
		}
	}
}

// TestUsable: pods are not scheduled to each node.
func TestUsable(t *testing.T) {
	c, _ := fakeCluster(t, twoNodes+`
---
{apiVersion: v1, kind: Node, metadata: {name: n3}, spec: {taints: [{key: a, effect: NoSchedule}]}, status: {conditions: [{type: Ready, status: "True"}]}}
---
{apiVersion: v1, kind: Node, metadata: {name: n4}, spec: {taints: [{key: a, effect: PreferNoSchedule}]}, status: {conditions: [{type: Ready, status: "True"}]}}
---
{apiVersion: v1, kind: Node, metadata: {name: n5}}
`)
	all, err := c.Nodes(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var usable []string
	for _, n := range all {
		if n.Usable() {
			usable = append(usable, n.Name)
		}
	}
	if got := strings.Join(usable, " "); got != "n1 n4" {
		t.Error(got)
	}
}

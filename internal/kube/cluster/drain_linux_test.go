package cluster

import (
	"context"
	"os"
	"slices"
	"testing"

	"plinth/internal/host"
	"plinth/internal/journal"
)

// TestDrain cordons the node of a real cluster, evicts a pod, and undoes what a killed plinth would have
// left behind.
func TestDrain(t *testing.T) {
	if os.Getenv("PLINTH_TEST_KUBE") == "" {
		t.Skip("needs a Kubernetes cluster: make test-kube")
	}
	ctx := context.Background()
	c, err := Open(ctx, Options{Namespace: "default"})
	if err != nil {
		t.Fatal(err)
	}
	labels := Object{"plinth/record": "drain"}
	pod := Object{
		"apiVersion": "v1", "kind": "Pod", "metadata": Object{"name": "plinth-drain", "namespace": "default", "labels": labels},
		"spec": Object{"terminationGracePeriodSeconds": int64(0), "containers": []any{Object{"name": "pause", "image": "localhost/pause:1"}}},
	}
	t.Cleanup(func() { _ = c.Delete(ctx, "drain") })
	if _, err := c.Apply(ctx, pod); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(ctx, RefOf(pod), Ready, soon); err != nil {
		t.Fatal(err)
	}
	found, err := c.Pods(ctx, map[string]string{"plinth/record": "drain"})
	if err != nil || len(found) != 1 {
		t.Fatalf("%v, %v", found, err)
	}
	notes, err := journal.Open(t.TempDir(), "test")
	if err != nil {
		t.Fatal(err)
	}
	at := found[0].Node
	t.Cleanup(func() { _ = c.Uncordon(ctx, at, "drain") })
	if err := c.NoteCordon(notes, at, "drain"); err != nil {
		t.Fatal(err)
	}
	if err := c.Cordon(ctx, at, "drain"); err != nil {
		t.Fatal(err)
	}
	if cordoned, record := node(t, c, at); !cordoned || record != "drain" {
		t.Errorf("%s: cordoned %v by %q", at, cordoned, record)
	}
	all, _, err := c.Remains(ctx)
	if err != nil || !slices.ContainsFunc(all, func(r Remains) bool { return r.Record == "drain" && slices.Equal(r.Cordoned, []string{at}) }) {
		t.Errorf("the node is not found: %+v, %v", all, err)
	}
	if err := c.Evict(ctx, found[0], soon); err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithTimeout(ctx, soon)
	defer cancel()
	for there := true; there && gone.Err() == nil; _ = host.Sleep(gone, c.every) {
		if there, err = c.Exists(ctx, found[0]); err != nil {
			t.Fatal(err)
		}
	}
	if gone.Err() != nil {
		t.Error("the pod is still there")
	}
	if err := notes.PutBack(ctx, Undoers()); err != nil {
		t.Fatal(err)
	}
	if cordoned, record := node(t, c, at); cordoned || record != "" {
		t.Errorf("%s: cordoned %v by %q", at, cordoned, record)
	}
	if err := notes.Close(); err != nil {
		t.Error(err)
	}
}

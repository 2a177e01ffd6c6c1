package keeper

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/kube/cluster"
	"plinth/internal/kube/clustertest"
	"plinth/internal/kube/manifest"
)

func planOf(namespace string) manifest.Plan {
	return manifest.Plan{Experiment: &experiment.Experiment{Kubernetes: experiment.Cluster{Namespace: namespace}}, Record: "lab-1", Version: "1.0"}
}

const namespace = `
apiVersion: v1
kind: Namespace
metadata: {name: bench}
`

// secret is an object that the keeper is to own.
func secret() manifest.Object {
	labels := manifest.Object{manifest.LabelRecord: "lab-1"}
	return manifest.Object{"apiVersion": "v1", "kind": "Secret", "metadata": manifest.Object{"name": "s", "labels": labels}}
}

func TestOwnsAndDeletesEverything(t *testing.T) {
	for name, try := range map[string]struct {
		namespace, there string
		want             int // objects
	}{
		"in the namespace of the context": {"", "", 3},
		"in a namespace that is there":    {"bench", namespace, 3},
		"in a namespace that it creates":  {"bench", "", 4},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			c := clustertest.New(t, try.there)
			k := New(c.Cluster, planOf(try.namespace))
			if err := k.Begin(ctx, false); err != nil {
				t.Fatal(err)
			}
			if err := k.Create(ctx, secret()); err != nil {
				t.Fatal(err)
			}
			stored, err := c.Get(ctx, cluster.Ref{Kind: "Secret", Name: "s"})
			owners := (&clustertest.Object{Object: stored}).GetOwnerReferences()
			if err != nil || len(owners) != 1 || owners[0].Kind != "Job" {
				t.Errorf("%v, %v", owners, err)
			}
			if names := c.Names(t); len(names) != try.want { // the Job, its pod, the Secret, and perhaps the namespace
				t.Errorf("%v", names)
			}
			if ran := c.Ran(); len(ran) == 0 || !strings.HasSuffix(ran[0], ": plinth hold beat") {
				t.Errorf("no heartbeats: %v", ran)
			}
			if err := k.Delete(ctx); err != nil {
				t.Fatal(err)
			}
			if names := c.Names(t); len(names) != 0 {
				t.Errorf("left: %v", names)
			}
			if err := k.Delete(ctx); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestDeletesWhatAnEarlierPlinthLeft(t *testing.T) {
	c := clustertest.New(t, `
apiVersion: v1
kind: Secret
metadata: {name: old, namespace: bench, labels: {plinth/record: lab-1}}
---
apiVersion: v1
kind: Secret
metadata: {name: other, namespace: bench, labels: {plinth/record: lab-2}}
`)
	k := New(c.Cluster, planOf(""))
	if err := k.Begin(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	defer k.Leave()
	if names := c.Names(t); slices.Contains(names, "Secret old") || !slices.Contains(names, "Secret other") {
		t.Errorf("%v", names)
	}
}

func TestCheckChangesNothing(t *testing.T) {
	c := clustertest.New(t, namespace)
	var checked []string
	c.Applied = func(o *clustertest.Object) error {
		checked = append(checked, o.GetKind())
		return nil
	}
	if err := New(c.Cluster, planOf("bench")).Check(t.Context(), secret()); err != nil {
		t.Fatal(err)
	}
	if err := New(c.In("none"), planOf("none")).Check(t.Context(), secret()); err != nil {
		t.Fatal(err)
	}
	if want := []string{"Job", "Secret", "Namespace"}; !slices.Equal(checked, want) {
		t.Errorf("checked %v, want %v", checked, want)
	}
	if names := c.Names(t); len(names) != 0 {
		t.Errorf("created %v", names)
	}
}

// TestAnAccountOfTheNamespace checks that an account need not read the namespace that it may use.
func TestAnAccountOfTheNamespace(t *testing.T) {
	c := clustertest.New(t, "")
	c.Deny("get", "namespaces")
	k := New(c.Cluster, planOf("bench"))
	if err := errors.Join(k.Check(t.Context()), k.Begin(t.Context(), false), k.Delete(t.Context())); err != nil {
		t.Fatal(err)
	}
	if names := c.Names(t); len(names) != 0 {
		t.Errorf("left: %v", names)
	}
}

// TestTwoInANamespace: two experiments share a namespace that the first of them created. The last one deletes
// it, whichever that is.
func TestTwoInANamespace(t *testing.T) {
	for _, firstEnds := range []bool{true, false} {
		c := clustertest.New(t, "")
		second := planOf("bench")
		second.Record = "lab-2"
		one, two := New(c.Cluster, planOf("bench")), New(c.Cluster, second)
		for _, k := range []*Keeper{one, two} {
			if err := errors.Join(k.Check(t.Context()), k.Begin(t.Context(), false)); err != nil {
				t.Fatal(err)
			}
		}
		if !firstEnds {
			one, two = two, one
		}
		if err := one.Delete(t.Context()); err != nil {
			t.Error(err)
		}
		if names := c.Names(t); len(names) != 3 || !slices.Contains(names, "Namespace bench") { // the other's Job and pod
			t.Errorf("%v", names)
		}
		if err := two.Delete(t.Context()); err != nil {
			t.Error(err)
		}
		if names := c.Names(t); len(names) != 0 {
			t.Errorf("left: %v", names)
		}
	}
}

// TestBeginsWhileItsNamespaceGoes: an experiment that begins while another one deletes its namespace creates
// it anew.
func TestBeginsWhileItsNamespaceGoes(t *testing.T) {
	for name, leaving := range map[string]string{"it is being deleted": `, deletionTimestamp: "2026-11-26T00:00:00Z", finalizers: [x/y]`, "its deletion begins": ""} {
		t.Run(name, func(t *testing.T) {
			c := clustertest.New(t, `{apiVersion: v1, kind: Namespace, metadata: {name: bench, labels: {plinth/record: lab-0}`+leaving+`}}`)
			looks := 0
			c.Before("get", "namespaces", func() {
				if looks++; looks == 3 { // the second experiment has looked, and has created its Job if it could
					job := cluster.RefOf(planOf("bench").Keeper()).Name
					c.Forget("Namespace", "bench")
					c.Forget("Job", job)
					c.Forget("Pod", job+"-abcde")
				}
			})
			k := New(c.Cluster, planOf("bench"))
			if err := errors.Join(k.Check(t.Context()), k.Begin(t.Context(), false)); err != nil {
				t.Fatal(err)
			}
			if names := c.Names(t); !slices.Contains(names, "Namespace bench") || len(names) != 3 {
				t.Errorf("%v", names)
			}
			if err := k.Delete(t.Context()); err != nil || len(c.Names(t)) != 0 {
				t.Errorf("left: %v, %v", c.Names(t), err)
			}
		})
	}
}

// TestAResumedRecordInAUsedNamespace: what others have in the namespace does not keep a record from going on.
func TestAResumedRecordInAUsedNamespace(t *testing.T) {
	c := clustertest.New(t, `
{apiVersion: v1, kind: Namespace, metadata: {name: bench, uid: "1", labels: {plinth/record: lab-1}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: theirs, namespace: bench, uid: "2"}}
`)
	k := New(c.Cluster, planOf("bench"))
	if err := k.Begin(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	if err := k.Delete(t.Context()); !errors.As(err, new(*cluster.UsedError)) || !strings.Contains(err.Error(), "ConfigMap theirs") {
		t.Errorf("%v", err)
	}
	if names := c.Names(t); !slices.Equal(names, []string{"Namespace bench"}) {
		t.Errorf("left: %v", names)
	}
}

func TestAKeeperThatCannotRun(t *testing.T) {
	c := clustertest.New(t, "")
	c.Applied = func(o *clustertest.Object) error {
		o.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Failed", "status": "True", "message": "no"}}}
		return nil
	}
	k := New(c.Cluster, planOf(""))
	err := k.Begin(t.Context(), false)
	if err == nil || !strings.Contains(err.Error(), "its pods have ended: no (Failed)") || !strings.Contains(hint.Of(err), "localhost/plinth:1.0") {
		t.Errorf("%v, hint %s", err, hint.Of(err))
	}
	if err := k.Delete(context.Background()); err != nil {
		t.Error(err)
	}
	if names := c.Names(t); len(names) != 0 {
		t.Errorf("left: %v", names)
	}
}

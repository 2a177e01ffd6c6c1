package cluster

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"plinth/internal/kube/manifest"
)

// shared is a namespace that the experiment one created, and that two uses, too.
const shared = `
{apiVersion: v1, kind: Namespace, metadata: {name: bench, uid: "0", resourceVersion: "1", labels: {plinth/record: one, plinth/role: namespace}}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: default, uid: "1"}}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: k1, uid: "2", labels: {plinth/record: one, plinth/role: keeper}}}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: k2, uid: "3", labels: {plinth/record: two, plinth/role: keeper}}}
`

// TestSharedNamespace: whichever of two experiments ends first, the other one deletes the namespace.
func TestSharedNamespace(t *testing.T) {
	for _, taken := range []bool{false, true} {
		for _, order := range [][]string{{"one", "two"}, {"two", "one"}} {
			c, _ := fakeCluster(t, shared)
			if taken {
				if there, err := c.TakeOver(t.Context(), "two"); !there || err != nil {
					t.Fatal(there, err)
				}
			}
			if err := c.Delete(t.Context(), order[0]); err != nil {
				t.Error(err)
			}
			if got := left(t, c); len(got) != 3 || !slices.Contains(got, "Namespace bench") {
				t.Errorf("%q, taken over %v: after the first, %q are left", order, taken, got)
			}
			if err := c.Delete(t.Context(), order[1]); err != nil {
				t.Error(err)
			}
			if got := left(t, c); !slices.Equal(got, []string{"ServiceAccount default"}) {
				t.Errorf("%q, taken over %v: after the second, %q are left", order, taken, got)
			}
		}
	}
}

// TestTakenOverMeanwhile: an experiment that begins between the last look at the namespace and its deletion
// keeps it.
func TestTakenOverMeanwhile(t *testing.T) {
	c, client := fakeCluster(t, shared)
	if err := client.Tracker().Delete(kinds[0].resource, "bench", "k2"); err != nil {
		t.Fatal(err)
	}
	client.PrependReactor("delete", "namespaces", func(clienttesting.Action) (bool, runtime.Object, error) {
		namespace := objects(t, `{apiVersion: v1, kind: Namespace, metadata: {name: bench, uid: "0", resourceVersion: "2", labels: {plinth/record: three}}}`)[0]
		if err := client.Tracker().Update(kindNamespace.resource, namespace, ""); err != nil { // TakeOver
			t.Error(err)
		}
		return true, nil, apierrors.NewConflict(kindNamespace.resource.GroupResource(), "bench", errors.New("the resourceVersion in the precondition"))
	})
	if err := c.Delete(t.Context(), "one"); err != nil {
		t.Error(err)
	}
	if o, _, err := c.namespace(t.Context()); err != nil || o.GetLabels()[manifest.LabelRecord] != "three" {
		t.Errorf("%+v, %v", o, err)
	}
}

// TestHandOverTooLate: an experiment that ended before the namespace was left to it does not delete it.
func TestHandOverTooLate(t *testing.T) {
	c, client := fakeCluster(t, shared)
	client.PrependReactor("patch", "namespaces", func(clienttesting.Action) (bool, runtime.Object, error) {
		_ = client.Tracker().Delete(kinds[0].resource, "bench", "k2")
		return false, nil, nil
	})
	if err := c.Delete(t.Context(), "one"); err != nil {
		t.Error(err)
	}
	if got := left(t, c); slices.Contains(got, "Namespace bench") {
		t.Errorf("left: %q", got)
	}
}

func TestTakeOver(t *testing.T) {
	for _, tc := range []struct {
		name, metadata, of string
		there              bool
	}{
		{"another's", `{name: bench, labels: {plinth/record: one}}`, "two", true},
		{"its own", `{name: bench, labels: {plinth/record: two}}`, "two", true},
		{"nobody's", `{name: bench}`, "", true},
		{"one that is being deleted", `{name: bench, labels: {plinth/record: one}, deletionTimestamp: "2026-11-26T00:00:00Z", finalizers: [x/y]}`, "one", false},
		{"one that is gone", `{name: other}`, "", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, _ := fakeCluster(t, `{apiVersion: v1, kind: Namespace, metadata: `+tc.metadata+`}`)
			there, err := c.TakeOver(t.Context(), "two")
			if there != tc.there || err != nil {
				t.Error(there, err)
			}
			if o, _, _ := c.namespace(t.Context()); o != nil && o.GetLabels()[manifest.LabelRecord] != tc.of {
				t.Errorf("it belongs to %q", o.GetLabels())
			}
		})
	}
}

// TestAwaitNamespace waits until a namespace that is being deleted is gone.
func TestAwaitNamespace(t *testing.T) {
	c, client := fakeCluster(t, `{apiVersion: v1, kind: Namespace, metadata: {name: bench, deletionTimestamp: "2026-11-26T00:00:00Z", finalizers: [x/y]}}`)
	_, err := c.AwaitNamespace(t.Context(), 0)
	mustSay(t, err, "the namespace bench is still being deleted", "kubectl get namespace bench --output yaml")
	looks := 0
	client.PrependReactor("get", "namespaces", func(clienttesting.Action) (bool, runtime.Object, error) {
		if looks++; looks == 3 {
			_ = client.Tracker().Delete(kindNamespace.resource, "", "bench")
		}
		return false, nil, nil
	})
	if there, err := c.AwaitNamespace(t.Context(), soon); there || err != nil {
		t.Error(there, err)
	}
}

// TestUnseen: a namespace stays if plinth may not look at everything in it.
func TestUnseen(t *testing.T) {
	const mine = `{apiVersion: v1, kind: Namespace, metadata: {name: bench, uid: "0", labels: {plinth/record: one}}}`
	c, client := fakeCluster(t, mine)
	client.PrependReactor("list", "widgets", func(action clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(action.GetResource().GroupResource(), "",
			errors.New(`User "bob" cannot list resource "widgets" in API group "example.org" in the namespace "bench"`))
	})
	err := c.Delete(t.Context(), "one")
	mustSay(t, err, "cannot delete the namespace bench: plinth cannot see whether it contains other objects: ", "kubectl delete namespace bench deletes it, if it contains nothing else; or give bob a Role")
	if !errors.As(err, new(*UsedError)) || len(left(t, c)) != 1 {
		t.Errorf("%T, left: %q", err, left(t, c))
	}
	c, _ = fakeCluster(t, mine)
	get := c.get
	c.get = func(ctx context.Context, path string, query url.Values) ([]byte, error) {
		if path == "/apis/example.org/v1alpha1" {
			return nil, apierrors.NewServiceUnavailable("the server is currently unable to handle the request")
		}
		return get(ctx, path, query)
	}
	mustSay(t, c.Delete(t.Context(), "one"), "cannot read /apis/example.org/v1alpha1: the server is currently unable", "kubectl delete namespace bench")
}

// TestIsLeaving: what the API server says of a new object in a namespace that is being deleted.
func TestIsLeaving(t *testing.T) {
	s := newServer(t, map[string]string{"PATCH /apis/batch/v1/namespaces/bench/jobs/" + keeper()["metadata"].(Object)["name"].(string): `403 {"kind":"Status","apiVersion":"v1","status":"Failure",
"message":"jobs.batch \"k\" is forbidden: unable to create new content in namespace bench because it is being terminated","reason":"Forbidden",
"details":{"name":"k","kind":"jobs","causes":[{"reason":"NamespaceTerminating","message":"namespace bench is being terminated","field":"metadata.namespace"}]},"code":403}`})
	if _, err := s.open(t).Apply(t.Context(), keeper()); !IsLeaving(err) {
		t.Errorf("%v", err)
	}
	if IsLeaving(nil) {
		t.Error("no error")
	}
}

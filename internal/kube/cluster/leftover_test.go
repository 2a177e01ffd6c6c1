package cluster

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
)

// crowded has objects of two records, and one of each kind that plinth did not create.
const crowded = `
{apiVersion: v1, kind: Namespace, metadata: {name: bench, uid: "0", labels: {plinth/record: one, plinth/role: namespace}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: other, uid: "00"}}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: keeper, uid: "1", labels: {plinth/record: one}}}
---
{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db, uid: "2", labels: {plinth/record: one}}}
---
{apiVersion: v1, kind: Secret, metadata: {name: db, uid: "3", labels: {plinth/record: one}}}
---
{apiVersion: postgresql.cnpg.io/v1, kind: Cluster, metadata: {name: orders, uid: "4", labels: {plinth/record: two}}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, uid: "5", namespace: other, labels: {plinth/record: one}}}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: backup, uid: "6", labels: {app.kubernetes.io/managed-by: plinth}}}
---
{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: mine, uid: "7"}}
---
{apiVersion: postgresql.cnpg.io/v1, kind: Cluster, metadata: {name: production, uid: "8"}}
---
{apiVersion: v1, kind: Secret, metadata: {name: mine, uid: "9", labels: {plinth: one, record: one}}}
`

// left returns all objects of the cluster, with and without labels.
func left(t *testing.T, c *Cluster) []string {
	t.Helper()
	var all []string
	for _, k := range kinds {
		list, err := c.objects.Resource(k.resource).List(context.Background(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range list.Items {
			all = append(all, refOf(&o).String())
		}
	}
	slices.Sort(all)
	return all
}

func names(all []Leftover) string {
	var text []string
	for _, l := range all {
		text = append(text, l.String()+" of "+l.Record)
	}
	slices.Sort(text)
	return strings.Join(text, "; ")
}

func TestLeftovers(t *testing.T) {
	c, _ := fakeCluster(t, crowded)
	for namespace, want := range map[string]string{
		"bench": "Cluster orders in bench of two; Job keeper in bench of one; Namespace bench of one; Secret db in bench of one; StatefulSet db in bench of one",
		"other": "PersistentVolumeClaim data in other of one",
		"": "Cluster orders in bench of two; Job keeper in bench of one; Namespace bench of one; PersistentVolumeClaim data in other of one; " +
			"Secret db in bench of one; StatefulSet db in bench of one",
	} {
		found, err := c.In(namespace).Leftovers(context.Background())
		if got := names(found); err != nil || got != want {
			t.Errorf("in %q: %s, %v\nwant %s", namespace, got, err, want)
		}
	}
}

// TestDeleteSome: of a record, only the objects that are named are deleted.
func TestDeleteSome(t *testing.T) {
	c, _ := fakeCluster(t, crowded)
	before := left(t, c)
	if err := c.Delete(context.Background(), "one", Ref{"Secret", "db"}, Ref{"Secret", "mine"}); err != nil {
		t.Fatal(err)
	}
	want := slices.DeleteFunc(before, func(o string) bool { return o == "Secret db" })
	if got := left(t, c); !slices.Equal(got, want) {
		t.Errorf("left: %q\nwant %q", got, want)
	}
}

// TestDelete: nothing without the label of the record is deleted, not even with its namespace.
func TestDelete(t *testing.T) {
	c, _ := fakeCluster(t, crowded)
	if err := c.Delete(context.Background(), "one"); err != nil { // the namespace is left to the record two
		t.Error(err)
	}
	want := []string{
		"Cluster orders", "Cluster production", "Job backup", "Namespace bench", "Namespace other", "PersistentVolumeClaim data", "Secret mine", "StatefulSet mine",
	}
	if got := left(t, c); !slices.Equal(got, want) {
		t.Errorf("left: %q\nwant %q", got, want)
	}
	for _, record := range []string{"", "on", "one", "three"} {
		err := c.Delete(context.Background(), record)
		if got := left(t, c); !slices.Equal(got, want) || (err != nil) != (record == "") {
			t.Errorf("after the deletion of %q: %q, %v", record, got, err)
		}
	}
	err := c.Delete(context.Background(), "two")
	mustSay(t, err, "cannot delete the namespace bench: plinth did not create Cluster production, Job backup, Secret mine, StatefulSet mine in it",
		"kubectl label namespace bench plinth/record-")
	if line := Stays(err); !strings.HasPrefix(line, "the namespace bench stays: plinth did not create Cluster production") || Stays(errors.New("no")) != "" {
		t.Error(line)
	}
	want = slices.DeleteFunc(want, func(o string) bool { return o == "Cluster orders" })
	if got := left(t, c); !slices.Equal(got, want) {
		t.Errorf("left: %q\nwant %q", got, want)
	}
}

// TestDeleteNamespace: a namespace is deleted after what is in it, with what the cluster has put there.
func TestDeleteNamespace(t *testing.T) {
	const own = `
{apiVersion: v1, kind: Namespace, metadata: {name: bench, uid: "0", creationTimestamp: "2026-11-26T00:00:00Z", labels: {plinth/record: one}}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: default, uid: "1", creationTimestamp: "2026-11-26T00:00:01Z"}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: kube-root-ca.crt, uid: "2", creationTimestamp: "2026-11-26T00:00:01Z"}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: cnpg-default-monitoring, uid: "21", creationTimestamp: "2026-11-26T00:10:00Z", labels: {app.kubernetes.io/managed-by: cloudnative-pg}}}
---
{apiVersion: postgresql.cnpg.io/v1, kind: Cluster, metadata: {name: db, uid: "3", labels: {plinth/record: one}}}
---
{apiVersion: v1, kind: Secret, metadata: {name: db-app, uid: "4", creationTimestamp: "2026-11-26T00:10:00Z", ownerReferences: [{apiVersion: postgresql.cnpg.io/v1, kind: Cluster, name: db, uid: "3", controller: true}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: db-1, uid: "5", ownerReferences: [{apiVersion: postgresql.cnpg.io/v1, kind: Cluster, name: db, uid: "3", controller: true}]}}
`
	for _, tc := range []struct{ more, want string }{
		{"", ""},
		{`---
{apiVersion: v1, kind: Secret, metadata: {name: mine, uid: "6", creationTimestamp: "2026-11-26T00:10:00Z"}}`, "plinth did not create Secret mine in it"},
		{`---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, uid: "6", creationTimestamp: "2026-11-26T00:00:01Z"}}`, "plinth did not create Deployment web in it"},
		{`---
{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: access, uid: "6", labels: {app.kubernetes.io/managed-by: plinth, plinth/role: access}}}`,
			"plinth did not create Role access in it"},
		{`---
{apiVersion: example.org/v1alpha1, kind: Widget, metadata: {name: round, uid: "6"}}`, "plinth did not create Widget round in it"},
		{`---
{apiVersion: v1, kind: ConfigMap, metadata: {name: early, uid: "6", creationTimestamp: "2026-11-26T00:00:01Z"}}`, "plinth did not create ConfigMap early in it"},
		{`---
{apiVersion: example.org/v1alpha1, kind: Widget, metadata: {name: inner, uid: "7", ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: middle, uid: "6"}]}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: middle, uid: "6", ownerReferences: [{apiVersion: postgresql.cnpg.io/v1, kind: Cluster, name: db, uid: "3"}]}}`, ""},
		{`---
{apiVersion: v1, kind: Pod, metadata: {name: web-0, uid: "6", ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: "7", controller: true}]}}`, "plinth did not create Pod web-0 in it"},
	} {
		c, client := fakeCluster(t, own+tc.more)
		var deleted []string
		client.PrependReactor("delete", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
			deleted = append(deleted, action.(clienttesting.DeleteAction).GetName())
			return false, nil, nil
		})
		err := c.Delete(context.Background(), "one")
		if tc.want == "" && (err != nil || !slices.Equal(deleted, []string{"db", "bench"})) {
			t.Errorf("it deletes %q, %v", deleted, err)
		}
		if tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want) || slices.Contains(deleted, "bench")) {
			t.Errorf("it deletes %q, %v\nwant %s", deleted, err, tc.want)
		}
	}
	c, client := fakeCluster(t, own)
	client.PrependReactor("list", "deployments", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, errors.New("the API server is not ready")
	})
	mustSay(t, c.Delete(context.Background(), "one"), "cannot list deployments: the API server is not ready", "")
	if got := left(t, c); !slices.Contains(got, "Namespace bench") {
		t.Errorf("left: %q", got)
	}
}

// TestDeleteGivesTheIdentity: an object that was created in the place of plinth's own stays.
func TestDeleteGivesTheIdentity(t *testing.T) {
	const path = "/apis/batch/v1/namespaces/bench/jobs/keeper"
	job, _ := kindNamed("Job")
	for _, answer := range []string{"200 {}", "404 " + status(404, "NotFound", "not found"), "409 " + status(409, "Conflict", "the UID in the precondition")} {
		s := newServer(t, map[string]string{"DELETE " + path: answer})
		if asked, err := s.open(t).delete(context.Background(), Leftover{Ref: Ref{"Job", "keeper"}, Namespace: "bench", kind: job, uid: "8f"}, nil); err != nil || !asked {
			t.Errorf("%s: %v", answer, err)
		}
		if sent := s.sent[len(s.sent)-1]; !strings.Contains(sent, `"preconditions":{"uid":"8f"}`) || !strings.Contains(sent, `"propagationPolicy":"Background"`) {
			t.Errorf("it sends %s", sent)
		}
	}
}

// TestDeleteGivesTheVersion: a namespace that has changed since it was looked at stays.
func TestDeleteGivesTheVersion(t *testing.T) {
	s := newServer(t, map[string]string{
		"GET /apis": `200 {"kind":"APIGroupList","groups":[]}`, "GET /api/v1": `200 {"kind":"APIResourceList","groupVersion":"v1","resources":[]}`,
		"DELETE /api/v1/namespaces/bench": "409 " + status(409, "Conflict", "the ResourceVersion in the precondition"),
	})
	asked, err := s.open(t).delete(context.Background(), Leftover{Ref: Ref{"Namespace", "bench"}, kind: kindNamespace, uid: "8f", version: "77"}, nil)
	if sent := s.sent[len(s.sent)-1]; asked || err != nil || !strings.Contains(sent, `"preconditions":{"uid":"8f","resourceVersion":"77"}`) {
		t.Errorf("%v, %v, it sends %s", asked, err, sent)
	}
}

// TestDeletePodsOfControllers: an account may lack the right to delete pods. Their controller deletes them.
func TestDeletePodsOfControllers(t *testing.T) {
	c, client := fakeCluster(t, `
{apiVersion: batch/v1, kind: Job, metadata: {name: load, uid: "1", labels: {plinth/record: one}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: load-0, uid: "2", labels: {plinth/record: one}, ownerReferences: [{apiVersion: batch/v1, kind: Job, name: load, uid: "1", controller: true}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: reader, uid: "3", labels: {plinth/record: one}}}
`)
	client.PrependReactor("delete", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		return action.(clienttesting.DeleteAction).GetName() == "load-0", nil, apierrors.NewForbidden(kindPod.resource.GroupResource(), "load-0", errors.New("no right"))
	})
	client.PrependReactor("delete", "jobs", func(clienttesting.Action) (bool, runtime.Object, error) {
		_ = client.Tracker().Delete(kindPod.resource, "bench", "load-0")
		return false, nil, nil
	})
	if err := c.Delete(context.Background(), "one"); err != nil {
		t.Error(err)
	}
	if got := left(t, c); len(got) > 0 {
		t.Errorf("left: %q", got)
	}
}

// TestDeleteInVain: an object that stays is named, with what it waits for.
func TestDeleteInVain(t *testing.T) {
	c, client := fakeCluster(t, `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, uid: "1", labels: {plinth/record: one}, deletionTimestamp: "2026-11-26T00:00:00Z", finalizers: [kubernetes.io/pvc-protection]}`)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	looks := 0
	client.PrependReactor("list", "serviceaccounts", func(clienttesting.Action) (bool, runtime.Object, error) {
		if looks++; looks == 2 {
			cancel()
		}
		return false, nil, nil
	})
	mustSay(t, c.Delete(ctx, "one"), "not yet deleted: PersistentVolumeClaim data in bench: context canceled",
		"PersistentVolumeClaim data in bench waits for kubernetes.io/pvc-protection")
}

// TestDeleteTooLate: an object that does not go is named when the time is over, with the reason.
func TestDeleteTooLate(t *testing.T) {
	const since = `, deletionTimestamp: "2026-11-26T00:00:00Z"`
	for _, tc := range []struct{ pod, advice string }{
		{"", "plinth clean --kubernetes lists what is left"},
		{since, "if the node of Pod db-0 in bench has crashed"},
		{since + ", finalizers: [x/y]", "Pod db-0 in bench waits for x/y"},
	} {
		c, _ := fakeCluster(t, `
{apiVersion: v1, kind: Pod, metadata: {name: db-0, uid: "1", labels: {plinth/record: one}`+tc.pod+`}}
---
{apiVersion: v1, kind: Secret, metadata: {name: db, uid: "2", labels: {plinth/record: one}}}
`)
		err := c.DeleteWithin(t.Context(), 0, "one", Ref{"Pod", "db-0"})
		mustSay(t, err, "not yet deleted: Pod db-0 in bench: it takes too long", tc.advice)
	}
}

// TestMissingRights: what an account may not list does not keep it from deleting the rest.
func TestMissingRights(t *testing.T) {
	c, client := fakeCluster(t, crowded)
	forbid := func(verb, resource string) {
		client.PrependReactor(verb, resource, func(action clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewForbidden(action.GetResource().GroupResource(), "",
				errors.New(`User "bob" cannot `+verb+` resource "`+resource+`" in API group "" in the namespace "bench"`))
		})
	}
	forbid("list", "roles")
	forbid("get", "namespaces")
	client.PrependReactor("list", "clusters", func(action clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewNotFound(action.GetResource().GroupResource(), "") // no operator
	})
	found, err := c.Leftovers(context.Background())
	if want := "Job keeper in bench of one; Secret db in bench of one; StatefulSet db in bench of one"; names(found) != want {
		t.Errorf("it finds %s\nwant %s", names(found), want)
	}
	mustSay(t, err, "cannot list roles", "give bob a Role in the namespace bench")
	if err := c.Delete(context.Background(), "one"); err != nil {
		t.Error(err)
	}
	forbid("list", "jobs")
	ctx, cancel := context.WithTimeout(context.Background(), soon)
	defer cancel()
	mustSay(t, c.Delete(ctx, "two"), "cannot list jobs", "give bob a Role")
}

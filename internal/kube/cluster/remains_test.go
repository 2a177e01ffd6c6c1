package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
)

// keepers has records whose keeper runs, waits, has ended, is being deleted, or is not there.
const keepers = `
{apiVersion: v1, kind: Namespace, metadata: {name: bench, uid: "0", creationTimestamp: "2026-11-26T00:00:00Z", labels: {plinth/record: runs}}}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: k1, uid: "1", creationTimestamp: "2026-11-26T00:00:01Z", labels: {plinth/record: runs, plinth/role: keeper}}, status: {active: 1}}
---
{apiVersion: v1, kind: Secret, metadata: {name: s1, uid: "11", creationTimestamp: "2026-11-26T00:10:00Z", labels: {plinth/record: runs}}}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: k2, uid: "2", creationTimestamp: "2026-11-26T01:00:00Z", labels: {plinth/record: waits, plinth/role: keeper}}}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: k3, uid: "3", creationTimestamp: "2026-11-26T02:00:00Z", labels: {plinth/record: ended, plinth/role: keeper}}, status: {conditions: [{type: Complete, status: "True"}]}}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: k4, uid: "4", creationTimestamp: "2026-11-26T03:00:00Z", labels: {plinth/record: failed, plinth/role: keeper}}, status: {conditions: [{type: Failed, status: "True"}]}}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: k5, uid: "5", creationTimestamp: "2026-11-26T04:00:00Z", deletionTimestamp: "2026-11-26T05:00:00Z", labels: {plinth/record: leaves, plinth/role: keeper}}}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: load, uid: "6", creationTimestamp: "2026-11-26T05:00:00Z", labels: {plinth/record: alone, plinth/role: load}}, status: {active: 1}}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: k7, uid: "7", namespace: other, creationTimestamp: "2026-11-26T06:00:00Z", labels: {plinth/record: ended, plinth/role: keeper}}}
---
{apiVersion: v1, kind: Node, metadata: {name: n1, uid: "9", labels: {plinth/cordoned: runs}, annotations: {plinth/namespace: bench}}, spec: {unschedulable: true}}
---
{apiVersion: v1, kind: Node, metadata: {name: n2, uid: "10", labels: {plinth/cordoned: gone}, annotations: {plinth/namespace: other}}, spec: {unschedulable: true}}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: backup, uid: "8", labels: {plinth/role: keeper}}}
`

func TestRemains(t *testing.T) {
	c, client := fakeCluster(t, keepers)
	for namespace, want := range map[string]string{
		"bench": "runs in bench: 3, kept, cordoned n1; waits in bench: 1, kept; ended in bench: 1; failed in bench: 1; leaves in bench: 1; alone in bench: 1",
		"other": "gone in other: 0, cordoned n2; ended in other: 1, kept",
		"gone":  "",
		"": "gone in other: 0, cordoned n2; runs in bench: 3, kept, cordoned n1; waits in bench: 1, kept; ended in bench: 1; failed in bench: 1; leaves in bench: 1; alone in bench: 1; " +
			"ended in other: 1, kept",
	} {
		all, hidden, err := c.In(namespace).Remains(context.Background())
		var lines []string
		for _, r := range all {
			line := fmt.Sprintf("%s in %s: %d", r.Record, r.Namespace, len(r.Objects))
			if r.Kept {
				line += ", kept"
			}
			if len(r.Cordoned) > 0 {
				line += ", cordoned " + strings.Join(r.Cordoned, " ")
			}
			lines = append(lines, line)
		}
		if got := strings.Join(lines, "; "); got != want || err != nil || len(hidden) > 0 {
			t.Errorf("in %q: %s, hidden %q, %v\nwant %s", namespace, got, hidden, err, want)
		}
	}
	all, _, _ := c.Remains(context.Background())
	if all[0].Begins(all[0].Since) || all[5].Begins(all[5].Since) {
		t.Errorf("%+v\n%+v", all[0], all[5])
	}
	forbid := func(resource string) {
		client.PrependReactor("list", resource, func(action clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewForbidden(action.GetResource().GroupResource(), "",
				errors.New(`User "bob" cannot list resource "`+resource+`" in API group "" in the namespace "bench"`))
		})
	}
	forbid("roles")
	forbid("secrets")
	if all, hidden, err := c.Remains(context.Background()); err != nil || len(all) != 6 || !slices.Equal(hidden, []string{"secrets", "roles"}) {
		t.Errorf("%d records, hidden %q, %v", len(all), hidden, err)
	}
	forbid("jobs") // a keeper may run that is not visible
	_, _, err := c.Remains(context.Background())
	mustSay(t, err, "cannot list jobs", "give bob a Role in the namespace bench with this rule:")
}

// TestBegins: for a minute, a namespace may be that of an experiment which has no keeper yet.
func TestBegins(t *testing.T) {
	c, _ := fakeCluster(t, `{apiVersion: v1, kind: Namespace, metadata: {name: bench, uid: "0", creationTimestamp: "2026-11-26T00:00:00Z", labels: {plinth/record: one}}}`)
	all, _, err := c.Remains(context.Background())
	if err != nil || len(all) != 1 || all[0].Kept {
		t.Fatalf("%+v, %v", all, err)
	}
	if since := all[0].Since; !all[0].Begins(since.Add(59*time.Second)) || all[0].Begins(since.Add(time.Minute)) {
		t.Error("the minute is not one")
	}
}

package cluster

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"plinth/internal/unit"
)

// TestReservations: a pod reserves what the scheduler counts, once it is on a node.
func TestReservations(t *testing.T) {
	c, _ := fakeCluster(t, `
apiVersion: v1
kind: Pod
metadata: {name: db-0}
spec:
  nodeName: a
  initContainers:
  - {name: proxy, restartPolicy: Always, resources: {requests: {cpu: 100m, memory: 1Gi}}}
  - {name: restore, resources: {requests: {cpu: 500m, memory: 5Gi}}}
  containers:
  - {name: postgres, resources: {requests: {cpu: "1", memory: 2Gi}, limits: {cpu: "2", memory: 2Gi}}}
  - {name: metrics, resources: {requests: {cpu: 250m}}}
  overhead: {memory: 100Mi}
---
{apiVersion: v1, kind: Pod, metadata: {name: waits}, spec: {containers: [{name: c, resources: {requests: {cpu: "1"}}}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: z, namespace: other}, spec: {nodeName: b, containers: [{name: c, resources: {limits: {cpu: "1"}}}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: whole, namespace: other}
spec:
  nodeName: b
  resources: {requests: {cpu: "3"}, limits: {cpu: "4"}}
  containers: [{name: c, resources: {requests: {memory: 1Gi}}}]
`)
	pods, err := c.Reservations(context.Background())
	want := []Reservation{
		{Namespace: "bench", Pod: "db-0", Node: "a", Requests: Resources{1.35, 6*unit.GiB + 100*unit.MiB}, Limits: Resources{2, 2*unit.GiB + 100*unit.MiB}, Unlimited: true},
		{Namespace: "other", Pod: "whole", Node: "b", Requests: Resources{3, unit.GiB}, Limits: Resources{CPUs: 4}},
		{Namespace: "other", Pod: "z", Node: "b", Limits: Resources{CPUs: 1}},
	}
	if err != nil || !reflect.DeepEqual(pods, want) {
		t.Errorf("pods %+v, %v\nwant %+v", pods, err, want)
	}
}

// TestReservationsInParts: the API server is asked for parts of the list, without pods that have ended.
func TestReservationsInParts(t *testing.T) {
	s := newServer(t, map[string]string{
		"GET /api/v1/pods": `200 {"kind":"PodList","apiVersion":"v1","metadata":{},"items":[{"metadata":{"name":"a"},"spec":{"nodeName":"n"}}]}`,
	})
	if pods, err := s.open(t).Reservations(context.Background()); err != nil || len(pods) != 1 {
		t.Errorf("%+v, %v", pods, err)
	}
	if sent := s.sent[len(s.sent)-1]; !strings.Contains(sent, "limit=500") || !strings.Contains(sent, "fieldSelector=status.phase%21%3DSucceeded") {
		t.Errorf("it asks %s", sent)
	}
}

func TestAllowed(t *testing.T) {
	const path = "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
	for answer, want := range map[string]bool{
		`201 {"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1","status":{"allowed":true}}`:                true,
		`201 {"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1","status":{"allowed":false,"reason":"no"}}`: false,
	} {
		s := newServer(t, map[string]string{path: answer})
		allowed, err := s.open(t).allowed(context.Background(), right{"", "pods/exec", "create"})
		if err != nil || allowed != want {
			t.Errorf("%s: %v, %v", answer, allowed, err)
		}
		if sent := s.sent[len(s.sent)-1]; !strings.Contains(sent, `"namespace":"bench","resource":"pods","subresource":"exec","verb":"create"`) {
			t.Errorf("it asks %s", sent)
		}
	}
	s := newServer(t, map[string]string{path: "403 " + status(403, "Forbidden", "no")})
	if _, err := s.open(t).allowed(context.Background(), right{"", "pods", "get"}); !NotAllowed(err) {
		t.Errorf("it returns %v", err)
	}
}

func TestRaw(t *testing.T) {
	s := newServer(t, map[string]string{"GET /x": "200 text", "GET /y": "401 " + status(401, "Unauthorized", "Unauthorized")})
	c := s.open(t)
	if text, err := c.Raw(context.Background(), "/x", nil); err != nil || string(text) != "text" {
		t.Errorf("%q, %v", text, err)
	}
	_, err := c.Raw(context.Background(), "/y", nil)
	mustSay(t, err, "does not accept the credentials", "log in again")
	if _, err := c.Raw(context.Background(), "/z", nil); !IsGone(err) {
		t.Errorf("%v", err)
	}
}

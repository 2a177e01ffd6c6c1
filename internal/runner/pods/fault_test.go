package pods

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/kube/cluster"
	"plinth/internal/kube/manifest"
	"plinth/internal/record"
	"plinth/internal/runner/site"
)

// api is an API server with a StatefulSet, its pod, and the pod's node.
type api struct {
	mu       sync.Mutex
	t        *testing.T
	uid      int // of the pod; a deleted or evicted one is replaced
	cordoned bool
	record   any // that has cordoned the node
	ready    int64
	denied   string   // a right: "patch nodes"
	stuck    bool     // a node cannot be uncordoned
	moves    bool     // another pod is the primary once writes have begun
	looks    int      // at the pod
	sent     []string // changes
}

type object = map[string]any

// ServeHTTP answers like an API server.
func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	if r.Method != http.MethodGet {
		a.sent = append(a.sent, r.Method+" "+filepath.Base(r.URL.Path))
	}
	w.Header().Set("Content-Type", "application/json")
	answer := a.answer(r.Method, r.URL.Path, body)
	if answer == nil {
		a.t.Errorf("%s %s %s", r.Method, r.URL, body)
	}
	if code, is := answer["code"].(int); is {
		w.WriteHeader(code)
	}
	_ = json.NewEncoder(w).Encode(answer)
}

func (a *api) answer(method, path string, body []byte) object {
	pod := object{"apiVersion": "v1", "kind": "Pod", "metadata": object{"name": "db-0", "namespace": "bench", "uid": fmt.Sprint(a.uid)},
		"spec": object{"nodeName": "n1"}, "status": object{"phase": "Running"}}
	if a.moves && slices.Contains(a.sent, "write a") {
		pod["metadata"], pod["spec"] = object{"name": "db-1", "namespace": "bench", "uid": fmt.Sprint("b", a.uid)}, object{"nodeName": "n2"}
	}
	list := func(kind string, items ...any) object {
		return object{"apiVersion": "v1", "kind": kind + "List", "items": slices.Concat([]any{}, items)}
	}
	switch kind := filepath.Base(path); {
	case kind == "selfsubjectaccessreviews":
		var review struct {
			Spec struct {
				ResourceAttributes struct{ Verb, Resource, Subresource, Namespace string }
			}
		}
		if err := json.Unmarshal(body, &review); err != nil {
			a.t.Error(err)
		}
		of := review.Spec.ResourceAttributes
		if global := of.Resource == "nodes" || of.Resource == "persistentvolumes"; global == (of.Namespace == "bench") {
			a.t.Errorf("%s in %q", of.Resource, of.Namespace)
		}
		resource := strings.TrimSuffix(of.Resource+"/"+of.Subresource, "/")
		return object{"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview", "status": object{"allowed": of.Verb+" "+resource != a.denied}}
	case path == "/version":
		return object{"gitVersion": "v1.33.13"}
	case method == http.MethodGet && strings.Contains(path, "/pods/"):
		a.looks++
		return pod
	case method == http.MethodGet && kind == "pods":
		return list("Pod", pod)
	case method == http.MethodGet && kind == "nodes":
		ready := object{"conditions": []any{object{"type": "Ready", "status": "True"}}}
		return list("Node", object{"metadata": object{"name": "n1"}, "status": ready}, object{
			"metadata": object{"name": "n2", "labels": object{"plinth/cordoned": a.record}}, "spec": object{"unschedulable": a.cordoned}, "status": ready,
		})
	case method == http.MethodGet && kind == "events":
		return list("Event")
	case method == http.MethodDelete && strings.Contains(path, "/pods/"), method == http.MethodPost && kind == "eviction":
		a.uid++
		return object{"apiVersion": "v1", "kind": "Status", "status": "Success"}
	case method == http.MethodGet && strings.Contains(path, "/statefulsets/"):
		return object{"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": object{"name": "db", "namespace": "bench"},
			"spec": object{"replicas": 1}, "status": object{"readyReplicas": a.ready}}
	case strings.Contains(path, "/nodes/"):
		if method == http.MethodPatch {
			var patch struct {
				Metadata struct{ Labels map[string]any }
				Spec     struct{ Unschedulable bool }
			}
			if err := json.Unmarshal(body, &patch); err != nil {
				a.t.Error(err)
			}
			if a.stuck && !patch.Spec.Unschedulable {
				return object{"apiVersion": "v1", "kind": "Status", "status": "Failure", "code": 403, "reason": "Forbidden", "message": "not now"}
			}
			a.cordoned, a.record = patch.Spec.Unschedulable, patch.Metadata.Labels["plinth/cordoned"]
			a.sent[len(a.sent)-1] += fmt.Sprintf(" cordoned: %t", a.cordoned)
		}
		return object{"apiVersion": "v1", "kind": "Node", "spec": object{"unschedulable": a.cordoned},
			"metadata": object{"name": filepath.Base(path), "labels": object{"plinth/cordoned": a.record}}}
	}
	return nil
}

func (a *api) note(what string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sent = append(a.sent, what)
}

// scripted is a writer that does what a test says.
type scripted struct {
	api     *api
	resumed []error // of each call
	fault   time.Time
}

var _ site.Witness = (*scripted)(nil)

func (s *scripted) Clock(context.Context, int) (ahead, within time.Duration, err error) {
	return time.Hour, 0, nil
}

func (s *scripted) Write(_ context.Context, environment string) error {
	s.api.note("write " + environment)
	return nil
}

func (s *scripted) Resumed(_ context.Context, fault time.Time) error {
	s.api.note("resumed")
	s.fault = fault
	err := s.resumed[0]
	s.resumed = s.resumed[1:]
	return err
}

func (s *scripted) Count(_ context.Context, broke string) (record.Injection, error) {
	s.api.note("count")
	return record.Injection{Acknowledged: 7, Found: 7, Outage: 2, Broke: broke}, nil
}

// TestInject checks the order of a fault, and that a node is uncordoned before its server is waited for,
// on every path.
func TestInject(t *testing.T) {
	const late = "no write was acknowledged again within 10m0s"
	for name, c := range map[string]struct {
		fault   string
		resumed []error
		order   string
		broke   string
	}{
		"delete-pod": {experiment.FaultDeletePod, []error{nil}, "write a; DELETE db-0; resumed; count", ""},
		"gone":       {experiment.FaultDeletePod, []error{context.DeadlineExceeded}, "write a; DELETE db-0; resumed; count", late},
		"drain":      {experiment.FaultDrain, []error{nil}, "write a; PATCH n1 cordoned: true; POST eviction; resumed; PATCH n1 cordoned: false; count", ""},
		"drain that blocks": {experiment.FaultDrain, []error{context.DeadlineExceeded, nil},
			"write a; PATCH n1 cordoned: true; POST eviction; resumed; PATCH n1 cordoned: false; resumed; count", ""},
		"drain without end": {experiment.FaultDrain, []error{context.DeadlineExceeded, context.DeadlineExceeded},
			"write a; PATCH n1 cordoned: true; POST eviction; resumed; PATCH n1 cordoned: false; resumed; count", late},
	} {
		t.Run(name, func(t *testing.T) {
			a := &api{t: t, uid: 1, ready: 1}
			w := &scripted{api: a, resumed: c.resumed}
			i := injectionOf(t, a, c.fault, w)
			before := time.Now()
			seen, err := i.inject(t.Context(), 0)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(a.sent, "; "); got != c.order {
				t.Errorf("the order is\n%s, want\n%s", got, c.order)
			}
			if seen.Acknowledged != 7 || seen.Outage != 2 || seen.Broke != c.broke || seen.Primary == nil || seen.Primary.Before.Pod != "db-0" {
				t.Errorf("%+v", seen)
			}
			if w.fault.Before(before.Add(time.Hour)) {
				t.Errorf("the fault was at %s by the writer's clock, which is an hour ahead of %s", w.fault, before)
			}
			if a.cordoned {
				t.Error("the node is still cordoned")
			}
			if left, _ := filepath.Glob(filepath.Join(os.Getenv("PLINTH_STATE"), "*.journal")); len(left) > 0 {
				t.Errorf("journals are left: %v", left)
			}
		})
	}
}

// TestPrimaryThatMoves: a fault hits the pod that is the primary at that moment.
func TestPrimaryThatMoves(t *testing.T) {
	for fault, order := range map[string]string{
		experiment.FaultDeletePod: "write a; DELETE db-1; resumed; count",
		experiment.FaultDrain:     "write a; PATCH n2 cordoned: true; POST eviction; resumed; PATCH n2 cordoned: false; count",
	} {
		a := &api{t: t, uid: 1, ready: 1, moves: true}
		seen, err := injectionOf(t, a, fault, &scripted{api: a, resumed: []error{nil}}).inject(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(a.sent, "; "); got != order {
			t.Errorf("the order is\n%s, want\n%s", got, order)
		}
		if seen.Primary == nil || seen.Primary.Before.Pod != "db-1" {
			t.Errorf("%+v", seen)
		}
	}
}

// TestServerThatMoves: a primary that has changed between two runs is noticed before the next one.
func TestServerThatMoves(t *testing.T) {
	a := &api{t: t, uid: 1, ready: 1, moves: true}
	s := injectionOf(t, a, experiment.FaultDeletePod, nil).Site
	if err := s.awaitServer(t.Context(), s.experiment.Environments[0]); err != nil {
		t.Fatal(err)
	}
	if err := s.moved(t.Context(), "a"); err != nil {
		t.Error(err)
	}
	a.note("write a")
	const want = "it is db-1 on the node n2, and was db-0 on n1"
	failure := new(site.Failure)
	_, err := s.Ready(t.Context(), site.Order{Environment: "a"})
	if !errors.As(err, &failure) || failure.Rule != "pod" || !strings.Contains(err.Error(), want) {
		t.Errorf("%v", err)
	}
}

// injectionOf returns a fault in the server of an API server.
func injectionOf(t *testing.T, a *api, fault string, w writer) *injection {
	t.Helper()
	env := experiment.Environment{Name: "a", Kubernetes: experiment.Kubernetes{Operator: experiment.OperatorNone}}
	e := &experiment.Experiment{Environments: []experiment.Environment{env}, Durability: experiment.Durability{Fault: fault}}
	s := New(openAPI(t, a), Options{})
	s.experiment, s.plan = e, manifest.Plan{Experiment: e, Record: "one"}
	return &injection{Site: s, env: env, witness: w, patience: time.Minute}
}

// TestStaysCordoned: that a node cannot be uncordoned is an error of its own, not one of the server. The
// journal keeps it.
func TestStaysCordoned(t *testing.T) {
	a := &api{t: t, uid: 1, ready: 1, stuck: true}
	i := injectionOf(t, a, experiment.FaultDrain, &scripted{api: a, resumed: []error{nil}})
	i.pause, i.patience = 10*time.Millisecond, 200*time.Millisecond
	seen, err := i.inject(t.Context(), 0)
	if err == nil || strings.Count(err.Error(), "cannot uncordon the node n1") != 1 || hint.Of(err) != "kubectl uncordon n1" || seen.Broke != "" {
		t.Errorf("%+v, %v, hint %q", seen, err, hint.Of(err))
	}
	if left, _ := filepath.Glob(filepath.Join(os.Getenv("PLINTH_STATE"), "*.journal")); len(left) != 1 || !a.cordoned {
		t.Errorf("journals: %v, cordoned: %v", left, a.cordoned)
	}
}

// TestRights: the rights that a fault needs are checked, each where it is needed.
func TestRights(t *testing.T) {
	for _, c := range []struct{ fault, denied, want string }{
		{experiment.FaultDrain, "", ""},
		{experiment.FaultDrain, "patch nodes", "give this account a ClusterRole with these rules:\n- apiGroups: [\"\"]\n  resources: [\"nodes\"]\n  verbs: [\"patch\"]"},
		{experiment.FaultDrain, "create pods/eviction", "give this account a Role in the namespace bench with these rules:\n- apiGroups: [\"\"]\n  resources: [\"pods/eviction\"]\n  verbs: [\"create\"]"},
		{experiment.FaultDeletePod, "patch nodes", ""},
		{experiment.FaultKill, "delete pods", "give this account a Role in the namespace bench with these rules:\n- apiGroups: [\"\"]\n  resources: [\"pods\"]\n  verbs: [\"delete\"]"},
		{"", "delete pods", ""},
	} {
		a := &api{t: t, denied: c.denied}
		if err := injectionOf(t, a, c.fault, nil).checkRights(t.Context()); hint.Of(err) != c.want || (err == nil) != (c.want == "") {
			t.Errorf("%+v: %v, hint\n%s", c, err, hint.Of(err))
		}
	}
}

// TestNodes: a drain needs two nodes. One that a killed plinth has left cordoned is named.
func TestNodes(t *testing.T) {
	for _, c := range []struct {
		cordoned     bool
		record, want string
	}{{false, "", ""}, {true, "", noDrain}, {true, "one", "one has left the node n2 cordoned: plinth clean --kubernetes --all-namespaces --dry-run"}} {
		a := &api{t: t, cordoned: c.cordoned, record: c.record}
		if err := injectionOf(t, a, experiment.FaultDrain, nil).checkNodes(t.Context()); hint.Of(err) != c.want || (err == nil) != (c.want == "") {
			t.Errorf("%+v: %v, hint %s", c, err, hint.Of(err))
		}
	}
}

// TestAway: a node is drained until the evicted pod is gone.
func TestAway(t *testing.T) {
	a := &api{t: t, uid: 1}
	i := injectionOf(t, a, experiment.FaultDrain, nil)
	i.primary, i.pause = cluster.Pod{Name: "db-0", UID: "1"}, time.Millisecond
	ctx, cancel := i.away(t.Context())
	defer cancel()
	for looks := 0; looks < 3 && ctx.Err() == nil; {
		a.mu.Lock()
		looks = a.looks
		a.mu.Unlock()
	}
	if ctx.Err() != nil {
		t.Fatal("it ends while the pod is there")
	}
	a.mu.Lock()
	a.uid++
	a.mu.Unlock()
	<-ctx.Done()
}

// openAPI opens a cluster with an API server, and sets a directory for journals.
func openAPI(t *testing.T, a *api) *cluster.Cluster {
	t.Helper()
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	dir := t.TempDir()
	text := fmt.Sprintf(`{apiVersion: v1, kind: Config, current-context: lab, clusters: [{name: c, cluster: {server: "%s"}}],
users: [{name: u, user: {token: secret}}], contexts: [{name: lab, context: {cluster: c, user: u, namespace: bench}}]}`, server.URL)
	if err := os.WriteFile(filepath.Join(dir, "config"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", filepath.Join(dir, "config"))
	t.Setenv("PLINTH_STATE", filepath.Join(dir, "state"))
	c, err := cluster.Open(t.Context(), cluster.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

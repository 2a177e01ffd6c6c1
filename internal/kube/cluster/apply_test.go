package cluster

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"
)

// server is an API server that gives prepared answers and keeps the requests.
type server struct {
	*httptest.Server
	answers map[string]string // "METHOD /path" → "CODE body"
	sent    []string
}

func newServer(t *testing.T, answers map[string]string) *server {
	s := &server{answers: answers}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// ServeHTTP answers like an API server.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.sent = append(s.sent, r.Method+" "+r.URL.String()+" "+string(body))
	answer, known := s.answers[r.Method+" "+r.URL.Path]
	code := http.StatusNotFound
	switch {
	case known:
		number, rest, _ := strings.Cut(answer, " ")
		_, _ = fmt.Sscan(number, &code)
		answer = rest
	case r.URL.Path == "/version":
		code, answer = http.StatusOK, `{"gitVersion":"v1.33.13"}`
	default:
		answer = status(code, "NotFound", `jobs.batch "x" not found`)
	}
	if strings.HasPrefix(answer, "{") {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(code)
	_, _ = io.WriteString(w, answer)
}

// status is an error of the API.
func status(code int, reason, message string) string {
	return fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","code":%d,"reason":%q,"message":%q}`, code, reason, message)
}

func (s *server) open(t *testing.T) *Cluster {
	t.Helper()
	c := &Cluster{Name: "test", Namespace: "bench", config: &rest.Config{Host: s.URL}}
	if err := c.connect(context.Background()); err != nil {
		t.Fatal(err)
	}
	c.every = time.Millisecond
	return c
}

func keeper() Object {
	return Object{
		"apiVersion": "batch/v1", "kind": "Job",
		"metadata": Object{"name": "keeper", "namespace": "bench", "labels": Object{"plinth/record": "one"}},
		"spec":     Object{"backoffLimit": int64(3)},
	}
}

func TestApply(t *testing.T) {
	const path = "/apis/batch/v1/namespaces/bench/jobs/keeper"
	s := newServer(t, map[string]string{
		"PATCH " + path: `201 {"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"keeper","uid":"8f"}}`,
	})
	c := s.open(t)
	made, err := c.Apply(context.Background(), keeper())
	if err != nil || len(made) != 1 || text(made[0], "metadata", "uid") != "8f" {
		t.Fatalf("it made %v, %v", made, err)
	}
	if err := c.DryRun(context.Background(), keeper()); err != nil {
		t.Fatal(err)
	}
	patch := ` {"apiVersion":"batch/v1","kind":"Job","metadata":{"labels":{"plinth/record":"one"},"name":"keeper","namespace":"bench"},"spec":{"backoffLimit":3}}`
	want := []string{"GET /version ", "GET " + path + " ", "PATCH " + path + "?fieldManager=plinth&force=false" + patch,
		"GET " + path + " ", "PATCH " + path + "?dryRun=All&fieldManager=plinth&force=false" + patch}
	for i, sent := range s.sent {
		if i >= len(want) || strings.TrimSpace(sent) != strings.TrimSpace(want[i]) {
			t.Errorf("request %d is %s", i, sent)
		}
	}
}

func TestApplyRefused(t *testing.T) {
	const path = "/apis/batch/v1/namespaces/bench/jobs/keeper"
	cluster := Object{"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": Object{"name": "orders", "labels": Object{"plinth/record": "one"}}}
	const clusters = "/apis/postgresql.cnpg.io/v1/namespaces/bench/clusters/orders"
	for _, tc := range []struct {
		name       string
		object     Object
		answers    map[string]string
		want, hint string
	}{
		{"right", keeper(), map[string]string{"PATCH " + path: "403 " + status(403, "Forbidden",
			`jobs.batch "keeper" is forbidden: User "system:serviceaccount:bench:plinth" cannot patch resource "jobs" in API group "batch" in the namespace "bench"`)},
			`cannot create Job keeper: jobs.batch "keeper" is forbidden: User "system:serviceaccount:bench:plinth" cannot patch`,
			"give system:serviceaccount:bench:plinth a Role in the namespace bench with this rule:\n- apiGroups: [\"batch\"]\n  resources: [\"jobs\"]\n  verbs: [\"patch\"]"},
		{"quota", keeper(), map[string]string{"PATCH " + path: "403 " + status(403, "Forbidden",
			`persistentvolumeclaims "x" is forbidden: exceeded quota: small, requested: requests.storage=20Gi, used: 0, limited: 1Gi`)},
			"exceeded quota: small, requested: requests.storage=20Gi", "kubectl describe quota --namespace bench"},
		{"quota for what is not asked for", keeper(), map[string]string{"PATCH " + path: "403 " + status(403, "Forbidden",
			`pods "x" is forbidden: failed quota: small: must specify limits.cpu for: plinth`)},
			"must specify limits.cpu for: plinth", "create a LimitRange"},
		{"admission", keeper(), map[string]string{"PATCH " + path: "403 " + status(403, "Forbidden", `admission webhook "x" denied the request: no`)},
			`admission webhook "x" denied the request: no`, ""},
		{"no namespace", keeper(), map[string]string{"PATCH " + path: "404 " + status(404, "NotFound", `namespaces "bench" not found`)},
			`namespaces "bench" not found`, "kubectl create namespace bench"},
		{"field", keeper(), map[string]string{"PATCH " + path: "500 " + status(500, "", `failed to create typed patch object: .spec.x: field not declared in schema`)},
			".spec.x: field not declared in schema", ""},
		{"conflict", keeper(), map[string]string{"PATCH " + path: "409 " + status(409, "Conflict", `Apply failed with 1 conflict: conflict with "argocd": .spec.backoffLimit`)},
			`conflict with "argocd"`, "something else changes this object"},
		{"credentials", keeper(), map[string]string{"GET " + path: "401 " + status(401, "Unauthorized", "Unauthorized")},
			"the cluster does not accept the credentials: Unauthorized", "log in again"},
		{"not created by plinth", keeper(), map[string]string{"GET " + path: `200 {"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"keeper"}}`},
			"cannot create Job keeper: it exists, and does not carry the label plinth/record: one", "plinth changes nothing that it did not create"},
		{"of another record", keeper(), map[string]string{"GET " + path: `200 {"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"keeper","labels":{"plinth/record":"two"}}}`},
			"does not carry the label plinth/record: one", "plinth changes nothing that it did not create"},
		{"no operator", cluster, map[string]string{"GET " + clusters: "404 404 page not found", "PATCH " + clusters: "404 404 page not found"},
			"cannot create Cluster orders: the cluster has no CloudNativePG: it does not know clusters.postgresql.cnpg.io", "install CloudNativePG"},
		{"no label", Object{"apiVersion": "v1", "kind": "Secret", "metadata": Object{"name": "x"}}, nil, "cannot create Secret x: it has no label plinth/record", ""},
		{"kind", Object{"apiVersion": "v1", "kind": "Node", "metadata": Object{"name": "x"}}, nil, "plinth creates no objects of kind Node", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newServer(t, tc.answers)
			c := s.open(t)
			_, err := c.Apply(context.Background(), tc.object)
			mustSay(t, err, tc.want, tc.hint)
			mustSay(t, c.DryRun(context.Background(), tc.object), tc.want, tc.hint)
		})
	}
}

// TestDenied: what refuses an object answers with different codes.
func TestDenied(t *testing.T) {
	for _, tc := range []struct {
		code         int
		reason, text string
		want         bool
	}{
		{403, "Forbidden", `pods "x" is forbidden: violates PodSecurity "baseline:latest": privileged`, true},
		{400, "BadRequest", `admission webhook "x" denied the request: no`, true},
		{422, "Invalid", `pods "x" is forbidden: ValidatingAdmissionPolicy 'a' with binding 'b' denied request: no hostPID`, true},
		{422, "Invalid", `Pod "x" is invalid: spec.hostPID: Invalid value`, false},
	} {
		answer := fmt.Sprint(tc.code, " ", status(tc.code, tc.reason, tc.text))
		s := newServer(t, map[string]string{"PATCH /apis/batch/v1/namespaces/bench/jobs/keeper": answer})
		if _, err := s.open(t).Apply(t.Context(), keeper()); err == nil || Denied(err) != tc.want {
			t.Errorf("%s: %v", answer, err)
		}
	}
}

package kubetest

import (
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// ask returns the code and the body of an answer.
func ask(t *testing.T, s *Server, method, path string) (int, string) {
	t.Helper()
	request, err := http.NewRequest(method, s.URL+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

func TestServer(t *testing.T) {
	s := New(filepath.Join("testdata", "left"))
	defer s.Close()
	const jobs, keeper = "/apis/batch/v1/namespaces/bench/jobs", "/apis/batch/v1/namespaces/bench/jobs/plinth-1-keeper"
	for _, tc := range []struct {
		method, path string
		code         int
		has, lacks   string
	}{
		{"GET", "/version", 200, "gitVersion", ""},
		{"GET", "/apis/none/v1/things", 404, "page not found", ""},
		{"GET", "/apis", 200, `"groupVersion":"batch/v1"`, `"name":"v1"`},
		{"GET", "/apis/batch/v1", 200, `"kind":"CronJob","name":"cronjobs","namespaced":true`, "secrets"},
		{"GET", "/api/v1", 200, `"kind":"Namespace","name":"namespaces","namespaced":false`, "jobs"},
		{"GET", jobs, 200, "plinth-2-keeper", ""},
		{"GET", jobs + "?labelSelector=plinth%2Frecord%3Dnightly", 200, "plinth-1-keeper", "plinth-2-keeper"},
		{"GET", "/apis/batch/v1/namespaces/temp/jobs", 200, `"items":[]`, "keeper"},
		{"GET", keeper, 200, `"kind":"Job"`, "plinth-2-keeper"},
		{"GET", "/api/v1/namespaces/bench", 200, `"kind":"Namespace"`, "temp"},
		{"GET", "/api/v1/namespaces/none", 404, `"reason":"NotFound"`, ""},
		{"DELETE", keeper, 200, "Success", ""},
		{"DELETE", keeper, 404, "NotFound", ""},
		{"GET", jobs, 200, "plinth-2-keeper", "plinth-1-keeper"},
		{"GET", "/api/v1/pods", 200, "plinth-3", "plinth-1-keeper"}, // the Job's
		{"DELETE", "/api/v1/namespaces/bench", 200, "Success", ""},
		{"GET", "/apis/apps/v1/statefulsets", 200, `"items":[]`, ""},
	} {
		code, body := ask(t, s, tc.method, tc.path)
		if code != tc.code || !strings.Contains(body, tc.has) || tc.lacks != "" && strings.Contains(body, tc.lacks) {
			t.Errorf("%s %s: %d %s", tc.method, tc.path, code, body)
		}
	}
	if deleted := s.Deleted(); !slices.Equal(deleted, []string{keeper, "/api/v1/namespaces/bench"}) {
		t.Errorf("deleted: %q", deleted)
	}
	s.Fail("GET /version", "401 Unauthorized")
	if code, body := ask(t, s, "GET", "/version"); code != 401 || !strings.Contains(body, `"reason":"Unauthorized"`) {
		t.Errorf("%d %s", code, body)
	}
}

// Package kubetest serves the answers of a Kubernetes cluster to tests, as they were captured from a real
// one (kubectl get --raw PATH), and keeps account of what is deleted.
package kubetest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Server is the API server of a cluster. Its answers are files: that for /api/v1/nodes is
// api/v1/nodes.json, and that of a kubelet's metrics ends in .txt. A list has the objects of all
// namespaces. An answer may be put in place of the file's with Fail. For everything else the cluster
// has no API.
type Server struct {
	*httptest.Server

	dir     string
	mu      sync.Mutex
	lists   map[string]list   // by path, as they are after deletions
	failed  map[string]string // by method and path: "403 MESSAGE"
	denied  map[string]bool   // rights: "create jobs"
	deleted []string
}

// Object is an object of the API.
type Object = map[string]any

// list is a list of objects.
type list struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Metadata   Object   `json:"metadata"`
	Items      []Object `json:"items"`
}

// New starts a server with the answers in a directory.
func New(dir string) *Server {
	s := &Server{dir: dir, lists: map[string]list{}, failed: map[string]string{}, denied: map[string]bool{}}
	s.Server = httptest.NewServer(s)
	return s
}

// Fail makes a request fail: "GET /version", "401 Unauthorized".
func (s *Server) Fail(request, answer string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed[request] = answer
}

// Deny makes the account lack a right: "create", "jobs" or "pods/exec".
func (s *Server) Deny(verb, resource string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.denied[verb+" "+resource] = true
}

// Deleted returns the paths of the objects that were deleted on request, in order.
func (s *Server) Deleted() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.deleted)
}

// Configuration returns a configuration of kubectl with the contexts lab, whose namespace is bench, and
// other.
func (s *Server) Configuration() string {
	return fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: lab
clusters: [{name: c, cluster: {server: %q}}]
users: [{name: u, user: {token: s3cret}}]
contexts:
- {name: lab, context: {cluster: c, user: u, namespace: bench}}
- {name: other, context: {cluster: c, user: u}}
`, s.URL)
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	code, body := s.answer(r)
	w.WriteHeader(code)
	_, _ = w.Write(body)
}

func (s *Server) answer(r *http.Request) (code int, body []byte) {
	if failed := s.failed[r.Method+" "+r.URL.Path]; failed != "" {
		return failure(failed)
	}
	switch {
	case r.URL.Path == "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews":
		return s.review(r)
	case r.Method == http.MethodDelete:
		return s.remove(r.URL.Path)
	case r.Method == http.MethodPatch:
		return s.patch(r)
	}
	for _, ending := range []string{".json", ".txt"} {
		text, err := os.ReadFile(filepath.Join(s.dir, filepath.FromSlash(r.URL.Path)+ending))
		if err == nil && !isList(text) {
			return http.StatusOK, text
		}
	}
	if kinds := Discover(r.URL.Path, s.apis()); kinds != nil {
		return http.StatusOK, kinds
	}
	return s.objects(r)
}

// global are the resources that are in no namespace.
var global = []string{"namespaces", "nodes", "persistentvolumes", "storageclasses"}

// apis returns the kinds of objects of which there is a list.
func (s *Server) apis() (all []API) {
	s.readAll()
	for path, of := range s.lists {
		version, resource := filepath.Split(path)
		version = strings.TrimSuffix(version, "/")
		version = strings.TrimPrefix(strings.TrimPrefix(version, "/apis/"), "/api/")
		all = append(all, API{version, resource, strings.TrimSuffix(of.Kind, "List"), slices.Contains(global, resource)})
	}
	return all
}

// failure returns a Status of the API: "403 MESSAGE".
func failure(text string) (code int, body []byte) {
	_, _ = fmt.Sscan(text, &code)
	_, message, _ := strings.Cut(text, " ")
	reason := strings.ReplaceAll(http.StatusText(code), " ", "")
	body, _ = json.Marshal(Object{"apiVersion": "v1", "kind": "Status", "status": "Failure", "message": message, "reason": reason, "code": code})
	return code, body
}

// review answers whether the account has a right.
func (s *Server) review(r *http.Request) (int, []byte) {
	var review struct {
		Spec struct {
			ResourceAttributes struct{ Verb, Resource, Subresource string }
		}
	}
	text, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(text, &review)
	}
	if err != nil {
		return failure("400 " + err.Error())
	}
	of := review.Spec.ResourceAttributes
	resource := of.Resource
	if of.Subresource != "" {
		resource += "/" + of.Subresource
	}
	body, _ := json.Marshal(Object{
		"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
		"status": Object{"allowed": !s.denied[of.Verb+" "+resource]},
	})
	return http.StatusCreated, body
}

// patch merges a patch into an object.
func (s *Server) patch(r *http.Request) (int, []byte) {
	var changes Object
	text, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(text, &changes)
	}
	if err != nil {
		return failure("400 " + err.Error())
	}
	path, namespace, name := s.place(r.URL.Path)
	all, _ := s.read(path)
	for _, o := range all.Items {
		if metadata(o)["name"] == name && (namespace == "" || metadata(o)["namespace"] == namespace) {
			merge(o, changes)
		}
	}
	return s.objects(r)
}

// merge changes an object as a merge patch says.
func merge(o, changes Object) {
	for key, value := range changes {
		inner, nested := value.(Object)
		old, _ := o[key].(Object)
		switch {
		case value == nil:
			delete(o, key)
		case nested && old != nil:
			merge(old, inner)
		default:
			o[key] = value
		}
	}
}

// place splits the path of a list or an object: /api/v1/namespaces/bench/pods/db-0.
func (s *Server) place(path string) (list, namespace, name string) {
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	begin := 2 // api/v1
	if parts[0] == "apis" {
		begin = 3
	}
	if len(parts) <= begin {
		return path, "", ""
	}
	rest := parts[begin:]
	if rest[0] == "namespaces" && len(rest) > 2 {
		namespace, rest = rest[1], rest[2:]
	}
	if len(rest) == 2 {
		name = rest[1]
	}
	return "/" + strings.Join(append(slices.Clone(parts[:begin]), rest[0]), "/"), namespace, name
}

// read returns the list at a path.
func (s *Server) read(path string) (list, bool) {
	if known, is := s.lists[path]; is {
		return known, true
	}
	text, err := os.ReadFile(filepath.Join(s.dir, filepath.FromSlash(path)+".json"))
	if err != nil {
		return list{}, false
	}
	var l list
	if err := json.Unmarshal(text, &l); err != nil {
		panic(fmt.Sprintf("%s.json: %v", path, err))
	}
	s.lists[path] = l
	return l, true
}

// objects answers with a list, or an object of it.
func (s *Server) objects(r *http.Request) (int, []byte) {
	path, namespace, name := s.place(r.URL.Path)
	all, is := s.read(path)
	if !is {
		return http.StatusNotFound, []byte("404 page not found\n")
	}
	selector, value, equal := strings.Cut(r.URL.Query().Get("labelSelector"), "=")
	found := list{all.APIVersion, all.Kind, Object{}, []Object{}}
	for _, o := range all.Items {
		labels, _ := metadata(o)["labels"].(Object)
		label, has := labels[selector]
		switch {
		case namespace != "" && metadata(o)["namespace"] != namespace, selector != "" && (!has || equal && label != value):
		case name == metadata(o)["name"]:
			o["apiVersion"], o["kind"] = all.APIVersion, strings.TrimSuffix(all.Kind, "List")
			body, _ := json.Marshal(o)
			return http.StatusOK, body
		case name == "":
			found.Items = append(found.Items, o)
		}
	}
	if name != "" {
		return failure(fmt.Sprintf("404 %s %q not found", filepath.Base(path), name))
	}
	body, _ := json.Marshal(found)
	return http.StatusOK, body
}

// isList reports whether an answer is a list of objects.
func isList(text []byte) bool {
	var l struct{ Items []json.RawMessage }
	return json.Unmarshal(text, &l) == nil && l.Items != nil
}

func metadata(o Object) Object {
	m, _ := o["metadata"].(Object)
	return m
}

// remove deletes an object, and what the cluster then deletes: what it owns, or what is in it.
func (s *Server) remove(path string) (int, []byte) {
	from, namespace, name := s.place(path)
	all, _ := s.read(from)
	i := slices.IndexFunc(all.Items, func(o Object) bool {
		return metadata(o)["name"] == name && (namespace == "" || metadata(o)["namespace"] == namespace)
	})
	if i < 0 {
		return failure(fmt.Sprintf("404 %s %q not found", filepath.Base(from), name))
	}
	s.deleted = append(s.deleted, path)
	uid := metadata(all.Items[i])["uid"]
	all.Items = slices.Delete(all.Items, i, i+1)
	s.lists[from] = all
	s.readAll()
	for path, all := range s.lists {
		all.Items = slices.DeleteFunc(all.Items, func(o Object) bool {
			return from == "/api/v1/namespaces" && metadata(o)["namespace"] == name || owned(o, uid)
		})
		s.lists[path] = all
	}
	return http.StatusOK, []byte(`{"apiVersion":"v1","kind":"Status","status":"Success"}`)
}

// readAll reads all lists, so that all objects are known.
func (s *Server) readAll() {
	_ = filepath.WalkDir(s.dir, func(path string, _ os.DirEntry, err error) error {
		text, readErr := os.ReadFile(path)
		if err == nil && readErr == nil && isList(text) {
			s.read(strings.TrimSuffix(filepath.ToSlash(strings.TrimPrefix(path, s.dir)), ".json"))
		}
		return err
	})
}

func owned(o Object, uid any) bool {
	owners, _ := metadata(o)["ownerReferences"].([]any)
	return slices.ContainsFunc(owners, func(owner any) bool {
		of, _ := owner.(Object)
		return uid != nil && of["uid"] == uid
	})
}

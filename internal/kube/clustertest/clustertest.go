// Package clustertest makes clusters for tests, with client-go's fake. What is applied is stored, and
// becomes ready at once unless the test says otherwise.
package clustertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.yaml.in/yaml/v3"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/remotecommand"

	"plinth/internal/kube/cluster"
	"plinth/internal/kube/kubetest"
)

// Object is an object of the API.
type Object = unstructured.Unstructured

// Cluster is a cluster with the namespace bench.
type Cluster struct {
	*cluster.Cluster
	Client *fake.FakeDynamicClient

	// Applied changes an object before it is stored, or refuses it; it may be nil. The status of the object
	// is that of one that is ready.
	Applied func(o *unstructured.Unstructured) error
	// Command runs in pods; it may be nil. By default, a command answers each line with an empty
	// one, as heartbeats are.
	Command func(ctx context.Context, command []string, in io.Reader, out io.Writer) error

	mutex sync.Mutex
	ran   []string
	made  int
}

var (
	core = schema.GroupVersion{Version: "v1"}
	pods = core.WithResource("pods")
	// resources are the kinds of objects that plinth reads, creates or lists.
	resources = map[schema.GroupVersionResource]string{
		pods: "Pod", core.WithResource("persistentvolumeclaims"): "PersistentVolumeClaim", core.WithResource("services"): "Service",
		core.WithResource("secrets"): "Secret", core.WithResource("serviceaccounts"): "ServiceAccount", core.WithResource("namespaces"): "Namespace",
		core.WithResource("events"): "Event", core.WithResource("nodes"): "Node",
		{Group: "batch", Version: "v1", Resource: "jobs"}:                             "Job",
		{Group: "apps", Version: "v1", Resource: "statefulsets"}:                      "StatefulSet",
		{Group: "apps", Version: "v1", Resource: "deployments"}:                       "Deployment",
		{Group: "apps", Version: "v1", Resource: "daemonsets"}:                        "DaemonSet",
		{Group: "batch", Version: "v1", Resource: "cronjobs"}:                         "CronJob",
		core.WithResource("configmaps"):                                               "ConfigMap",
		{Group: "postgresql.cnpg.io", Version: "v1", Resource: "clusters"}:            "Cluster",
		{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "roles"}:        "Role",
		{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "rolebindings"}: "RoleBinding",
		{Group: "storage.k8s.io", Version: "v1", Resource: "storageclasses"}:          "StorageClass",
	}
)

// New returns a cluster that has the objects of YAML documents.
func New(t testing.TB, text string) *Cluster {
	t.Helper()
	lists := map[schema.GroupVersionResource]string{}
	for resource, kind := range resources {
		lists[resource] = kind + "List"
	}
	c := &Cluster{Client: fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), lists, objects(t, text)...)}
	c.Client.PrependReactor("delete", "jobs", c.deletePods)
	c.Cluster = cluster.Made(client{c.Client, c}, get, func(pod, _ string, command []string) (remotecommand.Executor, error) {
		c.mutex.Lock()
		defer c.mutex.Unlock()
		c.ran = append(c.ran, pod+": "+strings.Join(command, " "))
		return &run{c, command}, nil
	})
	return c
}

// get returns what the API server answers at a path: which kinds of objects it has.
func get(_ context.Context, path string, _ url.Values) ([]byte, error) {
	var all []kubetest.API
	for resource, kind := range resources {
		global := slices.Contains([]string{"Namespace", "Node", "StorageClass"}, kind)
		all = append(all, kubetest.API{Version: resource.GroupVersion().String(), Resource: resource.Resource, Kind: kind, Global: global})
	}
	if answer := kubetest.Discover(path, all); answer != nil {
		return answer, nil
	}
	return nil, errors.New("it has no logs")
}

// Deny makes the account lack a right: "get", "namespaces".
func (c *Cluster) Deny(verb, resource string) {
	c.Client.PrependReactor(verb, resource, func(action clienttesting.Action) (bool, runtime.Object, error) {
		//nolint:staticcheck // the words of the API server
		message := fmt.Errorf("User %q cannot %s resource %q in API group %q", "weak", verb, resource, action.GetResource().Group)
		return true, nil, apierrors.NewForbidden(action.GetResource().GroupResource(), "", message)
	})
}

// Before does something before each request of a kind: "get", "namespaces".
func (c *Cluster) Before(verb, resource string, do func()) {
	c.Client.PrependReactor(verb, resource, func(clienttesting.Action) (bool, runtime.Object, error) {
		do()
		return false, nil, nil
	})
}

// Forget deletes an object of the namespace bench, or a namespace, without a request.
func (c *Cluster) Forget(kind, name string) {
	for resource, of := range resources {
		if of == kind {
			_ = c.Client.Tracker().Delete(resource, "bench", name)
			_ = c.Client.Tracker().Delete(resource, "", name)
		}
	}
}

// Ran returns the commands that were started in pods, each after the name of its pod.
func (c *Cluster) Ran() []string {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return append([]string(nil), c.ran...)
}

// Names returns the kinds and names of all objects that carry a label of plinth.
func (c *Cluster) Names(t testing.TB) (names []string) {
	t.Helper()
	for resource, kind := range resources {
		list, err := c.Client.Resource(resource).List(context.Background(), metav1.ListOptions{LabelSelector: "plinth/record"})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range list.Items {
			names = append(names, kind+" "+o.GetName())
		}
	}
	return names
}

// objects reads objects from YAML documents.
func objects(t testing.TB, text string) (all []runtime.Object) {
	t.Helper()
	for documents := yaml.NewDecoder(strings.NewReader(text)); ; {
		var one map[string]any
		err := documents.Decode(&one)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		o, err := converted(one)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, o)
	}
}

// converted returns an object with the types that the API's JSON has.
func converted(one any) (*unstructured.Unstructured, error) {
	data, err := json.Marshal(one)
	if err != nil {
		return nil, err
	}
	o := &unstructured.Unstructured{}
	return o, o.UnmarshalJSON(data)
}

// client is the fake with a server-side apply, which it lacks.
type client struct {
	dynamic.Interface
	cluster *Cluster
}

// Resource returns the objects of a kind.
func (c client) Resource(resource schema.GroupVersionResource) dynamic.NamespaceableResourceInterface {
	all := c.Interface.Resource(resource)
	return global{all, c.cluster, resource}
}

type global struct {
	dynamic.NamespaceableResourceInterface
	cluster  *Cluster
	resource schema.GroupVersionResource
}

// Namespace returns the objects of a namespace.
func (g global) Namespace(name string) dynamic.ResourceInterface {
	return some{g.NamespaceableResourceInterface.Namespace(name), g.cluster, g.resource, name}
}

// Apply stores an object that is in no namespace.
func (g global) Apply(ctx context.Context, name string, o *unstructured.Unstructured, options metav1.ApplyOptions, _ ...string) (*unstructured.Unstructured, error) {
	return some{g, g.cluster, g.resource, ""}.Apply(ctx, name, o, options)
}

type some struct {
	dynamic.ResourceInterface
	cluster   *Cluster
	resource  schema.GroupVersionResource
	namespace string
}

// Apply stores an object.
func (s some) Apply(_ context.Context, _ string, given *unstructured.Unstructured, options metav1.ApplyOptions, _ ...string) (*unstructured.Unstructured, error) {
	o, err := converted(given.Object)
	if err != nil {
		return nil, err
	}
	c := s.cluster
	c.mutex.Lock()
	c.made++
	o.SetUID(types.UID(fmt.Sprint("uid-", c.made)))
	c.mutex.Unlock()
	o.SetNamespace(s.namespace)
	status(o)
	if c.Applied != nil {
		if err := c.Applied(o); err != nil {
			return nil, err
		}
	}
	if options.DryRun != nil {
		return o, nil
	}
	if o.GetKind() == "Job" {
		if err := c.createPod(o); err != nil {
			return nil, err
		}
	}
	return o, c.Client.Tracker().Create(s.resource, o, s.namespace)
}

// status makes an object ready.
func status(o *unstructured.Unstructured) {
	ready := []any{map[string]any{"type": "Ready", "status": "True"}}
	switch o.GetKind() {
	case "Job":
		o.Object["status"] = map[string]any{"ready": int64(1)}
	case "Pod":
		o.Object["status"] = map[string]any{"phase": "Running", "conditions": ready}
		_ = unstructured.SetNestedField(o.Object, "node1", "spec", "nodeName")
	case "PersistentVolumeClaim":
		o.Object["status"] = map[string]any{"phase": "Bound"}
		_ = unstructured.SetNestedField(o.Object, "pvc-1", "spec", "volumeName")
	}
}

// createPod creates the pod of a Job.
func (c *Cluster) createPod(job *unstructured.Unstructured) error {
	spec, _, err := unstructured.NestedMap(job.Object, "spec", "template", "spec")
	if err != nil {
		return err
	}
	labels, _, err := unstructured.NestedStringMap(job.Object, "spec", "template", "metadata", "labels")
	if err != nil {
		return err
	}
	yes := true
	pod := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Pod", "spec": spec}}
	pod.SetName(job.GetName() + "-abcde")
	pod.SetNamespace(job.GetNamespace())
	pod.SetLabels(labels)
	pod.SetUID(job.GetUID() + "-pod")
	pod.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job", Name: job.GetName(), UID: job.GetUID(), Controller: &yes}})
	status(pod)
	return c.Client.Tracker().Create(pods, pod, job.GetNamespace())
}

// deletePods deletes the pod of a Job that is about to be deleted.
func (c *Cluster) deletePods(action clienttesting.Action) (bool, runtime.Object, error) {
	if d, is := action.(clienttesting.DeleteActionImpl); is {
		_ = c.Client.Tracker().Delete(pods, d.GetNamespace(), d.GetName()+"-abcde")
	}
	return false, nil, nil
}

// run is a command in a pod.
type run struct {
	cluster *Cluster
	command []string
}

// Stream is not used.
func (r *run) Stream(o remotecommand.StreamOptions) error {
	return r.StreamWithContext(context.Background(), o)
}

// StreamWithContext runs the command until its input or the context ends.
func (r *run) StreamWithContext(ctx context.Context, o remotecommand.StreamOptions) error {
	do := r.cluster.Command
	if do == nil {
		do = answer
	}
	in, sent := io.Pipe()
	go func() { // a connection reads its input whether or not the command does
		_, err := io.Copy(sent, o.Stdin)
		_ = sent.CloseWithError(err)
	}()
	ended := make(chan error, 1)
	go func() { ended <- do(ctx, r.command, in, o.Stdout) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// answer writes a line at once, and one for each heartbeat.
func answer(_ context.Context, _ []string, in io.Reader, out io.Writer) error {
	for data := make([]byte, 64); ; {
		if _, err := io.WriteString(out, "\n"); err != nil {
			return err
		}
		if _, err := in.Read(data); err != nil {
			return nil
		}
	}
}

// Event adds an event about an object: "{reason: FailedCreate, type: Warning, message: ...}".
func (c *Cluster) Event(t testing.TB, about *unstructured.Unstructured, fields string) {
	t.Helper()
	event, is := objects(t, "apiVersion: v1\nkind: Event\nmetadata: {name: e}\n")[0].(*unstructured.Unstructured)
	var more map[string]any
	if err := yaml.Unmarshal([]byte(fields), &more); err != nil || !is {
		t.Fatal(err)
	}
	for name, value := range more {
		event.Object[name] = value
	}
	event.Object["involvedObject"] = map[string]any{"kind": about.GetKind(), "name": about.GetName(), "uid": string(about.GetUID())}
	event.Object["lastTimestamp"] = "2100-01-01T00:00:00Z"
	event.SetNamespace(about.GetNamespace())
	if err := c.Client.Tracker().Create(core.WithResource("events"), event, about.GetNamespace()); err != nil {
		t.Fatal(err)
	}
}

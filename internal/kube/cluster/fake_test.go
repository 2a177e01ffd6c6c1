package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"

	"plinth/internal/hint"
	"plinth/internal/kube/kubetest"
)

func TestMain(m *testing.M) {
	silence()
	os.Exit(m.Run())
}

// objects reads objects from YAML documents.
func objects(t testing.TB, text string) []runtime.Object {
	t.Helper()
	var all []runtime.Object
	for documents := yaml.NewDecoder(strings.NewReader(text)); ; {
		var one map[string]any
		err := documents.Decode(&one)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(one)
		if err != nil {
			t.Fatal(err)
		}
		o := &unstructured.Unstructured{}
		if err := o.UnmarshalJSON(data); err != nil {
			t.Fatal(err)
		}
		if o.GetNamespace() == "" && !slices.Contains([]string{"Namespace", "Node", "PersistentVolume", "StorageClass"}, o.GetKind()) {
			o.SetNamespace("bench")
		}
		all = append(all, o)
	}
}

// otherKinds are kinds of objects that plinth does not create.
var otherKinds = []kind{
	{"Deployment", schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}, false},
	{"ConfigMap", version1.WithResource("configmaps"), false},
	{"Widget", schema.GroupVersionResource{Group: "example.org", Version: "v1alpha1", Resource: "widgets"}, false},
}

// fakeCluster returns a cluster that has the objects. It looks again at once, and has no patience.
func fakeCluster(t testing.TB, text string) (*Cluster, *fake.FakeDynamicClient) {
	t.Helper()
	lists := map[schema.GroupVersionResource]string{}
	var apis []kubetest.API
	for _, k := range slices.Concat([]kind{kindEvent}, kinds, otherKinds) {
		lists[k.resource] = k.name + "List"
		apis = append(apis, kubetest.API{Version: k.resource.GroupVersion().String(), Resource: k.resource.Resource, Kind: k.name, Global: k.global})
	}
	lists[nodes], lists[volumes] = "NodeList", "PersistentVolumeList"
	lists[schema.GroupVersionResource{Group: "storage.k8s.io", Version: "v1", Resource: "storageclasses"}] = "StorageClassList"
	client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), lists, objects(t, text)...)
	c := &Cluster{Name: "test", Namespace: "bench", objects: client, every: time.Millisecond}
	c.get = func(_ context.Context, path string, query url.Values) ([]byte, error) {
		if answer := kubetest.Discover(path, apis); answer != nil {
			return answer, nil
		}
		return fmt.Appendf(nil, "log of %s %s", path, query.Encode()), nil
	}
	return c, client
}

// mustSay checks an error and its hint; both are parts.
func mustSay(t *testing.T, err error, want, advice string) {
	t.Helper()
	if want == "" {
		if err != nil {
			t.Errorf("it fails: %v", err)
		}
		return
	}
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("the error is %v\nwant %s", err, want)
		return
	}
	if got := hint.Of(err); !strings.Contains(got, advice) || advice == "" && got != "" {
		t.Errorf("the hint of %v is %q, want %q", err, got, advice)
	}
}

// soon is the limit for what comes at once, on a machine that is busy.
const soon = time.Minute

func mustRead(t *testing.T, r io.Reader, want string) {
	t.Helper()
	got := make([]byte, len(want))
	if _, err := io.ReadFull(r, got); err != nil || !bytes.Equal(got, []byte(want)) {
		t.Fatalf("read %q, %v; want %q", got, err, want)
	}
}

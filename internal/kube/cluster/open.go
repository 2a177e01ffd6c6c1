package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/klog/v2"

	"plinth/internal/hint"
)

// Options say which cluster to open.
type Options struct {
	Context   string // in the kubeconfig; its current one if empty
	Namespace string // that of the context if empty
	Config    string // as KUBECONFIG; what kubectl would use if empty
}

// answerWithin is how long the API server may take to answer the first request.
const answerWithin = 15 * time.Second

// Open opens a cluster: the one that kubectl would use, or, without a configuration, the one in one of
// whose pods plinth runs. It asks the API server for its version.
func Open(ctx context.Context, o Options) (*Cluster, error) {
	silence()
	c, err := configured(o)
	if err != nil {
		return nil, fmt.Errorf("cannot open the cluster: %w", err)
	}
	if err := c.connect(ctx); err != nil {
		return nil, fmt.Errorf("cannot open the cluster %s: %w", c.Name, err)
	}
	return c, nil
}

// silence keeps client-go from writing to standard error.
var silence = sync.OnceFunc(func() { klog.SetLogger(klog.Logger{}) })

// configured finds the configuration of a cluster.
func configured(o Options) (*Cluster, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.WarnIfAllMissing = false
	if o.Config != "" {
		rules.Precedence = filepath.SplitList(o.Config)
	}
	files, err := rules.Load()
	if err != nil {
		return nil, hint.Wrap(err, "kubectl config view reads the same files")
	}
	if len(files.Contexts) == 0 && o.Context == "" {
		return inCluster(o, rules.Precedence)
	}
	name := o.Context
	if name == "" {
		name = files.CurrentContext
	}
	if err := checkContext(name, files); err != nil {
		return nil, err
	}
	overrides := &clientcmd.ConfigOverrides{CurrentContext: name}
	overrides.Context.Namespace = o.Namespace
	loaded := clientcmd.NewNonInteractiveClientConfig(*files, name, overrides, rules)
	config, err := loaded.ClientConfig()
	if err != nil {
		return nil, hint.Wrap(fmt.Errorf("the context %s: %w", name, err), "kubectl config view --minify --context "+name+" shows it")
	}
	namespace, _, err := loaded.Namespace()
	if err != nil {
		return nil, fmt.Errorf("the context %s: %w", name, err)
	}
	return &Cluster{Name: name, Namespace: namespace, config: config}, nil
}

// checkContext returns an error that lists the known contexts if a context is not one of them.
func checkContext(name string, files *api.Config) error {
	known := slices.Sorted(maps.Keys(files.Contexts))
	list := "the known ones: " + strings.Join(known, ", ")
	switch {
	case name == "":
		return hint.Errorf("choose one: kubectl config use-context NAME, or context: NAME under kubernetes; "+list, "no context is chosen")
	case len(known) == 0:
		return hint.Errorf("set KUBECONFIG to the file that has it", "there is no context %s: the kubeconfig has none", name)
	case files.Contexts[name] == nil:
		return hint.Errorf(hint.DidYouMean(name, known, list), "there is no context %s in the kubeconfig (%s)", name, list)
	}
	return nil
}

// namespaceFile holds the namespace of a pod.
const namespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

// inCluster returns the configuration that a pod gets from its cluster.
func inCluster(o Options, looked []string) (*Cluster, error) {
	config, err := rest.InClusterConfig()
	switch {
	case errors.Is(err, rest.ErrNotInCluster):
		return nil, hint.Errorf("set KUBECONFIG to the file that the cluster's administrator gave you, or run plinth in a pod of the cluster",
			"there is no kubeconfig in %s", hint.Choice(looked))
	case err != nil:
		return nil, hint.Wrap(fmt.Errorf("the pod has no account: %w", err), "the pod needs a service account, and automountServiceAccountToken: true")
	}
	namespace := o.Namespace
	if namespace == "" {
		own, err := os.ReadFile(namespaceFile)
		if err != nil {
			return nil, fmt.Errorf("cannot read the pod's namespace: %w", err)
		}
		namespace = strings.TrimSpace(string(own))
	}
	return &Cluster{Name: InCluster, Namespace: namespace, config: config}, nil
}

// connect makes the clients, and asks for the version of the API server.
func (c *Cluster) connect(ctx context.Context) error {
	c.every, c.patience, c.settles = time.Second, 15*time.Second, 5*time.Second
	c.config.UserAgent = "plinth"
	c.config.WarningHandler = rest.NoWarnings{}
	c.config.QPS, c.config.Burst = 50, 100 // an experiment has few objects, and Wait looks every second
	c.ahead = &clock{}
	timed := rest.CopyConfig(c.config)
	timed.Wrap(c.ahead.watch)
	objects, err := dynamic.NewForConfig(timed)
	if err != nil {
		return err
	}
	plain := rest.CopyConfig(timed)
	plain.GroupVersion, plain.NegotiatedSerializer = &version1, statuses()
	client, err := rest.UnversionedRESTClientFor(plain)
	if err != nil {
		return err
	}
	c.objects = objects
	c.get = func(ctx context.Context, path string, query url.Values) ([]byte, error) {
		request := client.Get().AbsPath(path)
		for name := range query {
			request.Param(name, query.Get(name))
		}
		result := request.Do(ctx)
		if err := result.Error(); err != nil { // Raw's error lacks what the API server says
			return nil, err
		}
		return result.Raw()
	}
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	answer, err := c.get(ctx, "/version", nil)
	if err != nil {
		return c.explain(err)
	}
	var version struct{ GitVersion string }
	if err := json.Unmarshal(answer, &version); err != nil || version.GitVersion == "" {
		return hint.Errorf("check the server's address in the kubeconfig", "%s is not the API server of a cluster", c.config.Host)
	}
	c.Version = version.GitVersion
	return nil
}

// statuses decodes the errors of the API server; other answers are read as bytes.
func statuses() runtime.NegotiatedSerializer {
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, version1)
	return serializer.NewCodecFactory(scheme).WithoutConversion()
}

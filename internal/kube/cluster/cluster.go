// Package cluster talks to a Kubernetes cluster: it opens it, creates and deletes objects, waits for
// them, and runs commands in pods. No other package imports client-go.
//
// Of client-go it uses the dynamic client, for objects that are plain maps: the typed clients would
// bring the types of every API that Kubernetes has. What goes wrong in a cluster becomes an error in the
// words of the cluster, with a hint.
package cluster

import (
	"context"
	"net/url"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/remotecommand"

	"plinth/internal/kube/manifest"
)

// Object is an object of the Kubernetes API.
type Object = manifest.Object

// Cluster is a cluster, and a namespace in it. It may be used by several goroutines.
type Cluster struct {
	Name      string // the context in the configuration, or InCluster
	Namespace string
	Version   string // of its API server, such as v1.33.13

	config  *rest.Config
	objects dynamic.Interface
	// get returns what the API server answers at a path.
	get func(ctx context.Context, path string, query url.Values) ([]byte, error)

	// executor returns what runs a command in a container of a pod.
	executor func(pod, container string, command []string) (remotecommand.Executor, error)

	// every is how often Wait looks; patience is how long it accepts what may pass by itself.
	every, patience time.Duration
}

// InCluster is the name of the cluster in one of whose pods plinth runs.
const InCluster = "in-cluster"

// In returns the cluster with another namespace.
func (c *Cluster) In(namespace string) *Cluster {
	other := *c
	other.Namespace = namespace
	return &other
}

// Made returns a cluster that is made of its parts, for tests of other packages. It looks again at once,
// and has no patience.
func Made(objects dynamic.Interface, get func(ctx context.Context, path string, query url.Values) ([]byte, error),
	executor func(pod, container string, command []string) (remotecommand.Executor, error)) *Cluster {
	return &Cluster{Name: "test", Namespace: "bench", Version: "v1.33.13", objects: objects, get: get, executor: executor, every: time.Millisecond}
}

// Package cluster talks to a Kubernetes cluster: it opens it, creates and deletes objects, waits for
// them, and runs commands in pods. No other package imports client-go.
//
// Of client-go it uses the dynamic client, for objects that are plain maps: the typed clients would
// bring the types of every API that Kubernetes has. What goes wrong in a cluster becomes an error in the
// words of the cluster, with a hint.
package cluster

import (
	"context"
	"net/http"
	"net/url"
	"sync/atomic"
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

	// every is how often Wait looks; patience is how long it accepts what may pass by itself, and settles how
	// long it accepts that an object is not there yet, or not allowed.
	every, patience, settles time.Duration

	ahead *clock // the API server's clock; nil if it is not known
}

// InCluster is the name of the cluster in one of whose pods plinth runs.
const InCluster = "in-cluster"

// Now returns the time by the clock of the API server, which gives objects their times.
func (c *Cluster) Now() time.Time {
	if c.ahead == nil {
		return time.Now()
	}
	return time.Now().Add(time.Duration(c.ahead.by.Load()))
}

// clock learns the time from the answers of an API server.
type clock struct{ by atomic.Int64 }

// watch returns a transport that reads the times of answers.
func (c *clock) watch(next http.RoundTripper) http.RoundTripper { return timed{c, next} }

type timed struct {
	clock *clock
	next  http.RoundTripper
}

// RoundTrip answers a request.
func (t timed) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := t.next.RoundTrip(r)
	if err == nil {
		if at, err := http.ParseTime(answer.Header.Get("Date")); err == nil {
			t.clock.by.Store(int64(time.Until(at)))
		}
	}
	return answer, err
}

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

package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/unit"
)

// Ready reports whether an object can be used: a CloudNativePG Cluster is healthy with all its
// instances, a StatefulSet or Job has all its pods ready, a Pod is ready, a claim is bound. Other kinds
// are ready when they exist.
func Ready(o Object) bool {
	u := unstructured.Unstructured{Object: o}
	switch u.GetKind() {
	case "Cluster":
		return condition(o, "Ready") && text(o, "status", "phase") == "Cluster in healthy state" &&
			number(o, 1, "spec", "instances") == number(o, 0, "status", "readyInstances")
	case "StatefulSet":
		return number(o, 0, "status", "observedGeneration") >= u.GetGeneration() &&
			number(o, 1, "spec", "replicas") == number(o, 0, "status", "readyReplicas")
	case "Job":
		return number(o, 1, "spec", "parallelism") == number(o, 0, "status", "ready")
	case "Pod":
		return condition(o, "Ready")
	case "PersistentVolumeClaim":
		return text(o, "status", "phase") == "Bound"
	}
	return true
}

// Wait waits until an object of the cluster's namespace is as until says, such as Ready. It returns an
// error as soon as the object, its pods, their claims and their events show that this will not happen.
// What may pass by itself has some seconds to pass, and a pod without a node has a minute and a half.
func (c *Cluster) Wait(ctx context.Context, ref Ref, until func(Object) bool, within time.Duration) error {
	ctx, cancel := context.WithTimeoutCause(ctx, within, errTooLate)
	defer cancel()
	w := newWaiting(c.patience)
	for {
		view, err := c.look(ctx, ref, until)
		switch {
		case err == nil && until(view.object.Object):
			return nil
		case err == nil:
			w.last, w.problem, w.final = view, nil, time.Time{}
			if found := w.decide(view, time.Now()); found != nil {
				return fmt.Errorf("%s is not ready: %w", ref, c.tell(ctx, found))
			}
		case ctx.Err() == nil && w.stays(err, time.Now(), c.settles):
			return fmt.Errorf("cannot wait for %s: %w", ref, c.explain(err))
		case ctx.Err() == nil:
			w.problem = err
		}
		if host.Sleep(ctx, c.every) != nil {
			return w.end(ctx, ref, within, "kubectl describe "+strings.ToLower(ref.Kind)+" "+ref.Name+" --namespace "+c.Namespace+" may say more")
		}
	}
}

// Ends are the ends of containers, of those that run again and those that do not.
type Ends map[string]bool

// Ended returns the ends of containers so far, of all pods in the cluster's namespace.
func (c *Cluster) Ended(ctx context.Context) (Ends, error) {
	pods, err := readAll[corev1.Pod](ctx, c, kindPod)
	if err != nil {
		return nil, fmt.Errorf("cannot list pods: %w", c.explain(err))
	}
	ends := Ends{}
	for i := range pods {
		for _, container := range containers(&pods[i]) {
			for _, end := range terminations(container) {
				ends[endOf(&pods[i], container.Name, end)] = true
			}
		}
	}
	return ends, nil
}

// Trouble looks at an object once, and returns what is wrong with it and its pods, or nil. A container
// that ran out of memory earlier, and runs again, is not reported: before has its end. No times are
// compared, since the nodes' clocks differ from the one here.
func (c *Cluster) Trouble(ctx context.Context, ref Ref, before Ends) error {
	view, err := c.look(ctx, ref, nil)
	if err != nil {
		return fmt.Errorf("cannot look at %s: %w", ref, c.explain(err))
	}
	view.before = before
	w := newWaiting(0)
	if found := w.decide(view, time.Now()); found != nil {
		return c.tell(ctx, found)
	}
	return nil
}

// errTooLate is the cause when the time of Wait is over.
var errTooLate = errors.New("it takes too long")

// waiting holds the findings of Wait from one look to the next.
type waiting struct {
	patience time.Duration
	since    map[string]time.Time // when a trouble was first seen
	seen     map[types.UID]string // the pods of a Job
	last     *view
	problem  error     // of the API, if it did not answer the last time
	final    time.Time // since when it has said that something is not there, or not allowed
}

func newWaiting(patience time.Duration) *waiting {
	return &waiting{patience: patience, since: map[string]time.Time{}, seen: map[types.UID]string{}}
}

// stays reports whether an error of the API does not pass by itself. An API server may not know an object
// yet that another one has just created, nor a right that was just granted: they have some seconds. One that
// was seen before is gone for good.
func (w *waiting) stays(err error, now time.Time, settles time.Duration) bool {
	switch {
	case apierrors.IsUnauthorized(err), apierrors.IsNotFound(err) && w.last != nil, isUnknownKind(err):
		return true
	case !apierrors.IsNotFound(err) && !apierrors.IsForbidden(err):
		w.final = time.Time{}
		return false
	case w.final.IsZero():
		w.final = now
	}
	return now.Sub(w.final) >= settles
}

// decide returns the trouble that ends the waiting, or nil.
func (w *waiting) decide(v *view, now time.Time) *trouble {
	found := append(w.vanished(v), v.troubles()...)
	since := map[string]time.Time{}
	for i, t := range found {
		if t.sure {
			return &found[i]
		}
		since[t.key()] = now
		if first, known := w.since[t.key()]; known {
			since[t.key()] = first
		}
	}
	w.since = since
	for i, t := range found {
		if now.Sub(since[t.key()]) >= w.patience*time.Duration(max(1, t.times)) {
			return &found[i]
		}
	}
	return nil
}

// vanished returns the pods of a Job that were there before, and were not replaced.
func (w *waiting) vanished(v *view) []trouble {
	if v.object.GetKind() != "Job" {
		return nil
	}
	there := map[types.UID]bool{}
	for _, pod := range v.pods {
		there[pod.UID], w.seen[pod.UID] = true, pod.Name
	}
	if v.working(v.object.GetUID()) >= v.wanted() {
		return nil
	}
	var gone []trouble
	for uid, name := range w.seen {
		if !there[uid] {
			gone = append(gone, trouble{where: "the pod " + name, pod: name, reason: "Deleted", text: "it was deleted", sure: true})
		}
	}
	return gone
}

// end is the error when the time is over, or when the caller stopped waiting.
func (w *waiting) end(ctx context.Context, ref Ref, within time.Duration, advice string) error {
	if cause := context.Cause(ctx); !errors.Is(cause, errTooLate) {
		return cause
	}
	var facts []string
	if w.last != nil {
		facts = w.last.state()
	}
	if w.problem != nil {
		facts = append(facts, w.problem.Error())
	}
	if len(facts) == 0 {
		facts = []string{"nothing is known of it"}
	}
	return hint.Errorf(advice, "%s is not ready after %s: %s", ref, unit.Duration(within), strings.Join(facts, "; "))
}

// text returns a text in an object, or "".
func text(o Object, fields ...string) string {
	s, _, _ := unstructured.NestedString(o, fields...)
	return s
}

// number returns a number in an object, or otherwise if it has none.
func number(o Object, otherwise int64, fields ...string) int64 {
	if n, found, err := unstructured.NestedInt64(o, fields...); found && err == nil {
		return n
	}
	return otherwise
}

// condition reports whether a condition of an object is true.
func condition(o Object, name string) bool {
	status, _ := conditionOf(o, name)
	return status == "True"
}

// conditionOf returns the status of a condition and its message.
func conditionOf(o Object, name string) (status, message string) {
	all, _, _ := unstructured.NestedSlice(o, "status", "conditions")
	for _, one := range all {
		if c, is := one.(Object); is && text(c, "type") == name {
			return text(c, "status"), text(c, "message")
		}
	}
	return "", ""
}

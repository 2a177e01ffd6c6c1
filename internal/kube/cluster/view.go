package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"plinth/internal/kube/manifest"
)

// view is an object and what belongs to it, at one time.
type view struct {
	object *unstructured.Unstructured
	pods   []corev1.Pod
	claims []corev1.PersistentVolumeClaim
	events []corev1.Event // the oldest first

	eventless bool // the account may not read events
	before    Ends // of containers that ended earlier: they are left out
}

var (
	kindPod, _   = kindNamed("Pod")
	kindClaim, _ = kindNamed("PersistentVolumeClaim")
	kindEvent    = kind{"Event", version1.WithResource("events"), false}
)

// look reads an object and what belongs to it: only the object if it is as enough says, which may be nil.
func (c *Cluster) look(ctx context.Context, ref Ref, enough func(Object) bool) (*view, error) {
	k, err := kindNamed(ref.Kind)
	if err != nil {
		return nil, err
	}
	v := &view{}
	if v.object, err = c.of(k, c.Namespace).Get(ctx, ref.Name, metav1.GetOptions{}); err != nil {
		return nil, err
	}
	if enough != nil && enough(v.object.Object) {
		return v, nil
	}
	pods, err := readAll[corev1.Pod](ctx, c, kindPod)
	if err != nil {
		return nil, err
	}
	for _, pod := range pods {
		if v.has(&pod) {
			v.pods = append(v.pods, pod)
		}
	}
	if err := c.lookAtClaims(ctx, v); err != nil {
		return nil, err
	}
	return v, c.lookAtEvents(ctx, v)
}

// lookAtEvents reads the events of the object, and of its pods and claims that are not ready. A namespace
// may have thousands of others. Events only explain: without the right to read them, the view has none.
func (c *Cluster) lookAtEvents(ctx context.Context, v *view) error {
	seen := map[string]bool{}
	for _, selector := range v.eventful() {
		events, err := readAll[corev1.Event](ctx, c, kindEvent, selector)
		if apierrors.IsForbidden(err) {
			v.eventless = true
			return nil
		}
		if err != nil {
			return err
		}
		for _, event := range events {
			if !seen[event.Name] && v.concerns(&event) {
				seen[event.Name] = true
				v.events = append(v.events, event)
			}
		}
	}
	slices.SortStableFunc(v.events, func(a, b corev1.Event) int { return when(&a).Compare(when(&b)) })
	return nil
}

// eventful returns the field selectors of the events that matter.
func (v *view) eventful() []string {
	names := []string{v.object.GetName()}
	for _, pod := range v.pods {
		ready := slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
			return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
		})
		if !ready {
			names = append(names, pod.Name)
		}
	}
	for _, claim := range v.claims {
		if claim.Status.Phase != corev1.ClaimBound {
			names = append(names, claim.Name)
		}
	}
	slices.Sort(names)
	var selectors []string
	for _, name := range slices.Compact(names) {
		selectors = append(selectors, "involvedObject.name="+name)
	}
	if v.object.GetKind() == "Cluster" { // the Jobs of CloudNativePG, whose names are not known
		selectors = append(selectors, "involvedObject.kind=Job")
	}
	return selectors
}

// lookAtClaims reads the claims of the pods. Pods without claims need no right to read them.
func (c *Cluster) lookAtClaims(ctx context.Context, v *view) error {
	names := map[string]bool{}
	for _, pod := range v.pods {
		for _, volume := range pod.Spec.Volumes {
			if volume.PersistentVolumeClaim != nil {
				names[volume.PersistentVolumeClaim.ClaimName] = true
			}
		}
	}
	if v.object.GetKind() == kindClaim.name {
		names[v.object.GetName()] = true
	}
	if len(names) == 0 {
		return nil
	}
	claims, err := readAll[corev1.PersistentVolumeClaim](ctx, c, kindClaim)
	for _, claim := range claims {
		if names[claim.Name] {
			v.claims = append(v.claims, claim)
		}
	}
	return err
}

// has reports whether a pod belongs to the object.
func (v *view) has(pod *corev1.Pod) bool {
	switch v.object.GetKind() {
	case kindPod.name:
		return pod.Name == v.object.GetName()
	case "Cluster": // the pods of its Jobs, too
		return pod.Labels[manifest.LabelCNPG] == v.object.GetName()
	}
	return slices.ContainsFunc(pod.OwnerReferences, func(owner metav1.OwnerReference) bool { return owner.UID == v.object.GetUID() })
}

// concerns reports whether an event is about the object or what belongs to it. Events outlive their
// objects for an hour: those of earlier objects with the same name are left out.
func (v *view) concerns(e *corev1.Event) bool {
	about := e.InvolvedObject
	if when(e).Before(v.object.GetCreationTimestamp().Time) {
		return false
	}
	same := func(kind, name string, uid types.UID) bool {
		return about.Kind == kind && about.Name == name && (about.UID == uid || about.UID == "")
	}
	if same(v.object.GetKind(), v.object.GetName(), v.object.GetUID()) {
		return true
	}
	// CloudNativePG creates its first pods by Jobs.
	if v.object.GetKind() == "Cluster" && about.Kind == "Job" && strings.HasPrefix(about.Name, v.object.GetName()+"-") {
		return true
	}
	return slices.ContainsFunc(v.pods, func(p corev1.Pod) bool { return same("Pod", p.Name, p.UID) }) ||
		slices.ContainsFunc(v.claims, func(p corev1.PersistentVolumeClaim) bool { return same(kindClaim.name, p.Name, p.UID) })
}

// when returns when an event was last seen.
func when(e *corev1.Event) time.Time {
	last := e.LastTimestamp.Time
	for _, t := range []time.Time{e.EventTime.Time, e.FirstTimestamp.Time, e.CreationTimestamp.Time} {
		if last.IsZero() {
			last = t
		}
	}
	if e.Series != nil && e.Series.LastObservedTime.After(last) {
		last = e.Series.LastObservedTime.Time
	}
	return last
}

// shownEvents is how many events an error shows.
const shownEvents = 3

// state describes what a view shows, for an object that is not ready in time.
func (v *view) state() []string {
	var facts []string
	if phase := text(v.object.Object, "status", "phase"); phase != "" {
		facts = append(facts, phase)
	}
	if len(v.pods) == 0 && v.object.GetKind() != kindClaim.name {
		facts = append(facts, "it has no pods")
	}
	for _, pod := range v.pods {
		facts = append(facts, fmt.Sprintf("the pod %s is %s", pod.Name, podState(&pod)))
	}
	warnings := slices.DeleteFunc(slices.Clone(v.events), func(e corev1.Event) bool { return e.Type == corev1.EventTypeNormal })
	for _, e := range warnings[max(0, len(warnings)-shownEvents):] {
		facts = append(facts, fmt.Sprintf("%s (%s)", oneLine(e.Message), e.Reason))
	}
	if v.eventless {
		facts = append(facts, "its events are not known, because this account has no right to list events")
	}
	return facts
}

// podState describes a pod: what a container waits for, or the pod's phase.
func podState(pod *corev1.Pod) string {
	for _, container := range containers(pod) {
		if waits := container.State.Waiting; waits != nil && waits.Reason != "" {
			return waits.Reason
		}
	}
	return strings.ToLower(string(pod.Status.Phase))
}

// readAll reads the objects of a kind in the cluster's namespace, or those of some field selectors.
func readAll[T any](ctx context.Context, c *Cluster, k kind, fields ...string) ([]T, error) {
	list, err := c.of(k, c.Namespace).List(ctx, metav1.ListOptions{FieldSelector: strings.Join(fields, ",")})
	if err != nil {
		return nil, err
	}
	all := make([]T, len(list.Items))
	for i := range list.Items {
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(list.Items[i].Object, &all[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// pod reads a pod.
func (c *Cluster) pod(ctx context.Context, name string) (*corev1.Pod, error) {
	o, err := c.of(kindPod, c.Namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, c.explain(err)
	}
	return podOf(o)
}

// podOf returns an object as a pod.
func podOf(o runtime.Object) (*corev1.Pod, error) {
	u, is := o.(*unstructured.Unstructured)
	if !is || u.GetKind() != kindPod.name {
		return nil, fmt.Errorf("%T is not a pod", o)
	}
	pod := &corev1.Pod{}
	return pod, runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, pod)
}

// isGone reports whether an error says that an object does not exist.
func isGone(err error) bool { return err != nil && apierrors.IsNotFound(err) }

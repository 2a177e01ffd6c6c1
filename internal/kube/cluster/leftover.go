package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"syscall"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"plinth/internal/hint"
	"plinth/internal/kube/manifest"
)

// Leftover is an object that carries the label of a record.
type Leftover struct {
	Ref
	Namespace string // its own; empty for a namespace
	Record    string // the label's value
	Since     time.Time
	Leaving   bool     // it is being deleted
	Keepers   []string // finalizers: it stays until they are done
	Owned     bool     // a controller creates and deletes it

	kind  kind
	uid   string
	keeps bool // it is a keeper that has not ended
}

func (l Leftover) String() string {
	if l.Namespace == "" {
		return l.Ref.String()
	}
	return l.Ref.String() + " in " + l.Namespace
}

// Leftovers lists what carries the label of any record, in the cluster's namespace and the namespace
// itself; in all namespaces if the cluster's is "". With an error, it returns what it could list.
func (c *Cluster) Leftovers(ctx context.Context) ([]Leftover, error) {
	return c.labelled(ctx, manifest.LabelRecord, func(kind) bool { return false })
}

// labelled lists the objects that a selector finds. A kind that the cluster does not have has none, and
// a kind that the account may not list is left out if skip says so.
func (c *Cluster) labelled(ctx context.Context, selector string, skip func(kind) bool) ([]Leftover, error) {
	var found []Leftover
	var failed error
	for _, k := range kinds {
		items, err := c.list(ctx, k, selector)
		if err != nil && !apierrors.IsNotFound(err) && (!apierrors.IsForbidden(err) || !skip(k)) {
			failed = errors.Join(failed, fmt.Errorf("cannot list %s: %w", k.resource.Resource, c.explain(err)))
		}
		for i := range items {
			if l := leftover(k, &items[i]); l.Record != "" {
				found = append(found, l)
			}
		}
	}
	return found, failed
}

// list returns the objects of a kind. Of namespaces, it reads only the cluster's own one, which needs
// fewer rights than a list.
func (c *Cluster) list(ctx context.Context, k kind, selector string) ([]unstructured.Unstructured, error) {
	if k.global && c.Namespace != "" {
		own, err := c.of(k, "").Get(ctx, c.Namespace, metav1.GetOptions{})
		if err != nil || !matches(own, selector) {
			return nil, ignoreForbidden(err)
		}
		return []unstructured.Unstructured{*own}, nil
	}
	all, err := c.of(k, c.Namespace).List(ctx, metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		return nil, err
	}
	return all.Items, nil
}

// ignoreForbidden returns nil if an account may not read a namespace: plinth created it only if the
// account may do that.
func ignoreForbidden(err error) error {
	if apierrors.IsForbidden(err) {
		return nil
	}
	return err
}

// matches reports whether an object has a label: "name", or "name=value".
func matches(o *unstructured.Unstructured, selector string) bool {
	name, want, equal := strings.Cut(selector, "=")
	got, has := o.GetLabels()[name]
	return has && (!equal || got == want)
}

func leftover(k kind, o *unstructured.Unstructured) Leftover {
	return Leftover{
		Ref: Ref{k.name, o.GetName()}, Namespace: o.GetNamespace(), Record: o.GetLabels()[manifest.LabelRecord],
		Since: o.GetCreationTimestamp().Time, Leaving: o.GetDeletionTimestamp() != nil, Keepers: o.GetFinalizers(),
		Owned: metav1.GetControllerOf(o) != nil, kind: k, uid: string(o.GetUID()), keeps: keeps(o),
	}
}

// Delete deletes what carries the label of a record, everything or only some objects of it, and waits
// until it is gone or the context ends. It deletes nothing else, except what the cluster deletes with its
// owner: a namespace with objects of others stays, and is an error. Of the kinds that the account may not
// list, an experiment has none, or the keeper's Job owns them.
func (c *Cluster) Delete(ctx context.Context, record string, only ...Ref) error {
	if record == "" {
		return errors.New("cannot delete the objects of a record without a name")
	}
	d := &deletion{Cluster: c, selector: manifest.LabelRecord + "=" + manifest.LabelValue(record), only: only,
		asked: map[string]bool{}, mine: map[string]bool{}}
	for {
		err := d.step(ctx)
		switch {
		case ctx.Err() != nil:
			return stillThere(ctx, d.found)
		case err == nil && len(d.found) == 0:
			return nil
		case err != nil && !passes(err):
			return err
		}
		pause(ctx, c.every)
	}
}

// deletion is a deletion in progress.
type deletion struct {
	*Cluster
	selector string
	only     []Ref // all objects if empty
	found    []Leftover
	asked    map[string]bool // by identity: the API server has been asked to delete them
	mine     map[string]bool // by identity: all that were found
}

// step looks for what is left, and asks the API server to delete what it has not been asked for.
func (d *deletion) step(ctx context.Context) error {
	found, err := d.labelled(ctx, d.selector, func(k kind) bool { return k.name != "Job" })
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if len(d.only) > 0 {
		found = slices.DeleteFunc(found, func(l Leftover) bool { return !slices.Contains(d.only, l.Ref) })
	}
	d.found = found
	for _, l := range found {
		d.mine[l.uid] = true
		// A pod is deleted although its controller does that, too, if the account may: its server need
		// not shut down cleanly, which can take minutes, because its data is deleted with it.
		if d.asked[l.uid] || l.kind != kindPod && (l.Leaving || l.Owned) || l.holds(found) {
			continue
		}
		failed := d.delete(ctx, l, d.mine)
		d.asked[l.uid] = failed == nil
		err = errors.Join(err, failed)
	}
	return err
}

// passes reports whether an error is one of an API server that is restarted or busy: cleaning up goes on.
func passes(err error) bool {
	return apierrors.IsServerTimeout(err) || apierrors.IsTimeout(err) || apierrors.IsTooManyRequests(err) || apierrors.IsServiceUnavailable(err) ||
		apierrors.IsInternalError(err) || errors.As(err, new(net.Error)) || errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, io.EOF)
}

// holds reports whether a namespace has other objects among those found.
func (l Leftover) holds(found []Leftover) bool {
	return l.kind.global && slices.ContainsFunc(found, func(other Leftover) bool { return other.Namespace == l.Name })
}

// delete deletes an object. Its identity is given, too: an object that someone else has created in its
// place stays. mine has the identities of the record's objects.
func (c *Cluster) delete(ctx context.Context, l Leftover, mine map[string]bool) error {
	if l.kind.global {
		if err := c.In(l.Name).checkOthers(ctx, l, mine); err != nil {
			return err
		}
	}
	background, uid := metav1.DeletePropagationBackground, l.uid
	options := metav1.DeleteOptions{PropagationPolicy: &background}
	if l.kind == kindPod {
		at := int64(1) // second; 0 would not wait for the end of its processes
		options.GracePeriodSeconds = &at
	}
	if uid != "" {
		options.Preconditions = metav1.NewUIDPreconditions(uid)
	}
	err := c.of(l.kind, l.Namespace).Delete(ctx, l.Name, options)
	if err == nil || apierrors.IsNotFound(err) || apierrors.IsConflict(err) || l.kind == kindPod && l.Owned && apierrors.IsForbidden(err) {
		return nil
	}
	return fmt.Errorf("cannot delete %s: %w", l, c.explain(err))
}

// otherKinds are kinds of objects that plinth does not create, and that others may have in a namespace.
var otherKinds = []kind{
	{"Deployment", schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}, false},
	{"DaemonSet", schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "daemonsets"}, false},
	{"CronJob", schema.GroupVersionResource{Group: "batch", Version: "v1", Resource: "cronjobs"}, false},
	{"ConfigMap", version1.WithResource("configmaps"), false},
}

// automatic reports whether an object is one that clusters create in every namespace, soon after it, or that
// CloudNativePG keeps there for its Clusters, which are looked at themselves.
func automatic(o *unstructured.Unstructured, namespace Leftover) bool {
	if !slices.Contains([]string{"ConfigMap", "Secret", "ServiceAccount", "Role", "RoleBinding"}, o.GetKind()) {
		return false
	}
	return o.GetCreationTimestamp().Sub(namespace.Since) < automaticWithin || o.GetLabels()["app.kubernetes.io/managed-by"] == "cloudnative-pg"
}

// automaticWithin is how long a cluster may take to fill a new namespace.
const automaticWithin = time.Minute

// checkOthers returns an error if objects of others are in a namespace. It is patient: the cluster deletes
// what belonged to a deleted object some seconds later.
func (c *Cluster) checkOthers(ctx context.Context, namespace Leftover, mine map[string]bool) error {
	patient, cancel := context.WithTimeout(ctx, c.patience)
	defer cancel()
	for {
		names, err := c.others(ctx, namespace, mine)
		if err != nil || len(names) == 0 {
			return err
		}
		if !pause(patient, c.every) {
			return hint.Errorf("delete them, or keep the namespace: kubectl label namespace "+namespace.Name+" "+manifest.LabelRecord+"-",
				"cannot delete the namespace %s: plinth did not create %s in it", namespace.Name, strings.Join(names, ", "))
		}
	}
}

// others lists what is in a namespace, except what belongs to the record's objects. Kinds that the account
// may not list are left out.
func (c *Cluster) others(ctx context.Context, namespace Leftover, mine map[string]bool) ([]string, error) {
	var names []string
	for _, k := range slices.Concat(kinds, otherKinds) {
		if k.global {
			continue
		}
		list, err := c.of(k, namespace.Name).List(ctx, metav1.ListOptions{})
		if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsForbidden(err) {
			return nil, fmt.Errorf("cannot list %s: %w", k.resource.Resource, c.explain(err))
		}
		for i := 0; err == nil && i < len(list.Items); i++ {
			if o := &list.Items[i]; !automatic(o, namespace) && o.GetDeletionTimestamp() == nil && !belongs(o, mine) {
				names = append(names, refOf(o).String())
			}
		}
	}
	return names, nil
}

// belongs reports whether one of some objects owns an object.
func belongs(o *unstructured.Unstructured, owners map[string]bool) bool {
	return slices.ContainsFunc(o.GetOwnerReferences(), func(owner metav1.OwnerReference) bool { return owners[string(owner.UID)] })
}

// stillThere is the error for objects that are not gone in time.
func stillThere(ctx context.Context, found []Leftover) error {
	if len(found) == 0 {
		return context.Cause(ctx)
	}
	names, advice := make([]string, 0, len(found)), "they are being deleted; plinth clean --kubernetes lists what is left"
	for _, l := range found {
		names = append(names, l.String())
		if l.Leaving && len(l.Keepers) > 0 {
			advice = fmt.Sprintf("%s waits for %s", l, strings.Join(l.Keepers, ", "))
		}
	}
	slices.Sort(names)
	return hint.Wrap(fmt.Errorf("not yet deleted: %s: %w", strings.Join(names, ", "), context.Cause(ctx)), advice)
}

// pause waits for a while, and reports whether the context still holds.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

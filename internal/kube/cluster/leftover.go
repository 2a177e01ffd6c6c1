package cluster

import (
	"cmp"
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

	"plinth/internal/hint"
	"plinth/internal/host"
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

	kind    kind
	uid     string
	version string // of its content
	keeps   bool   // it is a keeper that has not ended
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
		Owned: metav1.GetControllerOf(o) != nil, kind: k, uid: string(o.GetUID()), version: o.GetResourceVersion(), keeps: keeps(o),
	}
}

// Delete deletes what carries the label of a record, everything or only some objects of it, and waits
// until it is gone or the context ends. It deletes nothing else, except what the cluster deletes with its
// owner: a namespace with objects of others stays (UsedError). Of the kinds that the account may not
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
		_ = host.Sleep(ctx, c.every) // the context is looked at above
	}
}

// DeleteWithin is Delete with a limit: a pod on a node that has crashed, or a finalizer of a driver that is
// gone, would keep an object for ever.
func (c *Cluster) DeleteWithin(ctx context.Context, within time.Duration, record string, only ...Ref) error {
	ctx, cancel := context.WithTimeoutCause(ctx, within, errTooLate)
	defer cancel()
	return c.Delete(ctx, record, only...)
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
	if len(d.only) > 0 {
		found = slices.DeleteFunc(found, func(l Leftover) bool { return !slices.Contains(d.only, l.Ref) })
	}
	if ctx.Err() == nil || err == nil { // otherwise it is not known what is left
		d.found = found
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, l := range found {
		d.mine[l.uid] = true
		// A pod is deleted although its controller does that, too, if the account may: its server need
		// not shut down cleanly, which can take minutes, because its data is deleted with it.
		if d.asked[l.uid] || l.kind != kindPod && (l.Leaving || l.Owned) || l.holds(found) {
			continue
		}
		asked, failed := d.delete(ctx, l, d.mine)
		d.asked[l.uid] = asked
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

// delete asks the API server to delete an object, and reports whether it has. The object's identity is given,
// too: an object that someone else has created in its place stays. mine has the identities of the record's
// objects.
func (c *Cluster) delete(ctx context.Context, l Leftover, mine map[string]bool) (asked bool, err error) {
	background := metav1.DeletePropagationBackground
	options := metav1.DeleteOptions{PropagationPolicy: &background}
	if l.kind == kindPod {
		at := int64(1) // second; 0 would not wait for the end of its processes
		options.GracePeriodSeconds = &at
	}
	if l.uid != "" {
		options.Preconditions = metav1.NewUIDPreconditions(l.uid)
	}
	if l.kind.global {
		if free, err := c.In(l.Name).leave(ctx, l, mine); !free || err != nil {
			return false, err
		}
		if options.Preconditions != nil && l.version != "" { // another experiment may have begun meanwhile
			options.Preconditions.ResourceVersion = &l.version
		}
	}
	err = c.of(l.kind, l.Namespace).Delete(ctx, l.Name, options)
	switch {
	case l.kind.global && apierrors.IsConflict(err):
		return false, nil
	case err == nil, apierrors.IsNotFound(err), apierrors.IsConflict(err), l.kind == kindPod && l.Owned && apierrors.IsForbidden(err):
		return true, nil
	}
	return false, fmt.Errorf("cannot delete %s: %w", l, c.explain(err))
}

// stillThere is the error for objects that are not gone in time.
func stillThere(ctx context.Context, found []Leftover) error {
	if len(found) == 0 {
		return context.Cause(ctx)
	}
	names, advice := make([]string, 0, len(found)), ""
	for _, l := range found {
		names, advice = append(names, l.String()), cmp.Or(advice, l.waits())
	}
	advice = cmp.Or(advice, "they are being deleted; plinth clean --kubernetes lists what is left")
	slices.Sort(names)
	return hint.Wrap(fmt.Errorf("not yet deleted: %s: %w", strings.Join(names, ", "), context.Cause(ctx)), advice)
}

// waits returns why an object that is being deleted may still be there, or "".
func (l Leftover) waits() string {
	switch {
	case !l.Leaving:
	case len(l.Keepers) > 0:
		return fmt.Sprintf("%s waits for %s", l, strings.Join(l.Keepers, ", "))
	case l.kind == kindPod: // a volume claim, which comes after it, waits for it
		return fmt.Sprintf("if the node of %s has crashed (kubectl get nodes), it stays until the node is back or is deleted", l)
	}
	return ""
}

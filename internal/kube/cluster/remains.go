package cluster

import (
	"cmp"
	"context"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"plinth/internal/kube/manifest"
)

// Remains are the objects of a record in a namespace.
type Remains struct {
	Record    string // the label's value
	Namespace string
	Since     time.Time // when the first of them was created
	Objects   []Leftover
	Kept      bool // its keeper runs
}

// Begins reports whether an experiment may just have begun: it creates its namespace before its keeper, and
// everything else after it.
func (r Remains) Begins(now time.Time) bool {
	return now.Sub(r.Since) < beforeKeeper && !slices.ContainsFunc(r.Objects, func(l Leftover) bool { return !l.kind.global })
}

// beforeKeeper is the time within which an experiment creates its keeper, after the namespace.
const beforeKeeper = time.Minute

// Remains lists what carries the label of any record, by record and namespace, the oldest first: in the
// cluster's namespace and the namespace itself, or in all namespaces if the cluster's is "". hidden names
// the kinds that the account may not list. An experiment has none of them, or they belong to its keeper.
func (c *Cluster) Remains(ctx context.Context) (all []Remains, hidden []string, err error) {
	found, err := c.labelled(ctx, manifest.LabelRecord, func(k kind) bool {
		if k.name != "Job" {
			hidden = append(hidden, k.resource.Resource)
		}
		return k.name != "Job"
	})
	for _, l := range found {
		namespace := cmp.Or(l.Namespace, l.Name) // a namespace belongs to what is in it
		i := slices.IndexFunc(all, func(r Remains) bool { return r.Record == l.Record && r.Namespace == namespace })
		if i < 0 {
			i = len(all)
			all = append(all, Remains{Record: l.Record, Namespace: namespace, Since: l.Since})
		}
		r := &all[i]
		r.Objects, r.Kept = append(r.Objects, l), r.Kept || l.keeps
		if l.Since.Before(r.Since) {
			r.Since = l.Since
		}
	}
	slices.SortStableFunc(all, func(a, b Remains) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Record, b.Record), cmp.Compare(a.Namespace, b.Namespace))
	})
	return all, hidden, err
}

// keeps reports whether an object is the Job of a keeper that has not ended. Its pod may wait for a node.
func keeps(o *unstructured.Unstructured) bool {
	return o.GetKind() == "Job" && o.GetLabels()[manifest.LabelRole] == manifest.RoleKeeper && o.GetDeletionTimestamp() == nil &&
		!condition(o.Object, "Complete") && !condition(o.Object, "Failed")
}

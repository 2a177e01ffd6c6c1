package cluster

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"plinth/internal/kube/manifest"
)

// Remains are the objects of a record in a namespace.
type Remains struct {
	Record    string // the label's value
	Namespace string
	Since     time.Time // when the first of them was created; zero if there is none
	Objects   []Leftover
	Cordoned  []string // nodes that are cordoned for it
	Kept      bool     // its keeper runs
}

// Begins reports whether an experiment may just have begun: it creates its namespace before its keeper, and
// everything else after it.
func (r Remains) Begins(now time.Time) bool {
	return len(r.Objects) > 0 && now.Sub(r.Since) < beforeKeeper && !slices.ContainsFunc(r.Objects, func(l Leftover) bool { return !l.kind.global })
}

// beforeKeeper is the time within which an experiment creates its keeper, after the namespace.
const beforeKeeper = time.Minute

// Remains lists what carries the label of any record, by record and namespace, the oldest first: in the
// cluster's namespace and the namespace itself, or in all namespaces if the cluster's is "". It also lists
// the nodes that are cordoned for their experiments. hidden names
// the kinds that the account may not list. An experiment has none of them, or they belong to its keeper.
func (c *Cluster) Remains(ctx context.Context) (all []Remains, hidden []string, err error) {
	found, err := c.labelled(ctx, manifest.LabelRecord, func(k kind) bool {
		if k.name != "Job" {
			hidden = append(hidden, k.resource.Resource)
		}
		return k.name != "Job"
	})
	of := func(record, namespace string) *Remains {
		i := slices.IndexFunc(all, func(r Remains) bool { return r.Record == record && r.Namespace == namespace })
		if i < 0 {
			i = len(all)
			all = append(all, Remains{Record: record, Namespace: namespace})
		}
		return &all[i]
	}
	for _, l := range found {
		r := of(l.Record, cmp.Or(l.Namespace, l.Name)) // a namespace belongs to what is in it
		if len(r.Objects) == 0 || l.Since.Before(r.Since) {
			r.Since = l.Since
		}
		r.Objects, r.Kept = append(r.Objects, l), r.Kept || l.keeps
	}
	cordoned, failed := c.cordonedNodes(ctx)
	err = errors.Join(err, failed)
	for _, node := range cordoned {
		r := of(node.GetLabels()[labelCordoned], node.GetAnnotations()[annotationNamespace])
		r.Cordoned = append(r.Cordoned, node.GetName())
	}
	slices.SortStableFunc(all, func(a, b Remains) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Record, b.Record), cmp.Compare(a.Namespace, b.Namespace))
	})
	return all, hidden, err
}

// keeps reports whether an object is the Job of a keeper that has not ended. Its pod may wait for a node, or be on
// one that has crashed: the experiment may go on all the same.
func keeps(o *unstructured.Unstructured) bool {
	return o.GetKind() == "Job" && o.GetLabels()[manifest.LabelRole] == manifest.RoleKeeper && o.GetDeletionTimestamp() == nil &&
		!condition(o.Object, "Complete") && !condition(o.Object, "Failed")
}

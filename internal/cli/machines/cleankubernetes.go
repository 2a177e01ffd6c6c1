package machines

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"plinth/internal/cli/base"
	"plinth/internal/cli/elsewhere"
	"plinth/internal/hint"
	"plinth/internal/kube/cluster"
	"plinth/internal/kube/manifest"
	"plinth/internal/prose"
	"plinth/internal/runner"
)

// clusterCleaning says what to delete from a Kubernetes cluster.
type clusterCleaning struct {
	elsewhere.KubernetesFlags
	all    bool     // namespaces
	dryRun bool     // only show it
	named  []string // records to delete although their keeper runs; then only these
}

func (k *clusterCleaning) register(f *pflag.FlagSet) {
	k.Register(f, "clean a Kubernetes cluster: the one that kubectl would use")
	f.BoolVarP(&k.all, "all-namespaces", "A", false, "with --kubernetes: clean all namespaces")
}

// check returns an error if the flags do not fit together.
func (k *clusterCleaning) check(flags *pflag.FlagSet) error {
	switch {
	case !k.Kubernetes && k.all:
		return hint.Errorf("add --kubernetes", "--all-namespaces requires --kubernetes")
	case !k.Kubernetes && len(k.named) > 0:
		return hint.Errorf("leave it out; with --kubernetes, it is the name of a record", "plinth clean takes no argument: %s", k.named[0])
	case k.all && k.Namespace != "":
		return hint.Errorf("leave one of them out", "--namespace and --all-namespaces cannot be used together")
	}
	return k.Check(flags, "on", "become", "agents", "forget")
}

// cleanCluster shows what experiments left behind in a cluster, and deletes it.
func (a *app) cleanCluster(ctx context.Context, k clusterCleaning) error {
	a.OnStop(stopCleaning)
	c, err := k.Open(ctx)
	if err != nil {
		return base.Usage(base.Ended(ctx, err))
	}
	where := "the namespace " + c.Namespace
	if k.all {
		c, where = c.In(""), "the cluster"
	}
	all, hidden, err := c.Remains(ctx)
	if err != nil {
		if k.all && cluster.NotAllowed(err) {
			err = hint.Wrap(err, hint.Of(err)+"\nor clean the namespaces that you may see: --namespace NAME")
		}
		return base.Ended(ctx, err)
	}
	if len(k.named) > 0 {
		if all, err = k.choose(all, where); err != nil {
			return base.Usage(err)
		}
	}
	if len(all) == 0 {
		fmt.Fprintf(a.Stdout, "nothing was left behind in %s\n", where)
	}
	for _, r := range all {
		err = errors.Join(err, a.cleanRecord(ctx, c.In(r.Namespace), k, r))
	}
	if len(hidden) > 0 {
		fmt.Fprintf(a.Stdout, "not visible: %s, which this account may not list\n", strings.Join(hidden, ", "))
	}
	if err != nil && ctx.Err() == nil {
		return &runner.PutBackError{Err: err}
	}
	return base.Ended(ctx, err)
}

// stopCleaning is the message at Ctrl-C.
const stopCleaning = "what was not deleted stays"

// choose returns the remains of the records that were named.
func (k *clusterCleaning) choose(all []cluster.Remains, where string) ([]cluster.Remains, error) {
	var known []string
	for _, r := range all {
		known = append(known, r.Record)
	}
	for _, name := range k.named {
		if !slices.Contains(known, manifest.LabelValue(name)) {
			otherwise := "nothing was left behind there"
			if len(known) > 0 {
				otherwise = "the records there: " + strings.Join(known, ", ")
			}
			return nil, hint.Errorf(hint.DidYouMean(name, known, otherwise), "there is nothing of a record %s in %s", name, where)
		}
	}
	return slices.DeleteFunc(all, func(r cluster.Remains) bool {
		return !slices.ContainsFunc(k.named, func(name string) bool { return manifest.LabelValue(name) == r.Record })
	}), nil
}

// cleanRecord shows the objects of a record, and deletes them unless they are in use.
func (a *app) cleanRecord(ctx context.Context, c *cluster.Cluster, k clusterCleaning, r cluster.Remains) error {
	named, now := len(k.named) > 0, c.Now()
	age := ago(now.Sub(r.Since))
	if len(r.Objects) == 0 {
		return a.uncordon(ctx, c, k, r)
	}
	switch {
	case named && r.Kept:
		fmt.Fprintf(a.Stdout, "in use by %s in %s, for %s:\n", r.Record, r.Namespace, age)
	case r.Kept:
		fmt.Fprintf(a.Stdout, "in use by %s in %s, for %s: its keeper runs\n", r.Record, r.Namespace, age)
	case r.Begins(now) && !named:
		fmt.Fprintf(a.Stdout, "perhaps in use by %s in %s, for %s: it has only its namespace\n", r.Record, r.Namespace, age)
	default:
		fmt.Fprintf(a.Stdout, "left behind by %s in %s, %s ago:\n", r.Record, r.Namespace, age)
	}
	showRemains(a.Stdout, r)
	if !named && (r.Kept || r.Begins(now)) {
		fmt.Fprintf(a.Stdout, "hint: plinth clean --kubernetes --namespace %s %s deletes it nevertheless\n", r.Namespace, r.Record)
		return nil
	}
	if k.dryRun {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, elsewhere.DeleteWithin, fmt.Errorf("the cluster has not deleted it within %s", elsewhere.DeleteWithin))
	defer cancel()
	failed := a.uncordonNodes(ctx, c, r) // first: a namespace that stays must not keep a node cordoned
	if err := c.Delete(ctx, r.Record); err != nil {
		return errors.Join(failed, err)
	}
	fmt.Fprintf(a.Stdout, "deleted what was left of %s in %s\n", r.Record, r.Namespace)
	return failed
}

// uncordon shows the nodes that a record has cordoned, and uncordons them: nothing else is left of it.
func (a *app) uncordon(ctx context.Context, c *cluster.Cluster, k clusterCleaning, r cluster.Remains) error {
	fmt.Fprintf(a.Stdout, "left behind by %s in %s:\n", prose.Clean(r.Record), prose.Clean(r.Namespace))
	showRemains(a.Stdout, r)
	if k.dryRun {
		return nil
	}
	return a.uncordonNodes(ctx, c, r)
}

// uncordonNodes uncordons the nodes that a record has cordoned.
func (a *app) uncordonNodes(ctx context.Context, c *cluster.Cluster, r cluster.Remains) error {
	var failed error
	for _, node := range r.Cordoned {
		if err := c.Uncordon(ctx, node, r.Record); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		fmt.Fprintf(a.Stdout, "uncordoned the node %s\n", prose.Clean(node))
	}
	return failed
}

// showRemains lists objects, and counts those that others of them own.
func showRemains(out io.Writer, r cluster.Remains) {
	owned := 0
	for _, l := range r.Objects {
		if l.Owned {
			owned++
			continue
		}
		leaving := ""
		if l.Leaving {
			leaving = " (is being deleted)"
		}
		fmt.Fprintf(out, "  %s%s\n", prose.Clean(l.Ref.String()), leaving)
	}
	for _, node := range r.Cordoned {
		fmt.Fprintf(out, "  Node %s, which it has cordoned\n", prose.Clean(node))
	}
	if owned > 0 {
		fmt.Fprintf(out, "  and %s that they own\n", base.Things(owned, "object"))
	}
}

// ago formats the age of an object.
func ago(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", max(d.Seconds(), 0))
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.0f h", d.Hours())
	}
	return fmt.Sprintf("%.0f days", d.Hours()/24)
}

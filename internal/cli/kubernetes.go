package cli

import (
	"context"
	"time"

	"github.com/spf13/pflag"

	"plinth/internal/hint"
	"plinth/internal/kube/cluster"
)

// clusterFlags name a Kubernetes cluster and a namespace in it, as kubectl does.
type clusterFlags struct{ context, namespace string }

// register adds the flags; more is said of the namespace.
func (c *clusterFlags) register(f *pflag.FlagSet, more string) {
	f.StringVar(&c.context, "context", "", "with --kubernetes: the `NAME` of a context of kubectl; default: the current one")
	f.StringVarP(&c.namespace, "namespace", "n", "", "with --kubernetes: the `NAME` of a namespace"+more+"; default: that of the context")
}

// open opens the cluster.
func (c *clusterFlags) open(ctx context.Context) (*cluster.Cluster, error) {
	return cluster.Open(ctx, cluster.Options{Context: c.context, Namespace: c.namespace})
}

// kubernetesFlags choose a Kubernetes cluster instead of a machine.
type kubernetesFlags struct {
	kubernetes bool
	clusterFlags
}

// register adds the flags; what is the help of --kubernetes.
func (k *kubernetesFlags) register(f *pflag.FlagSet, what string) {
	f.BoolVar(&k.kubernetes, "kubernetes", false, what)
	k.clusterFlags.register(f, "")
}

// check returns an error if the flags of a cluster are given without --kubernetes, or others with it.
func (k *kubernetesFlags) check(flags *pflag.FlagSet, others ...string) error {
	if !k.kubernetes {
		for _, name := range []string{"context", "namespace"} {
			if flags.Changed(name) {
				return hint.Errorf("add --kubernetes", "--%s requires --kubernetes", name)
			}
		}
		return nil
	}
	for _, name := range others {
		if flags.Changed(name) {
			return hint.Errorf("leave one of them out", "--%s and --kubernetes cannot be used together", name)
		}
	}
	return noneEmpty(flags)
}

// deleteWithin is how long a cluster may take to delete the objects of an experiment or of a probe.
const deleteWithin = 5 * time.Minute

package elsewhere

import (
	"context"
	"time"

	"github.com/spf13/pflag"

	"plinth/internal/cli/base"
	"plinth/internal/hint"
	"plinth/internal/kube/cluster"
)

// ClusterFlags name a Kubernetes cluster and a namespace in it, as kubectl does.
type ClusterFlags struct{ context, Namespace string }

// Register adds the flags; more is said of the namespace.
func (c *ClusterFlags) Register(f *pflag.FlagSet, more string) {
	f.StringVar(&c.context, "context", "", "with --kubernetes: the `NAME` of a context of kubectl; default: the current one")
	f.StringVarP(&c.Namespace, "namespace", "n", "", "with --kubernetes: the `NAME` of a namespace"+more+"; default: that of the context")
}

// Open opens the cluster.
func (c *ClusterFlags) Open(ctx context.Context) (*cluster.Cluster, error) {
	return cluster.Open(ctx, cluster.Options{Context: c.context, Namespace: c.Namespace})
}

// KubernetesFlags choose a Kubernetes cluster instead of a machine.
type KubernetesFlags struct {
	Kubernetes bool
	ClusterFlags
}

// Register adds the flags; what is the help of --kubernetes.
func (k *KubernetesFlags) Register(f *pflag.FlagSet, what string) {
	f.BoolVar(&k.Kubernetes, "kubernetes", false, what)
	k.ClusterFlags.Register(f, "")
}

// Check returns an error if the flags of a cluster are given without --kubernetes, or others with it.
func (k *KubernetesFlags) Check(flags *pflag.FlagSet, others ...string) error {
	if !k.Kubernetes {
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
	return base.NoneEmpty(flags)
}

// DeleteWithin is how long a cluster may take to delete the objects of an experiment or of a probe.
const DeleteWithin = 5 * time.Minute

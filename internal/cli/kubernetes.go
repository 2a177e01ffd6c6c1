package cli

import (
	"context"

	"github.com/spf13/pflag"

	"plinth/internal/hint"
	"plinth/internal/kube/cluster"
)

// kubernetesFlags name a Kubernetes cluster, as kubectl does.
type kubernetesFlags struct {
	kubernetes         bool
	context, namespace string
}

func (k *kubernetesFlags) register(f *pflag.FlagSet, what string) {
	f.BoolVar(&k.kubernetes, "kubernetes", false, what)
	f.StringVar(&k.context, "context", "", "with --kubernetes: the `NAME` of a context of kubectl; default: the current one")
	f.StringVarP(&k.namespace, "namespace", "n", "", "with --kubernetes: the `NAME` of a namespace; default: that of the context")
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

// open opens the cluster.
func (k *kubernetesFlags) open(ctx context.Context) (*cluster.Cluster, error) {
	return cluster.Open(ctx, cluster.Options{Context: k.context, Namespace: k.namespace})
}

package pods

import (
	"context"
	"errors"
	"fmt"

	"plinth/internal/kube/keeper"
	"plinth/internal/runner/agent"
)

// Enter starts an agent in a pod of plinth, and connects to it. Say shows a line to the user.
func Enter(ctx context.Context, k *keeper.Keeper, pod string, o agent.Options, say func(string)) (*agent.Client, error) {
	stream, err := k.Agent(ctx, pod)
	if err != nil {
		return nil, err
	}
	o.Clean = "plinth clean --kubernetes"
	client, err := agent.Connect(ctx, stream, o, say)
	if err != nil {
		if said := stream.Err(); said != "" {
			err = fmt.Errorf("%w: %s", err, said)
		}
		return nil, errors.Join(err, stream.Close())
	}
	return client, nil
}

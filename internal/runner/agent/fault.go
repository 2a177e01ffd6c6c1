package agent

import (
	"context"
	"errors"
	"time"

	"plinth/internal/host"
	"plinth/internal/record"
	"plinth/internal/runner/site"
	"plinth/internal/wire"
)

var _ site.Witness = (*Client)(nil)

// Write begins numbered writes to the server of an environment.
func (c *Client) Write(ctx context.Context, environment string) error {
	_, err := call(ctx, c, methodWrite, environment, nil)
	return err
}

// Resumed waits until writes are acknowledged again after a fault.
func (c *Client) Resumed(ctx context.Context, fault time.Time) error {
	_, err := call(ctx, c, methodResumed, fault, nil)
	return err
}

// Count ends the writes, and counts those that are lost.
func (c *Client) Count(ctx context.Context, broke string) (record.Injection, error) {
	return call(ctx, c, methodCount, broke, nil)
}

// KillPod kills (SIGKILL) the first process of a pod that runs one of some programs, with the agent's
// rights on the pod's node.
func (c *Client) KillPod(ctx context.Context, uid string, programs []string) error {
	_, err := call(ctx, c, methodKill, inPod{uid, programs}, nil)
	return err
}

// ViewPod describes what a server in a pod on the agent's node has there, with the agent's rights.
func (c *Client) ViewPod(ctx context.Context, uid string, programs []string) (host.PodView, error) {
	return call(ctx, c, methodView, inPod{uid, programs}, nil)
}

// handleFaults handles the methods for faults that are injected here, or from elsewhere.
func (a *server) handleFaults(w *wire.Server) {
	serve(a, w, methodInject, func(ctx context.Context, i injection, _ func(none)) (outcomeOf[record.Injection], error) {
		injected, err := a.site.Inject(ctx, i.Environment, i.At)
		return outcomeOf[record.Injection]{injected, problemOf(err)}, ctx.Err()
	})
	there, can := a.site.(site.Witness)
	if !can {
		there = noWitness{}
	}
	serve(a, w, methodWrite, func(ctx context.Context, environment string, _ func(none)) (none, error) {
		return none{}, there.Write(ctx, environment)
	})
	serve(a, w, methodResumed, func(ctx context.Context, fault time.Time, _ func(none)) (none, error) {
		return none{}, there.Resumed(ctx, a.own(fault))
	})
	serve(a, w, methodCount, func(ctx context.Context, broke string, _ func(none)) (record.Injection, error) {
		return there.Count(ctx, broke)
	})
	serve(a, w, methodKill, func(_ context.Context, v inPod, _ func(none)) (none, error) {
		return none{}, host.KillInPod(v.Pod, v.Programs)
	})
}

// noWitness is a site that cannot count the writes that survive a fault.
type noWitness struct{}

var errNoWitness = errors.New("this machine cannot count the writes that survive a fault")

// Write fails.
func (noWitness) Write(context.Context, string) error { return errNoWitness }

// Resumed fails.
func (noWitness) Resumed(context.Context, time.Time) error { return errNoWitness }

// Count fails.
func (noWitness) Count(context.Context, string) (record.Injection, error) {
	return record.Injection{}, errNoWitness
}

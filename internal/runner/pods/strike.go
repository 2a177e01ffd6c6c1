package pods

import (
	"context"
	"errors"
	"fmt"

	"plinth/internal/experiment"
	"plinth/internal/host"
	"plinth/internal/journal"
	"plinth/internal/kube/cluster"
)

// prepare prepares the fault, and returns what injects it.
func (i *injection) prepare(ctx context.Context) (strike func(context.Context) error, err error) {
	switch fault := i.experiment.Durability.Fault; fault {
	case experiment.FaultKill:
		return i.prepareKill(ctx)
	case experiment.FaultDeletePod:
		return func(ctx context.Context) error { return i.cluster.DeletePod(ctx, i.primary, deletedWithin) }, nil
	case experiment.FaultDrain:
		return i.prepareDrain()
	default:
		return nil, fmt.Errorf("cannot inject the fault %s on Kubernetes", fault)
	}
}

// prepareKill starts a privileged pod on the primary's node, with an agent that kills the server.
func (i *injection) prepareKill(ctx context.Context) (func(context.Context) error, error) {
	pod := i.plan.Fault(i.env, i.primary.Node)
	ref := cluster.RefOf(pod)
	i.repairs = append(i.repairs, func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeWithin)
		defer cancel()
		return i.cluster.Delete(ctx, i.plan.Record, ref)
	})
	if err := i.keeper.Create(ctx, pod); err != nil {
		return nil, err
	}
	if err := i.keeper.Await(ctx, ref); err != nil {
		return nil, err
	}
	killer, err := i.enter(ctx, entry{at: podAt("fault-" + i.env.Name), pod: ref.Name})
	if err != nil {
		return nil, err
	}
	i.repairs = append(i.repairs, killer.Disconnect)
	return func(ctx context.Context) error { return killer.KillPod(ctx, i.primary.UID, i.programs()) }, nil
}

// prepareDrain opens the journal. The fault notes there which node it cordons: a killed plinth leaves it so.
func (i *injection) prepareDrain() (func(context.Context) error, error) {
	state, err := journal.StateDir()
	if err != nil {
		return nil, err
	}
	notes, err := journal.Open(state, i.opening.Label)
	if err != nil {
		return nil, err
	}
	i.release = func() error {
		ctx, cancel := context.WithTimeout(context.Background(), i.patience)
		defer cancel()
		for {
			err := notes.PutBack(ctx, cluster.Undoers())
			if err == nil || host.Sleep(ctx, i.pause) != nil {
				return err
			}
		}
	}
	i.repairs = append(i.repairs, func() error { return errors.Join(i.end(), notes.Close()) })
	return func(ctx context.Context) error {
		node := i.primary.Node
		if err := i.cluster.NoteCordon(notes, node, i.plan.Record); err != nil {
			return err
		}
		if err := i.cluster.Cordon(ctx, node, i.plan.Record); err != nil {
			return err
		}
		return i.cluster.Evict(ctx, i.primary, evictWithin)
	}, nil
}

// end ends the fault. What it cannot undo is left in the journal, and on the node, for plinth clean.
func (i *injection) end() error {
	release := i.release
	i.release = nil
	if release == nil {
		return nil
	}
	if err := release(); err != nil {
		return &unendedError{err}
	}
	return nil
}

// unendedError says that a fault could not be ended, which says nothing about the server.
type unendedError struct{ error }

func (e *unendedError) Unwrap() error { return e.error }

// Package keeper owns what plinth creates in a cluster: a Job that ends when it hears nothing from plinth
// any more, and that takes everything else along. A plinth that was killed leaves nothing behind.
package keeper

import (
	"context"
	"errors"
	"time"

	"plinth/internal/hint"
	"plinth/internal/kube/cluster"
	"plinth/internal/kube/manifest"
)

// PodWithin is how long a pod of plinth may take until it is ready: its image may have to be pulled. What
// cannot become ready is known within seconds by its events.
const PodWithin = 5 * time.Minute

// GoneWithin is how long deleted objects may take until they are gone, before others take their place. The
// volumes of a cloud take a minute or two.
const GoneWithin = 5 * time.Minute

// Keeper is the owner of the objects of one record.
type Keeper struct {
	cluster *cluster.Cluster
	plan    manifest.Plan

	made  bool   // objects of the record may exist
	owner string // the UID of the Job
	beats *beats // nil while none are sent
}

// New returns the keeper of a plan's objects. It creates nothing yet.
func New(c *cluster.Cluster, p manifest.Plan) *Keeper { return &Keeper{cluster: c, plan: p} }

// Check has the API server check the keeper and other objects as if they were created. In a namespace
// that does not exist yet, it can check the namespace alone; in one that is being deleted, nothing.
func (k *Keeper) Check(ctx context.Context, objects ...manifest.Object) error {
	state, err := k.cluster.Namespaced(ctx)
	switch {
	case err != nil:
		return err
	case state == cluster.Leaving:
		return nil
	case state == cluster.Absent && k.mayCreate():
		return k.cluster.DryRun(ctx, k.plan.Namespace())
	}
	var refused error
	for _, o := range append([]manifest.Object{k.plan.Keeper()}, objects...) {
		refused = errors.Join(refused, k.cluster.DryRun(ctx, o))
	}
	return refused
}

// mayCreate reports whether the plan names the namespace: that of a context is not created.
func (k *Keeper) mayCreate() bool { return k.plan.Experiment.Kubernetes.Namespace != "" }

// Begin creates the namespace, if there is none, and the Job, and begins to send heartbeats. If an earlier
// plinth began the same record, what it has left is deleted first.
func (k *Keeper) Begin(ctx context.Context, earlier bool) error {
	if earlier { // also the namespace, if plinth had created it
		err := k.cluster.DeleteWithin(ctx, GoneWithin, k.plan.Record)
		if err != nil && !errors.As(err, new(*cluster.UsedError)) {
			return err
		}
	}
	k.made = true
	job, err := k.createJob(ctx)
	if err != nil {
		return err
	}
	if err := k.Await(ctx, cluster.RefOf(job)); err != nil {
		return err
	}
	k.owner = cluster.UID(job)
	k.beats, err = k.beat(ctx)
	return err
}

// createJob creates the Job, and its namespace if there is none. Another experiment that created the
// namespace may delete it meanwhile, with the Job: both are then created anew.
func (k *Keeper) createJob(ctx context.Context) (manifest.Object, error) {
	for {
		if err := k.enterNamespace(ctx); err != nil {
			return nil, err
		}
		job := k.plan.Keeper()
		if there, err := k.cluster.Get(ctx, cluster.RefOf(job)); err != nil || there != nil {
			if err == nil {
				k.made = false // they are not ours
				err = hint.Errorf("start one of them a second later", "another plinth has begun an experiment of the same name in this second")
			}
			return nil, err
		}
		stored, err := k.cluster.Apply(ctx, job)
		if cluster.IsLeaving(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		// Only now: a namespace that belongs to an experiment without a keeper looks like one that was left.
		there, err := k.cluster.TakeOver(ctx, k.plan.Record)
		if there || err != nil || !k.mayCreate() {
			return stored[0], err
		}
	}
}

// leavingWithin is how long a namespace may take that is being deleted: all that is in it has to end first.
const leavingWithin = 2 * time.Minute

// enterNamespace creates the namespace if there is none.
func (k *Keeper) enterNamespace(ctx context.Context) error {
	there, err := k.cluster.AwaitNamespace(ctx, leavingWithin)
	if there || err != nil || !k.mayCreate() {
		return err
	}
	if _, err = k.cluster.Apply(ctx, k.plan.Namespace()); err == nil {
		return nil
	}
	// Another experiment may have created it in the same moment.
	if there, again := k.cluster.AwaitNamespace(ctx, leavingWithin); there && again == nil {
		return nil
	}
	return err
}

// Create creates objects that the keeper owns.
func (k *Keeper) Create(ctx context.Context, objects ...manifest.Object) error {
	k.plan.Own(objects, k.owner)
	_, err := k.cluster.Apply(ctx, objects...)
	return err
}

// Await waits until one of plinth's pods, or the pods of one of its Jobs, are ready.
func (k *Keeper) Await(ctx context.Context, pod cluster.Ref) error {
	err := k.cluster.Wait(ctx, pod, cluster.Ready, PodWithin)
	problem := new(cluster.PodError)
	noImage := errors.As(err, &problem) && problem.NoImage()
	if err == nil || hint.Of(err) != "" && !noImage {
		return err
	}
	return hint.Wrap(err, "plinth's pods run the image "+k.plan.Image()+", which nodes must have, or reach in a registry. In plinth's source tree, make image builds it; "+
		"for the program of a release, docs/kubernetes.md has a Dockerfile. kubernetes: {image: NAME}, or --image of plinth probe, names it")
}

// Agent starts an agent in one of plinth's pods. It runs as long as the stream to it.
func (k *Keeper) Agent(ctx context.Context, pod string) (*cluster.Stream, error) {
	return k.cluster.Exec(context.WithoutCancel(ctx), pod, manifest.Container, []string{"plinth", "agent", "--hold"})
}

// Leave ends the heartbeats.
func (k *Keeper) Leave() {
	if k.beats != nil {
		k.beats.stop()
		k.beats = nil
	}
}

// Delete ends the heartbeats, deletes everything that was created, and waits until it is gone. A namespace
// that others use stays (cluster.UsedError).
func (k *Keeper) Delete(ctx context.Context) error {
	k.Leave()
	if !k.made {
		return nil
	}
	err := k.cluster.Delete(ctx, k.plan.Record)
	k.made = err != nil && !errors.As(err, new(*cluster.UsedError))
	return err
}

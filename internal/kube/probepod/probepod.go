// Package probepod makes a pod in which plinth measures a storage class: it mounts a new volume of the
// class, and has a directory on the disk of its node beside it.
package probepod

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/kube/cluster"
	"plinth/internal/kube/keeper"
	"plinth/internal/kube/manifest"
	"plinth/internal/unit"
)

// Options of a probe.
type Options struct {
	Class     string
	File      unit.Size // of the test file
	Claim     unit.Size // of the volume; 0 for what the file needs
	Node      string    // empty for any
	Alone     bool      // without the node's own disk
	Namespace string    // created if there is none; empty for the one of the context
	Image     string    // of plinth; empty for that of Version
	Version   string
}

// Pod is the pod of a probe, and what belongs to it.
type Pod struct {
	Class cluster.StorageClass
	Claim unit.Size
	cluster.Pod

	options Options
	cluster *cluster.Cluster
	plan    manifest.Plan
	keeper  *keeper.Keeper
}

// Find checks a probe without changing anything: that the class and the node exist, that the volume can
// hold the test file, and what the API server says of every object.
func Find(ctx context.Context, c *cluster.Cluster, o Options, now time.Time) (*Pod, error) {
	p := &Pod{options: o, cluster: c, Claim: o.Claim}
	if p.Claim == 0 {
		p.Claim = Needed(o.File)
	}
	if least := least(o.File); p.Claim < least {
		return nil, hint.Errorf("use --claim "+Needed(o.File).String()+", or a smaller test file (--size)",
			"a volume of %s is too small: a test file of %s fills at most half of it, and a filesystem needs space, too", p.Claim, o.File)
	}
	var err error
	if p.Class, err = findClass(ctx, c, o.Class); err != nil {
		return nil, err
	}
	if err := checkNode(ctx, c, o.Node); err != nil {
		return nil, err
	}
	p.plan = manifest.Plan{
		Experiment: &experiment.Experiment{Kubernetes: experiment.Cluster{Namespace: o.Namespace, Image: o.Image}},
		// A part of a second keeps probes of a class apart that begin at once.
		Record: "probe-" + o.Class + "-" + now.UTC().Format("20060102T150405.000Z"), Version: o.Version,
	}
	p.keeper = keeper.New(c, p.plan)
	claim, pod := p.objects()
	return p, p.keeper.Check(ctx, claim, pod)
}

// least returns the smallest volume for a test file: a probe uses at most half of the free space, and a
// filesystem keeps some.
func least(file unit.Size) unit.Size { return 2*file + file/4 }

// Needed returns the size of a volume for a test file, in whole GiB.
func Needed(file unit.Size) unit.Size { return (least(file) + unit.GiB - 1) / unit.GiB * unit.GiB }

// findClass returns a storage class; its name alone if the account may not read the classes.
func findClass(ctx context.Context, c *cluster.Cluster, wanted string) (cluster.StorageClass, error) {
	classes, err := c.StorageClasses(ctx)
	if cluster.NotAllowed(err) {
		return cluster.StorageClass{Name: wanted}, nil
	}
	if err != nil {
		return cluster.StorageClass{}, err
	}
	var names []string
	for _, class := range classes {
		if class.Name == wanted {
			return class, nil
		}
		names = append(names, class.Name)
	}
	return cluster.StorageClass{}, hint.Errorf(hint.DidYouMean(wanted, names, "the cluster's classes: "+strings.Join(names, ", ")),
		"the cluster has no storage class %s", wanted)
}

// checkNode checks that a node exists, if the account may read the nodes.
func checkNode(ctx context.Context, c *cluster.Cluster, wanted string) error {
	if wanted == "" {
		return nil
	}
	nodes, err := c.Nodes(ctx)
	if cluster.NotAllowed(err) {
		return nil
	}
	var names []string
	for _, node := range nodes {
		names = append(names, node.Name)
	}
	if err != nil || slices.Contains(names, wanted) {
		return err
	}
	return hint.Errorf(hint.DidYouMean(wanted, names, "the cluster's nodes: "+strings.Join(names, ", ")), "the cluster has no node %s", wanted)
}

// spare is how much the pod may write to the disk of the node beside the test file.
const spare = 256 * unit.MiB

// objects returns the claim and the pod.
func (p *Pod) objects() (claim, pod manifest.Object) {
	of := manifest.Probe{Class: p.Class.Name, Claim: p.Claim, Node: p.options.Node}
	if !p.options.Alone {
		of.Beside = p.options.File + spare
	}
	return p.plan.Probe(of)
}

// Retained reports whether the volume remains when its claim is deleted.
func (p *Pod) Retained() bool { return p.Class.Reclaim == "Retain" }

// volumeWithin is how long a volume that is not made for a pod may take.
const volumeWithin = 5 * time.Minute

// Raise creates the claim and the pod, and waits until the pod runs. It reports what it creates.
func (p *Pod) Raise(ctx context.Context, report func(what string)) error {
	report("the keeper of its objects")
	if err := p.keeper.Begin(ctx, false); err != nil {
		return err
	}
	report("the volume")
	claim, pod := p.objects()
	if err := p.keeper.Create(ctx, claim); err != nil {
		return err
	}
	// A pod whose volume is not there yet looks like one that no node takes. A class that waits for the pod
	// makes the volume once a node is chosen.
	if p.Class.Binding == "Immediate" {
		if err := p.cluster.Wait(ctx, cluster.RefOf(claim), cluster.Ready, volumeWithin); err != nil {
			return err
		}
	}
	report("the pod")
	if err := p.keeper.Create(ctx, pod); err != nil {
		return err
	}
	if err := p.keeper.Await(ctx, cluster.RefOf(pod)); err != nil {
		return p.advise(err)
	}
	found, err := p.cluster.Pods(ctx, p.plan.ProbePods())
	if err == nil && len(found) == 0 {
		err = errors.New("the pod of the probe is gone")
	}
	if err == nil {
		p.Pod = found[0]
	}
	return err
}

// advise replaces the hint for a pod of an experiment that no node takes.
func (p *Pod) advise(err error) error {
	if pod := new(cluster.PodError); !errors.As(err, &pod) || pod.Reason != "Unschedulable" {
		return err
	}
	needs := "half a CPU and 256 MiB of memory"
	if !p.options.Alone {
		needs = fmt.Sprintf("half a CPU, 256 MiB of memory and %s of its disk", p.options.File+spare)
	}
	return hint.Wrap(err, "the pod needs a node with "+needs+": free one, choose one with --node, or leave its disk out with --beside none")
}

// endedWithin is how long the cluster may take to tell why a pod has ended, after its processes have.
const endedWithin = 10 * time.Second

// Ended returns what has happened to the pod after the connection to it was lost: seen, unless the
// cluster knows more.
func (p *Pod) Ended(ctx context.Context, seen error) error {
	if pod := new(cluster.PodError); errors.As(seen, &pod) {
		return pod
	}
	ctx, cancel := context.WithTimeout(ctx, endedWithin)
	defer cancel()
	every := time.NewTicker(time.Second)
	defer every.Stop()
	for {
		err := p.cluster.Trouble(ctx, cluster.Ref{Kind: "Pod", Name: p.Name}, nil)
		switch {
		case errors.As(err, new(*cluster.PodError)):
			return err
		case cluster.IsGone(err):
			return &cluster.PodError{Pod: p.Name, Reason: "Deleted", Text: "it was deleted"}
		}
		select {
		case <-every.C:
		case <-ctx.Done():
			return seen
		}
	}
}

// Keeper returns the owner of the pod.
func (p *Pod) Keeper() *keeper.Keeper { return p.keeper }

// Volume returns the name of the volume; "" if it is not known.
func (p *Pod) Volume(ctx context.Context) string {
	claim, _ := p.objects()
	stored, err := p.cluster.Get(ctx, cluster.RefOf(claim))
	if err != nil || stored == nil {
		return ""
	}
	spec, _ := stored["spec"].(manifest.Object)
	name, _ := spec["volumeName"].(string)
	return name
}

// Delete deletes everything, and waits until it is gone.
func (p *Pod) Delete(ctx context.Context) error { return p.keeper.Delete(ctx) }

package probing

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"plinth/internal/cli/base"
	"plinth/internal/cli/elsewhere"
	"plinth/internal/device"
	"plinth/internal/hint"
	"plinth/internal/kube/cluster"
	"plinth/internal/kube/manifest"
	"plinth/internal/kube/probepod"
	"plinth/internal/probe"
	"plinth/internal/report/disk"
	"plinth/internal/runner"
	"plinth/internal/runner/agent"
	"plinth/internal/runner/pods"
	"plinth/internal/unit"
)

// classFlags say which storage class to probe, and where, unparsed.
type classFlags struct {
	elsewhere.ClusterFlags
	kubernetes, image, claim, node string
}

func (c *classFlags) register(f *pflag.FlagSet) {
	f.StringVar(&c.kubernetes, "kubernetes", "", "probe a volume of a storage class of a Kubernetes cluster: `storageClass/NAME`")
	c.Register(f, ", which is created if there is none")
	f.StringVar(&c.image, "image", "", "with --kubernetes: `NAME` of plinth's image (default: localhost/plinth of this version)")
	f.StringVar(&c.claim, "claim", "", "with --kubernetes: `SIZE` of the volume (default: what the test file needs)")
	f.StringVar(&c.node, "node", "", "with --kubernetes: `NAME` of the node (default: any)")
}

// onlyClasses are the flags that need --kubernetes, and neverClasses those that it excludes.
var (
	onlyClasses  = []string{"context", "namespace", "image", "claim", "node"}
	neverClasses = []string{"local", "erase", "memory"}
)

// check returns an error if flags and arguments do not go together.
func (c *classFlags) check(flags *pflag.FlagSet, args []string) error {
	if c.kubernetes == "" {
		for _, name := range onlyClasses {
			if flags.Changed(name) {
				return hint.Errorf("add --kubernetes storageClass/NAME", "--%s requires --kubernetes", name)
			}
		}
		return nil
	}
	for _, name := range neverClasses {
		if flags.Changed(name) {
			return hint.Errorf("leave one of them out", "--%s and --kubernetes cannot be used together", name)
		}
	}
	if len(args) > 0 {
		return hint.Errorf("leave one of them out", "%s and --kubernetes cannot be used together", args[0])
	}
	return nil
}

// class returns the name of the storage class.
func (c *classFlags) class() (string, error) {
	kind, name, _ := strings.Cut(c.kubernetes, "/")
	if !strings.EqualFold(kind, "storageClass") && kind != "sc" || name == "" {
		return "", hint.Errorf("write --kubernetes storageClass/NAME; kubectl get storageclass lists them", "--kubernetes: cannot probe %s", c.kubernetes)
	}
	return name, nil
}

// What --beside may be with --kubernetes.
const (
	besideNode = "node"
	besideNone = "none"
)

// podOptions returns what the pod of a probe needs.
func (f probeFlags) podOptions(version string) (o probepod.Options, err error) {
	o = probepod.Options{Node: f.class.node, Namespace: f.class.Namespace, Image: f.class.image, Version: version, Alone: f.beside == besideNone}
	if o.Class, err = f.class.class(); err != nil {
		return o, err
	}
	if f.beside != "" && f.beside != besideNode && f.beside != besideNone {
		return o, hint.Errorf("use --beside none to leave the node's own disk out", "--beside: with --kubernetes, it is node or none, not %s", f.beside)
	}
	if f.expect != "" {
		if _, err := device.Configure(f.expect, device.Options{}); err != nil {
			return o, hint.Wrap(fmt.Errorf("--expect: %w", err), "with --kubernetes, use a name that plinth devices lists")
		}
	}
	if f.class.claim != "" {
		if o.Claim, err = unit.ParseSize(f.class.claim); err != nil {
			return o, hint.Wrap(fmt.Errorf("--claim: %w", err), "write --claim 10GiB")
		}
	}
	of, err := f.options("")
	o.File = of.FileSize()
	return o, err
}

// podArguments returns the command line of the probe in the pod.
func (f probeFlags) podArguments(o probepod.Options) []string {
	args := []string{"probe", manifest.ProbeVolume, "--json", "--output", base.NoFile, "--name", cmp.Or(f.name, o.Class), "--size", o.File.Exact()}
	if !o.Alone {
		args = append(args, "--beside", manifest.ProbeBeside)
	}
	if f.length != "" {
		args = append(args, "--for", f.length)
	}
	if f.sustained {
		args = append(args, "--sustained")
	}
	if f.expect != "" {
		args = append(args, "--expect", f.expect)
	}
	return args
}

// stopProbingClass is the message at Ctrl-C.
const stopProbingClass = "the pod and its volume are deleted"

// probeClass probes a storage class from a pod, and deletes the pod and its volume.
func (a *app) probeClass(ctx context.Context, f probeFlags) error {
	options, err := f.podOptions(a.Version)
	if err != nil {
		return base.Usage(err)
	}
	a.OnStop(stopProbingClass)
	c, err := f.class.Open(ctx)
	if err != nil {
		return base.Usage(err)
	}
	pod, err := probepod.Find(ctx, c, options, time.Now())
	if err != nil {
		return base.Usage(base.Ended(ctx, err))
	}
	view := a.View(false)
	defer view.End()
	if pod.Retained() {
		view.Say(fmt.Sprintf("the storage class %s retains volumes: that of this probe remains", pod.Class.Name))
	}
	err = a.probeIn(ctx, c, pod, f, f.podArguments(options), view)
	return a.deletePod(ctx, pod, view, base.Ended(ctx, err))
}

// probeIn makes the pod, and probes in it. The result is complete before the pod is deleted.
func (a *app) probeIn(ctx context.Context, c *cluster.Cluster, pod *probepod.Pod, f probeFlags, args []string, view *base.View) error {
	if err := pod.Raise(ctx, func(what string) { view.Status(runner.Status{Step: "creating", Detail: what}) }); err != nil {
		return err
	}
	view.Say("probing in the pod " + pod.Name + " on the node " + pod.Node)
	result, err := a.probeThere(ctx, pod, args, view)
	if err != nil {
		return err
	}
	result.Place(probe.Kubernetes{
		Cluster: c.Name, Version: c.Version, Namespace: c.Namespace, Node: pod.Node, Image: pod.Image,
		Class: pod.Class.Name, Provisioner: pod.Class.Provisioner, Parameters: pod.Class.Parameters, Options: pod.Class.Options, Claim: pod.Claim,
	})
	view.End()
	if f.asJSON {
		err = a.WriteJSON(result)
	} else {
		_, err = io.WriteString(a.Stdout, disk.Probe(result).Text(a.Width()))
	}
	if err != nil {
		return err
	}
	return a.WriteDevice(result.Device, f.output)
}

// probeThere runs the probe in the pod. What it says is shown here.
func (a *app) probeThere(ctx context.Context, pod *probepod.Pod, args []string, view *base.View) (*probe.Result, error) {
	client, err := pods.Enter(ctx, pod.Keeper(), pod.Name, agent.Options{Name: "the pod " + pod.Name, Version: a.Version}, view.Say)
	if err != nil {
		return nil, err
	}
	defer func() { _ = client.Disconnect() }() // its pod is deleted next
	var out bytes.Buffer
	code, err := client.Command(ctx, nil, args, &out, a.Stderr)
	if errors.As(err, new(*agent.LostError)) {
		return nil, pod.Ended(ctx, err)
	}
	if err == nil && code != base.ExitDone {
		err = &base.ThereError{Code: code}
	}
	if err != nil {
		return nil, err
	}
	var result probe.Result
	if err := json.Unmarshal(out.Bytes(), &result); err != nil {
		return nil, fmt.Errorf("cannot read the result of the probe: %w", err)
	}
	return &result, nil
}

// deletePod deletes the pod and its volume on all paths. failed is why the probe has failed, or nil.
func (a *app) deletePod(ctx context.Context, pod *probepod.Pod, view *base.View, failed error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), elsewhere.DeleteWithin)
	defer cancel()
	volume := ""
	if pod.Retained() {
		volume = pod.Volume(ctx)
	}
	err := pod.Delete(ctx)
	if volume != "" {
		view.Say("the volume " + volume + " remains: kubectl delete persistentvolume " + volume + " deletes it, and what it leaves in the storage has to be deleted there")
	}
	switch line := cluster.Stays(err); {
	case line != "":
		view.Say(line)
	case err != nil:
		return errors.Join(failed, &runner.PutBackError{Err: err})
	}
	return failed
}

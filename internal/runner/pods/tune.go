package pods

import (
	"context"
	"fmt"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/host"
	"plinth/internal/knob"
	"plinth/internal/kube/cluster"
	"plinth/internal/record"
	"plinth/internal/runner/tuning"
	"plinth/internal/unit"
)

// tune resolves the tuning of the environments: it becomes the settings of the servers, and the resources
// of their pods.
func (s *Site) tune(ctx context.Context) error {
	lacking := map[string]string{}
	if s.experiment.TunesPods() {
		var err error
		if lacking, err = s.lacking(ctx); err != nil {
			return err
		}
	}
	t, err := tuning.Pods(s.experiment, lacking)
	if err == nil {
		s.tuning, s.experiment = t, t.Experiment
	}
	return err
}

// mostKubelets is how many kubelets are asked for their policies.
const mostKubelets = 50

// lacking returns why no node can do what a knob asks for. An account that may not read the nodes learns it
// from the pods.
func (s *Site) lacking(ctx context.Context) (map[string]string, error) {
	nodes, err := s.cluster.Nodes(ctx)
	switch {
	case cluster.NotAllowed(err):
		return nil, nil
	case err != nil:
		return nil, err
	}
	nodes = usable(nodes)
	huge, pinning := false, len(nodes) > mostKubelets
	for _, n := range nodes[:min(len(nodes), mostKubelets)] {
		huge = huge || n.HugePages["2Mi"] > 0
		if !pinning {
			policies, err := s.cluster.Policies(ctx, n.Name)
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			pinning = err != nil || policies.CPUManager == static // unknown: the pod shows it
		}
	}
	lacking := map[string]string{}
	if !huge && len(nodes) <= mostKubelets {
		lacking[tuning.PodHugePages] = "no node of the cluster has huge pages of 2 MiB"
	}
	if !pinning {
		lacking[tuning.PodCPUs] = "no node of the cluster has the static CPU manager"
	}
	return lacking, nil
}

// static is the policy of a kubelet's CPU manager that gives pods CPUs of their own.
const static = "static"

// programs are the names of the processes of a server.
func (s *Site) programs() []string {
	if s.experiment.Engine == experiment.EngineRedis {
		return []string{"redis-server", "valkey-server"}
	}
	return []string{"postgres"}
}

// verify adds to the description of a server what its pod has on its node, and the tuning as it is in force.
func (s *Site) verify(ctx context.Context, env experiment.Environment, e record.Environment) (record.Environment, error) {
	k := e.Kubernetes
	if policies, err := s.cluster.Policies(ctx, k.Node); err == nil { // otherwise it may not be read
		k.CPUManager, k.TopologyManager, k.MemoryManager = policies.CPUManager, policies.TopologyManager, policies.MemoryManager
	}
	e.Tuning = s.tuning.Recorded(env.Name, nil, nil)
	var unseen error
	if k.Reader == "privileged" {
		k.Granted, unseen = s.granted(ctx, env, wants(e.Tuning, tuning.PodCPUs, tuning.Exclusive))
		if ctx.Err() != nil {
			return e, context.Cause(ctx)
		}
	}
	if e.Tuning == nil {
		return e, nil
	}
	for i := range e.Tuning.Knobs {
		if one := &e.Tuning.Knobs[i]; one.Layer == string(knob.Pod) && one.NotApplicable == "" {
			if note := found(one, e, unseen); note != nil {
				e.Warnings = append(e.Warnings, *note)
			}
		}
	}
	return e, nil
}

// wants reports whether a tuning has a value.
func wants(t *record.Tuning, key, value string) bool {
	if t == nil {
		return false
	}
	for _, k := range t.Knobs {
		if k.Key == key && k.Value == value && k.NotApplicable == "" {
			return true
		}
	}
	return false
}

// reconciledWithin is how long a kubelet may take until it has moved the other pods away from CPUs that it
// has given to one: it does so every 10 s, unless configured otherwise.
const reconciledWithin = time.Minute

// granted returns what the pod of a server has on its node. If its CPUs should be exclusive, it waits until
// no other pod may run on them any more.
func (s *Site) granted(ctx context.Context, env experiment.Environment, exclusive bool) (*record.Granted, error) {
	reader := s.reader(env.Name)
	if reader == nil {
		return nil, errGone
	}
	for end := time.Now().Add(reconciledWithin); ; {
		v, err := reader.ViewPod(ctx, s.placed[env.Name].pod.UID, s.programs())
		if err != nil {
			return nil, err
		}
		if v.Others == 0 || !exclusive || time.Now().After(end) || host.Sleep(ctx, time.Second) != nil {
			return &record.Granted{CPUs: v.CPUs, Others: v.Others, Nodes: v.Nodes, HugePages: v.HugePages, Memory: v.Memory}, nil
		}
	}
}

// found sets the value of a pod's knob to the one that is in force. It returns a warning if that is another
// one, or unknown.
func found(k *record.Knob, e record.Environment, unseen error) *record.Note {
	wanted, g := k.Value, e.Kubernetes.Granted
	var in, why, advice string
	switch {
	case k.Key == tuning.PodQoS:
		in, why = e.Kubernetes.QoS, "the API server says so"
		advice = "kubectl get pod " + e.Kubernetes.Pod + " --output yaml shows the resources of all of its containers"
	case g == nil:
		return unverified(k, e.Kubernetes.Namespace, unseen)
	case k.Key == tuning.PodCPUs:
		in, why, advice = cpus(e.Kubernetes)
	case k.Key == tuning.PodHugePages:
		in, why, advice = hugePages(g, e.Dataset.SharedBuffers)
	}
	if in == wanted {
		return nil
	}
	k.Value = in
	return &record.Note{
		Rule: "tuning-not-in-force", Text: fmt.Sprintf("%s is %s, not %s: %s", k.Key, in, wanted, why), Hint: advice,
	}
}

// unverified returns the warning about a knob whose value in force is not known.
func unverified(k *record.Knob, namespace string, unseen error) *record.Note {
	why := "the pod that reads the server's node is not privileged"
	if unseen != nil {
		why = unseen.Error()
	}
	return &record.Note{
		Rule: "tuning-not-verified", Text: fmt.Sprintf("whether %s is %s is not verified: %s", k.Key, k.Value, why),
		Hint: "allow privileged pods: kubectl label namespace " + namespace + " --overwrite pod-security.kubernetes.io/enforce=privileged",
	}
}

// cpus returns whether the CPUs of a server's pod are exclusive.
func cpus(k *record.Kubernetes) (in, why, advice string) {
	if k.Granted.Others == 0 {
		return tuning.Exclusive, fmt.Sprintf("no other pod may run on CPUs %s", k.Granted.CPUs), ""
	}
	why = fmt.Sprintf("%s of the node may run on CPUs %s", unit.Count(k.Granted.Others, "other pod"), k.Granted.CPUs)
	if k.CPUManager != "" && k.CPUManager != static {
		why += fmt.Sprintf("; the CPU manager of %s is %q", k.Node, k.CPUManager)
	}
	return tuning.Shared, why, "set cpuManagerPolicy: static in the configuration of the node's kubelet; plinth inspect --kubernetes shows the policies of all nodes"
}

// hugePages returns whether a server has its shared memory in huge pages.
func hugePages(g *record.Granted, sharedBuffers int64) (in, why, advice string) {
	if g.HugePages > 0 && g.HugePages >= sharedBuffers {
		return "on", fmt.Sprintf("%s are mapped in huge pages", unit.Size(g.HugePages)), ""
	}
	return "off", fmt.Sprintf("%s of %s of shared_buffers are mapped in huge pages", unit.Size(g.HugePages), unit.Size(sharedBuffers)),
		"set huge_pages: on, so that the server does not start without enough of them"
}

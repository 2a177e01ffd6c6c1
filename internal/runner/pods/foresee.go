package pods

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/kube/cluster"
	"plinth/internal/kube/keeper"
	"plinth/internal/kube/manifest"
	"plinth/internal/runner/engines"
	"plinth/internal/runner/hosttuning"
	"plinth/internal/runner/preview"
	"plinth/internal/runner/site"
	"plinth/internal/tune"
	"plinth/internal/unit"
)

// Foresee checks the environments on Kubernetes: storage classes, existing servers, and what the API
// server says of every object that will be created. It changes nothing.
func (s *Site) Foresee(ctx context.Context, p site.Plan) (site.Foreseen, error) {
	s.experiment = p.Experiment
	foreseen := site.Foreseen{Experiment: p.Experiment}
	leftOut, err := s.leaveOut(ctx, p.Resumed)
	if err != nil {
		return foreseen, err
	}
	if err := s.tune(ctx); err != nil {
		return foreseen, err
	}
	leftOut = append(leftOut, s.tuning.LeftOut...)
	foreseen.Experiment = s.experiment
	if foreseen.Preview, err = preview.New(s.experiment, hosttuning.New(tune.Kernel{}, nil), false); err != nil {
		return foreseen, err
	}
	foreseen.Preview.LeftOut, foreseen.Preview.Tuned = leftOut, s.tuning.Foreseen(nil)
	if err := s.checkSizes(foreseen.Preview.Needs); err != nil {
		return foreseen, err
	}
	small, err := s.checkHugePages()
	if err != nil {
		return foreseen, err
	}
	foreseen.Preview.Warnings = slices.Concat(foreseen.Preview.Warnings, small, s.checkLimits())
	retained, err := s.checkClasses(ctx)
	if err != nil {
		return foreseen, err
	}
	foreseen.Preview.Warnings = append(foreseen.Preview.Warnings, retained...)
	for _, env := range s.experiment.Environments {
		if err := s.checkExisting(ctx, env); err != nil {
			return foreseen, named(env, err)
		}
	}
	if err := s.checkRights(ctx); err != nil {
		return foreseen, err
	}
	if err := s.checkNodes(ctx); err != nil {
		return foreseen, err
	}
	return foreseen, s.checkObjects(ctx)
}

// checkSizes checks that the volumes can hold the datasets.
func (s *Site) checkSizes(needs []preview.EnvironmentNeeds) error {
	for i, env := range s.experiment.Environments {
		for _, part := range env.Storage.Parts() {
			need := unit.Size(needs[i].Volumes[engines.RoleOf(part)])
			if size := part.Volume.Size; part.Volume.Class != "" && size < need {
				return named(env, hint.Errorf("give it "+need.String()+" or more, or load a smaller dataset (dataset: {scale: ...})",
					"the %s volume has %s, and its content needs %s", part.Role, size, need))
			}
		}
	}
	return nil
}

// checkHugePages checks that the huge pages of a pod can hold the server's shared memory. A server with
// huge_pages: on would not start; one with huge_pages: try would use none of them.
func (s *Site) checkHugePages() (warnings []experiment.Warning, err error) {
	for _, env := range s.experiment.Environments {
		needs, err := engines.NeedsOf(s.experiment, env) // the preview's are those of this machine
		if err != nil {
			return nil, named(env, err)
		}
		given, need := env.Limits.HugePages, unit.Size(needs.SharedMemory)
		if given == 0 || need <= given {
			continue
		}
		text := fmt.Sprintf("limits.huge_pages gives the pod %s, and the server's shared memory needs about %s", given, need)
		const advice = "raise limits.huge_pages, or lower shared_buffers"
		switch s.experiment.SettingsOf(env)["huge_pages"] {
		case "on":
			return nil, named(env, hint.Errorf(advice, "%s", text))
		case "off":
		default:
			warnings = append(warnings, experiment.Warning{Rule: "huge-pages-too-few", Text: fmt.Sprintf("environment %s: %s: it will use none of them", env.Name, text), Hint: advice})
		}
	}
	return warnings, nil
}

// checkLimits warns about servers without limits: Kubernetes gives their pods the class that is served last.
func (s *Site) checkLimits() []experiment.Warning {
	var without []string
	for _, env := range s.experiment.Environments {
		if l := env.Limits; !env.Existing() && l.CPUs == 0 && l.CPUQuota == 0 && l.Memory == 0 {
			without = append(without, env.Name)
		}
	}
	if len(without) == 0 {
		return nil
	}
	return []experiment.Warning{{Rule: "best-effort",
		Text: "without limits, the QoS class of a pod is BestEffort: all other pods get CPU time before it, " +
			"and it is the first to be evicted; this concerns " + strings.Join(without, ", "),
		Hint: "set limits, such as {cpus: 2, memory: 8GiB}"}}
}

// checkClasses checks that the storage classes exist. It warns about those whose volumes remain when
// their claims are deleted.
func (s *Site) checkClasses(ctx context.Context) (warnings []experiment.Warning, err error) {
	classes, err := s.cluster.StorageClasses(ctx)
	if cluster.NotAllowed(err) {
		return nil, nil // a claim that stays pending says it
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, class := range classes {
		names = append(names, class.Name)
	}
	for _, env := range s.experiment.Environments {
		for _, part := range env.Storage.Parts() {
			wanted := part.Volume.Class
			i := slices.Index(names, wanted)
			switch {
			case wanted == "":
			case i < 0:
				return nil, named(env, hint.Errorf(hint.DidYouMean(wanted, names, "the cluster's classes: "+strings.Join(names, ", ")),
					"the cluster has no storage class %s", wanted))
			case classes[i].Reclaim == "Retain":
				warnings = append(warnings, experiment.Warning{Rule: "volume-retained",
					Text: fmt.Sprintf("environment %s: the %s volume remains after the experiment, because the storage class %s retains volumes", env.Name, part.Role, wanted),
					Hint: "delete it afterwards: kubectl get persistentvolume; or use a class with reclaimPolicy: Delete"})
			}
		}
	}
	return warnings, nil
}

// checkObjects has the API server check all objects as if they were created.
func (s *Site) checkObjects(ctx context.Context) error {
	plan := s.planOf(s.experiment.Name)
	objects := []manifest.Object{plan.Load()}
	for _, env := range s.experiment.Environments {
		server, err := plan.Server(env)
		if err != nil {
			return named(env, err)
		}
		objects = append(objects, server...)
	}
	k := keeper.New(s.cluster, plan)
	if err := k.Check(ctx, objects...); err != nil {
		return err
	}
	if fault := s.faultPod(); fault != nil {
		if err := k.Check(ctx, fault); err != nil {
			return hint.Wrap(err, "fault: kill needs a privileged pod on the server's node; fault: delete-pod does not")
		}
	}
	return nil
}

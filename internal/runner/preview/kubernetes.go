package preview

import (
	"slices"
	"strings"

	"plinth/internal/engine/life"
	"plinth/internal/experiment"
	"plinth/internal/kube/manifest"
	"plinth/internal/runner/tuning"
)

// objects returns the objects of the environments on Kubernetes as YAML, in lines that kubectl apply
// accepts. The passwords in it are new each time.
func objects(e *experiment.Experiment, version string) ([]string, error) {
	pods := *e
	pods.Environments = e.OnKubernetes()
	tuned, err := tuning.Pods(&pods, nil) // as on nodes that can do all of it
	if err != nil {
		return nil, err
	}
	plan := manifest.Plan{Experiment: tuned.Experiment, Record: e.Name, Version: version, Password: life.NewPassword}
	lines := []string{"# an outline of what plinth does itself: review it, and pass it to kubectl apply -f -"}
	if context := e.Kubernetes.Context; context != "" {
		lines = append(lines, "# in the context "+context)
	}
	add := func(comment string, objects ...manifest.Object) error {
		text, err := manifest.YAML(objects...)
		lines = append(lines, "", "# "+comment)
		if len(text) > 0 {
			lines = append(lines, strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")...)
		}
		return err
	}
	if namespace := e.Kubernetes.Namespace; namespace != "" {
		lines = append(lines, "# first, unless the namespace exists: kubectl create namespace "+namespace)
		if err := add("what plinth may do in the namespace, for a plinth that runs in a pod there", plan.Access()...); err != nil {
			return nil, err
		}
	}
	if err := add("the keeper: plinth makes it the owner of everything below, which is deleted with it if plinth is killed", plan.Keeper()); err != nil {
		return nil, err
	}
	for _, environment := range tuned.Experiment.Environments {
		server, err := plan.Server(environment)
		if err != nil {
			return nil, err
		}
		comment := environment.Name + ": the server"
		if environment.Existing() {
			comment = environment.Name + ": an existing server, " + environment.Kubernetes.Existing
		}
		if err := add(comment, server...); err != nil {
			return nil, err
		}
	}
	if err := add("the load generators", plan.Load()); err != nil {
		return nil, err
	}
	rest, err := commented(e)
	return append(lines, rest...), err
}

// commented returns the commands of the environments on machines as comments.
func commented(e *experiment.Experiment) ([]string, error) {
	machines := slices.DeleteFunc(slices.Clone(e.Environments), func(env experiment.Environment) bool { return env.Kubernetes.There() })
	if len(machines) == 0 {
		return nil, nil
	}
	commands, err := shellCommands(e, machines)
	lines := []string{"", "# the commands for the environments on machines"}
	for _, command := range commands {
		lines = append(lines, strings.TrimSpace("# "+command))
	}
	return lines, err
}

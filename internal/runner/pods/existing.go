package pods

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/kube/cluster"
	"plinth/internal/kube/manifest"
)

// checkExisting checks that an existing server of the cluster is there, and what is needed to reach it.
func (s *Site) checkExisting(ctx context.Context, env experiment.Environment) error {
	if !env.Existing() {
		return nil
	}
	plan := s.planOf(s.experiment.Name)
	kind, name := plan.Main(env)
	found, err := s.cluster.Get(ctx, cluster.Ref{Kind: kind, Name: name})
	if err == nil && found == nil {
		err = hint.Errorf("kubectl get "+strings.ToLower(kind)+" --namespace "+s.cluster.Namespace+" lists them",
			"there is no %s %s in the namespace %s", kind, name, s.cluster.Namespace)
	}
	if err != nil {
		return err
	}
	to, err := s.endpoint(ctx, plan, env)
	if err == nil {
		_, _, err = s.credentials(ctx, to, kind)
	}
	return err
}

// endpoint returns how the server of an environment is reached: by the port of an existing Service, if it is
// one, and with the Secret that an existing Cluster names, if it does.
func (s *Site) endpoint(ctx context.Context, plan manifest.Plan, env experiment.Environment) (manifest.Endpoint, error) {
	to := plan.Endpoint(env)
	kind, name := plan.Main(env)
	if kind == "Cluster" && env.Existing() {
		found, err := s.cluster.Get(ctx, cluster.Ref{Kind: kind, Name: name})
		to.Secret = cmp.Or(superuserSecret(found), to.Secret)
		return to, err
	}
	if kind != "Service" {
		return to, nil
	}
	ports, err := s.cluster.Ports(ctx, name)
	if err == nil {
		to.Port, err = choosePort(ports, to.Port, s.experiment.Engine)
	}
	return to, err
}

// superuserSecret returns the name of the Secret that a Cluster has for postgres in place of the operator's.
func superuserSecret(of cluster.Object) string {
	spec, _ := of["spec"].(cluster.Object)
	secret, _ := spec["superuserSecret"].(cluster.Object)
	name, _ := secret["name"].(string)
	return name
}

// choosePort returns the port of a Service that leads to the server: its only one, the usual one of the
// server, or else the one with the server's name. A Service without ports has the usual one.
func choosePort(ports []cluster.Port, usual int64, engine string) (int64, error) {
	switch {
	case len(ports) == 0, slices.ContainsFunc(ports, func(p cluster.Port) bool { return p.Number == usual }):
		return usual, nil
	case len(ports) == 1:
		return ports[0].Number, nil
	}
	names := []string{"postgres", "pgsql"}
	if engine == experiment.EngineRedis {
		names = []string{"redis", "valkey"}
	}
	var all []string
	var fitting []int64
	for _, port := range ports {
		all = append(all, strings.TrimSpace(fmt.Sprintf("%s %d", port.Name, port.Number)))
		if slices.ContainsFunc(names, func(name string) bool { return strings.Contains(port.Name, name) }) {
			fitting = append(fitting, port.Number)
		}
	}
	if len(fitting) == 1 {
		return fitting[0], nil
	}
	return 0, hint.Errorf(fmt.Sprintf("create a Service whose only port is that of the server, or name one of its ports %s", names[0]),
		"the Service has several ports, and plinth cannot know which of them is the server's: %s", strings.Join(all, ", "))
}

// credentials returns the user of a server and its password, which may be empty.
func (s *Site) credentials(ctx context.Context, to manifest.Endpoint, kind string) (user, password string, err error) {
	if to.Secret == "" {
		return to.User, "", nil
	}
	secret, err := s.cluster.Secret(ctx, to.Secret)
	if err != nil {
		return "", "", err
	}
	password = secret[to.PasswordKey]
	if password == "" {
		advice := "for a Cluster of CloudNativePG: enableSuperuserAccess: true"
		if kind == "Service" {
			advice = "kubernetes: {secret: NAME} names a Secret with the keys username and password; leave it out for a server that asks for no password"
		}
		return "", "", hint.Errorf(advice, "there is no Secret %s with the password of the server in its key %s", to.Secret, to.PasswordKey)
	}
	user = to.User
	if given := secret[to.UserKey]; to.UserKey != "" && given != "" {
		user = given
	}
	return user, password, nil
}

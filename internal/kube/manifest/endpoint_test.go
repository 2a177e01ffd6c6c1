package manifest

import (
	"reflect"
	"testing"

	"plinth/internal/experiment"
)

func TestEndpoint(t *testing.T) {
	postgres, redis := &experiment.Experiment{Engine: experiment.EnginePostgres}, &experiment.Experiment{Engine: experiment.EngineRedis}
	for _, c := range []struct {
		experiment *experiment.Experiment
		kubernetes experiment.Kubernetes
		want       Endpoint
		kind, name string
		pods       map[string]string
	}{
		{postgres, experiment.Kubernetes{Operator: experiment.OperatorCNPG},
			Endpoint{"plinth-a51146d3-server-db-rw", 5432, "postgres", "plinth-a51146d3-server-db-superuser", "username", "password"},
			"Cluster", "plinth-a51146d3-server-db", map[string]string{"cnpg.io/cluster": "plinth-a51146d3-server-db", "cnpg.io/instanceRole": "primary"}},
		{postgres, experiment.Kubernetes{Existing: "cluster/orders"},
			Endpoint{"orders-rw", 5432, "postgres", "orders-superuser", "username", "password"},
			"Cluster", "orders", map[string]string{"cnpg.io/cluster": "orders", "cnpg.io/instanceRole": "primary"}},
		{postgres, experiment.Kubernetes{Operator: experiment.OperatorNone},
			Endpoint{"plinth-a51146d3-server-db", 5432, "postgres", "plinth-a51146d3-server-db", "", "password"},
			"StatefulSet", "plinth-a51146d3-server-db", map[string]string{LabelRecord: "lab", LabelEnvironment: "db", LabelRole: "server"}},
		{redis, experiment.Kubernetes{Operator: experiment.OperatorNone},
			Endpoint{"plinth-a51146d3-server-db", 6379, "default", "plinth-a51146d3-server-db", "", "password"},
			"StatefulSet", "plinth-a51146d3-server-db", map[string]string{LabelRecord: "lab", LabelEnvironment: "db", LabelRole: "server"}},
		{redis, experiment.Kubernetes{Existing: "service/cache", Secret: "users"}, Endpoint{"cache", 6379, "default", "users", "username", "password"}, "Service", "cache", nil},
		{redis, experiment.Kubernetes{Existing: "service/cache"}, Endpoint{"cache", 6379, "default", "", "", "password"}, "Service", "cache", nil},
	} {
		p, env := Plan{Experiment: c.experiment, Record: "lab"}, experiment.Environment{Name: "db", Kubernetes: c.kubernetes}
		if got := p.Endpoint(env); got != c.want {
			t.Errorf("%+v: %+v, want %+v", c.kubernetes, got, c.want)
		}
		if kind, main := p.Main(env); kind != c.kind || main != c.name {
			t.Errorf("%+v: %s %s", c.kubernetes, kind, main)
		}
		if got := p.Pods(env); !reflect.DeepEqual(got, c.pods) {
			t.Errorf("%+v: %v, want %v", c.kubernetes, got, c.pods)
		}
	}
}

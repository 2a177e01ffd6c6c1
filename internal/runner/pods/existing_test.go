package pods

import (
	"strings"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/kube/cluster"
	"plinth/internal/kube/clustertest"
)

func TestChoosePort(t *testing.T) {
	for _, tc := range []struct {
		engine string
		ports  []cluster.Port
		want   int64 // 0: it is not known
	}{
		{experiment.EnginePostgres, nil, 5432},
		{experiment.EnginePostgres, []cluster.Port{{Name: "x", Number: 6543}}, 6543},
		{experiment.EnginePostgres, []cluster.Port{{Name: "metrics", Number: 9187}, {Name: "x", Number: 5432}}, 5432},
		{experiment.EnginePostgres, []cluster.Port{{Name: "metrics", Number: 9187}, {Name: "tcp-postgresql", Number: 6543}}, 6543},
		{experiment.EnginePostgres, []cluster.Port{{Name: "metrics", Number: 9187}, {Name: "sql", Number: 6543}}, 0},
		{experiment.EngineRedis, []cluster.Port{{Name: "redis", Number: 6380}, {Name: "valkey", Number: 6381}}, 0},
		{experiment.EngineRedis, []cluster.Port{{Name: "tcp-redis", Number: 6380}, {Name: "sentinel", Number: 26379}}, 6380},
	} {
		usual := map[string]int64{experiment.EnginePostgres: 5432, experiment.EngineRedis: 6379}[tc.engine]
		got, err := choosePort(tc.ports, usual, tc.engine)
		if got != tc.want || (err != nil) != (tc.want == 0) {
			t.Errorf("%s %v: %d, %v", tc.engine, tc.ports, got, err)
		}
	}
}

// TestCheckExisting checks what is said of an existing server before anything is created.
func TestCheckExisting(t *testing.T) {
	const objects = `
{apiVersion: v1, kind: Service, metadata: {name: db, namespace: bench}, spec: {ports: [{port: 6543}]}}
---
{apiVersion: v1, kind: Service, metadata: {name: two, namespace: bench}, spec: {ports: [{name: a, port: 1}, {name: b, port: 2}]}}
---
{apiVersion: v1, kind: Secret, metadata: {name: users, namespace: bench}, data: {username: Ym9i, password: czNjcmV0}}
---
{apiVersion: v1, kind: Secret, metadata: {name: keyless, namespace: bench}, data: {pass: czNjcmV0}}
---
{apiVersion: postgresql.cnpg.io/v1, kind: Cluster, metadata: {name: orders, namespace: bench}}
---
{apiVersion: postgresql.cnpg.io/v1, kind: Cluster, metadata: {name: carts, namespace: bench}, spec: {superuserSecret: {name: users}}}
---
{apiVersion: postgresql.cnpg.io/v1, kind: Cluster, metadata: {name: stock, namespace: bench}, spec: {superuserSecret: {name: none}}}
`
	for _, tc := range []struct {
		kubernetes    experiment.Kubernetes
		words, advice string
	}{
		{experiment.Kubernetes{Existing: "service/db"}, "", ""},
		{experiment.Kubernetes{Existing: "service/db", Secret: "users"}, "", ""},
		{experiment.Kubernetes{Existing: "service/none"}, "there is no Service none in the namespace bench", "kubectl get service"},
		{experiment.Kubernetes{Existing: "service/two"}, "the Service has several ports, and plinth cannot know which of them is the server's: a 1, b 2", "whose only port"},
		{experiment.Kubernetes{Existing: "service/db", Secret: "keyless"}, "there is no Secret keyless with the password of the server in its key password", "keys username and password"},
		{experiment.Kubernetes{Existing: "service/db", Secret: "none"}, "there is no Secret none", "leave it out"},
		{experiment.Kubernetes{Existing: "cluster/orders"}, "there is no Secret orders-superuser", "enableSuperuserAccess: true"},
		{experiment.Kubernetes{Existing: "cluster/carts"}, "", ""},
		{experiment.Kubernetes{Existing: "cluster/stock"}, "there is no Secret none", "enableSuperuserAccess: true"},
	} {
		s := New(clustertest.New(t, objects).Cluster, Options{})
		env := experiment.Environment{Name: "e", Kubernetes: tc.kubernetes, Disposable: true}
		s.experiment = &experiment.Experiment{Engine: experiment.EnginePostgres, Environments: []experiment.Environment{env}}
		err := s.checkExisting(t.Context(), env)
		if (err != nil) != (tc.words != "") || err != nil && (!strings.Contains(err.Error(), tc.words) || !strings.Contains(hint.Of(err), tc.advice)) {
			t.Errorf("%+v: %v, hint %s", tc.kubernetes, err, hint.Of(err))
		}
		if tc.words != "" {
			continue
		}
		s.plan = s.planOf("lab")
		reached, err := s.reached(t.Context(), env)
		want := "postgresql://postgres@db:6543/postgres"
		switch {
		case tc.kubernetes.Existing == "cluster/carts":
			want = "postgresql://bob:s3cret@carts-rw:5432/postgres"
		case tc.kubernetes.Secret != "":
			want = "postgresql://bob:s3cret@db:6543/postgres"
		}
		if err != nil || string(reached.Connect) != want {
			t.Errorf("%+v: %s, %v", tc.kubernetes, string(reached.Connect), err)
		}
	}
}

package onkube

import (
	"strings"
	"testing"

	"plinth/internal/record"
)

// TestSideBySide compares servers of CloudNativePG on two storage classes, a StatefulSet, and a server on
// this machine. Two pods drive those on Kubernetes.
func TestSideBySide(t *testing.T) {
	l := newLab(t)
	out := l.run(0, "run", l.file(short+`
repeats: 1
driver: {pods: 2}
environments:
  here: {}
  local: {kubernetes: {operator: cnpg, image: "localhost/postgresql:15"}, storage: {data: {class: local-path, size: 2GiB}, wal: {class: local-path, size: 2GiB}}}
  slow: {kubernetes: {operator: cnpg, image: "localhost/postgresql:15"}, storage: {data: {class: slow, size: 2GiB}}, settings: {shared_buffers: 64MB}}
  plain: {kubernetes: {operator: none, image: "localhost/postgresql:15"}, storage: {data: {class: local-path, size: 2GiB}}, limits: {cpu_quota: 0.5, memory: 512MiB}}
`), "--set", "threads=2")
	rec := l.record()
	if rec.Summary.State != record.Complete || len(rec.Runs) < 4 {
		t.Fatalf("%s with %d runs:\n%s", rec.Summary.State, len(rec.Runs), out)
	}
	for name, want := range map[string]record.Kubernetes{
		"local": {Operator: "cnpg", QoS: "BestEffort"}, "slow": {Operator: "cnpg", QoS: "BestEffort"}, "plain": {Operator: "none", QoS: "Guaranteed"},
	} {
		e := rec.Environments[name]
		k := e.Kubernetes
		if k == nil || k.Operator != want.Operator || k.QoS != want.QoS || k.Node != "node1" || k.Reader != "privileged" || !strings.HasPrefix(k.Pod, "plinth-") {
			t.Errorf("%s: %+v", name, k)
			continue
		}
		if wanted := map[string]int{"local": 2, "slow": 1, "plain": 1}[name]; len(k.Claims) != wanted || k.Claims[0].Provisioner != "plinth.test/directory" {
			t.Errorf("%s: %+v", name, k.Claims)
		}
	}
	if got := rec.Environments["slow"].Settings["shared_buffers"]; got != "64MB" {
		t.Errorf("shared_buffers %s", got)
	}
	for _, run := range rec.Runs {
		wanted := 2
		if run.Environment == "here" {
			wanted = 0
		}
		if run.Status != record.Failed && len(run.Generators) != wanted {
			t.Errorf("%s: %d load generators", run.RunID, len(run.Generators))
		}
	}
}

// TestRedis compares Redis servers on two storage classes.
func TestRedis(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.run(0, "run", l.file(`
engine: redis
workloads: [set]
clients: [4]
repeats: 1
duration: 2s
warmup: 0s
dataset: {keys: 1000}
settings: {appendonly: "yes", appendfsync: always}
kubernetes: {namespace: NAMESPACE, image: "localhost/plinth:test"}
environments:
  local: {kubernetes: {operator: none, image: "localhost/redis:7"}, storage: {data: {class: local-path, size: 1GiB}}}
  slow: {kubernetes: {operator: none, image: "localhost/redis:7"}, storage: {data: {class: slow, size: 1GiB}}}
`))
	if rec := l.record(); rec.Environments["slow"].Settings["appendfsync"] != "always" {
		t.Errorf("%v", rec.Environments["slow"].Settings["appendfsync"])
	}
}

// TestMistakes checks what is refused before anything is created, and what is taken back.
func TestMistakes(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for _, c := range []mistake{
		{`e: {kubernetes: {operator: none}, storage: {data: {class: local-pth, size: 2GiB}}}`,
			"environment e: the cluster has no storage class local-pth", "local-path"},
		{`e: {kubernetes: {operator: none}, storage: {data: {class: local-path, size: 100MiB}}}`, "its content needs", "give it"},
		{`e: {kubernetes: {existing: cluster/orders}, disposable: true}`, "there is no Cluster orders in the namespace", "kubectl get cluster"},
		{`e: {kubernetes: {operator: none, image: "localhost/nothing:1"}, storage: {data: {class: local-path, size: 2GiB}}}`, "ErrImageNeverPull|ErrImagePull|ImagePullBackOff", ""},
		{`e: {kubernetes: {operator: none, image: "localhost/postgresql:15"}, storage: {data: {class: local-path, size: 2GiB}}, limits: {cpu_quota: 0.1, memory: 1GiB, huge_pages: 64GiB}}`, "hugepages-2Mi", ""},
		{`e: {kubernetes: {operator: none, image: "localhost/postgresql:15"}, storage: {data: {class: local-path, size: 2GiB}}, limits: {cpu_quota: 0.1, memory: 1GiB, huge_pages: 256MiB}, settings: {shared_buffers: 320MB, huge_pages: "on"}}`,
			"limits.huge_pages gives the pod 256MiB", "raise limits.huge_pages"},
	} {
		l.refuses(c)
	}
}

// TestNoRoom asks for more CPUs than the node has: what was created by then is deleted.
func TestNoRoom(t *testing.T) {
	t.Parallel()
	newLab(t).refuses(mistake{`e: {kubernetes: {operator: none, image: "localhost/postgresql:15"}, storage: {data: {class: local-path, size: 2GiB}}, limits: {cpus: 64, memory: 1GiB}}`,
		"Insufficient cpu", ""})
}

// mistake is an environment that cannot be, with one of the words and the advice that plinth prints.
type mistake struct{ environment, words, advice string }

// refuses checks that plinth refuses a mistake, and leaves nothing behind.
func (l *lab) refuses(m mistake) {
	l.t.Helper()
	out := l.run(2, "run", l.file(short+"environments:\n  "+m.environment+"\n"))
	if !containsOne(out, m.words) || !strings.Contains(out, m.advice) {
		l.t.Errorf("%s:\n%s", m.environment, out)
	}
	if left := l.left(); left != "" {
		l.t.Errorf("%s: left %s", m.environment, left)
	}
}

func containsOne(text, words string) bool {
	for word := range strings.SplitSeq(words, "|") {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// TestExisting measures a server that exists, and leaves it as it was.
func TestExisting(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.kubectl("create", "namespace", l.namespace)
	cluster := `{"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders"},
		"spec": {"instances": 1, "imageName": "localhost/postgresql:15", "enableSuperuserAccess": true, "storage": {"storageClass": "local-path", "size": "1Gi"}}}`
	l.apply(cluster)
	l.kubectl("wait", "--for=condition=Ready", "cluster/orders", "--timeout="+patience.String())
	l.run(0, "run", l.file(short+`
repeats: 1
environments:
  theirs: {kubernetes: {existing: cluster/orders}, disposable: true}
`))
	if k := l.record().Environments["theirs"].Kubernetes; k.Operator != "existing" || k.Pod != "orders-1" {
		t.Errorf("%+v", k)
	}
	if databases := l.kubectl("exec", "orders-1", "--container", "postgres", "--", "psql", "-Atc", "SELECT datname FROM pg_database WHERE datname LIKE 'plinth%'"); databases != "" {
		t.Errorf("databases that are left: %s", databases)
	}
	// A reader whose pod is gone cannot drop its database: the next one does.
	p := l.start("run", l.file(strings.Replace(short, "duration: 2s", "duration: 5s", 1)+`
repeats: 2
environments:
  theirs: {kubernetes: {existing: cluster/orders}, disposable: true}
`), "--store", "replaced")
	p.until("run 1 of")
	l.eventually("a load is driven", func() bool { return l.driving("replaced") })
	l.kubectl("delete", "pods", "--selector", "plinth/role=reader", "--grace-period=0", "--force")
	if code, out := p.end(); code != 0 {
		t.Fatalf("exit code %d:\n%s", code, out)
	}
	if rec := l.recordIn("replaced"); count(rec, record.Failed) == 0 {
		t.Error("no run has failed")
	}
	if databases := l.kubectl("exec", "orders-1", "--container", "postgres", "--", "psql", "-Atc", "SELECT datname FROM pg_database WHERE datname LIKE 'plinth%'"); databases != "" {
		t.Errorf("databases that are left: %s", databases)
	}
	if phase := l.kubectl("get", "cluster", "orders", "--output", "jsonpath={.status.phase}"); phase != "Cluster in healthy state" {
		t.Error(phase)
	}
}

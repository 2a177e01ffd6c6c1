package onkube

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestTwoInANamespace runs two experiments in one namespace, which the first of them creates. The second one
// deletes it.
func TestTwoInANamespace(t *testing.T) {
	l := newLab(t)
	file := l.file(short + "repeats: 2\n" + twoPlain)
	first := l.start("run", file, "--store", "first", "--set", "name=first")
	first.until("run 1 of")
	second := l.start("run", file, "--store", "second", "--set", "name=second", "--set", "repeats=3")
	for _, p := range []*plinth{first, second} {
		if code, out := p.end(); code != 0 {
			t.Errorf("exit code %d:\n%s", code, out)
		}
	}
}

// TestNamespaceOfOthers: a namespace stays if something is in it that plinth does not know.
func TestNamespaceOfOthers(t *testing.T) {
	l := newLab(t)
	p := l.start("run", l.file(short+"repeats: 1\n"+twoPlain))
	p.until("run 1 of")
	l.apply(`{"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": {"name": "theirs"}, "spec": {"podSelector": {"matchLabels": {"app": "theirs"}}}}`)
	if code, out := p.end(); code != 0 || !strings.Contains(out, "the namespace "+l.namespace+" stays: plinth did not create NetworkPolicy theirs in it") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	if left := l.left(); left != "namespace/"+l.namespace {
		t.Errorf("left: %s", left)
	}
	l.kubectl("delete", "networkpolicy", "theirs")
	l.run(0, "clean", "--kubernetes", "--namespace", l.namespace, filepath.Base(l.record().Path)) // it may be a minute old
}

// TestStorageClassRemoved removes a storage class while an experiment uses it, before it is resumed, and
// while its volumes are awaited.
func TestStorageClassRemoved(t *testing.T) {
	l := newLab(t)
	class := func(provisioner string) string {
		return `{"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "doomed"}, "provisioner": "` + provisioner + `",
			"parameters": {"path": "/run/kube/disk/volumes"}, "volumeBindingMode": "WaitForFirstConsumer"}`
	}
	remove := func() { l.kubectl("delete", "storageclass", "doomed", "--ignore-not-found") }
	defer remove()
	const environment = `
environments:
  a: {kubernetes: {operator: none, image: "localhost/postgresql:15"}, storage: {data: {class: doomed, size: 2GiB}}}
`
	l.apply(class("plinth.test/directory"))
	p := l.start("run", l.file(short+"repeats: 3\n"+environment))
	p.until("run 1 of")
	remove()
	p.until("run 2 of") // its volumes are there
	p.interrupt()
	out := l.run(2, "run", "--resume", "latest")
	if !strings.Contains(out, "environment a: the cluster has no storage class doomed") || l.left() != "" {
		t.Errorf("left %s:\n%s", l.left(), out)
	}
	l.apply(class("plinth.test/directory"))
	l.run(0, "run", "--resume", "latest")

	remove()
	l.apply(class("nobody.test/nothing"))
	p = l.start("run", l.file(short+environment), "--store", "other")
	l.eventually("the volume is claimed", func() bool {
		claims, err := l.try(t.Context(), "kubectl", "--namespace", l.namespace, "get", "persistentvolumeclaims", "--output", "name")
		return err == nil && strings.Contains(claims, "persistentvolumeclaim/data-")
	})
	remove()
	if code, out := p.end(); code != 2 || !strings.Contains(out, "the volume claim data-") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}

// TestWeakAccount runs plinth with accounts that lack one right each: the error has the rule that is missing.
// Events only explain what goes wrong: an experiment needs no right to read them.
func TestWeakAccount(t *testing.T) {
	l := newLab(t)
	l.kubectl("create", "namespace", l.namespace)
	l.kubectl("create", "serviceaccount", "weak")
	l.kubectl("create", "rolebinding", "weak", "--role=weak", "--serviceaccount="+l.namespace+":weak")
	const manage = `["get","list","watch","create","patch","delete"]`
	rules := [][3]string{
		{"batch", "jobs", manage}, {"apps", "statefulsets", manage}, {"", "pods", manage}, {"", "services", manage}, {"", "secrets", manage},
		{"", "persistentvolumeclaims", `["get","list","watch","delete"]`}, {"", "events", `["get","list","watch"]`},
		{"", "pods/exec", `["get","create"]`}, {"", "pods/log", `["get"]`},
	}
	l.config = l.configOf("weak")
	file := l.file(short + "repeats: 1\n" + twoPlain)
	for _, lacks := range []string{"statefulsets", "events", "pods/exec", ""} {
		var all []string
		for _, rule := range rules {
			if rule[1] != lacks {
				all = append(all, `{"apiGroups": ["`+rule[0]+`"], "resources": ["`+rule[1]+`"], "verbs": `+rule[2]+`}`)
			}
		}
		l.apply(`{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "weak"}, "rules": [` + strings.Join(all, ",") + `]}`)
		code, out := l.start("run", file, "--store", "store-"+strings.ReplaceAll(lacks, "/", "-")).end()
		if lacks == "" || lacks == "events" {
			if code != 0 {
				t.Errorf("without %q, exit code %d:\n%s", lacks, code, out)
			}
			continue
		}
		if code != 2 || !strings.Contains(out, `resources: ["`+lacks+`"]`) || !strings.Contains(out, "give ") {
			t.Errorf("without %s, exit code %d:\n%s", lacks, code, out)
		}
		if left := l.left(); left != "" {
			t.Errorf("without %s: left %s", lacks, left)
		}
	}
}

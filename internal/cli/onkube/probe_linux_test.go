package onkube

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plinth/internal/device"
)

// probing returns the arguments of a short probe of a storage class.
func (l *lab) probing(class string, more ...string) []string {
	return append([]string{"probe", "--kubernetes", "storageClass/" + class, "--namespace", l.namespace, "--image", "localhost/plinth:test", "--size", "32MiB", "--for", "6s"}, more...)
}

// TestProbe measures a storage class beside the disk of its node, and writes its model.
func TestProbe(t *testing.T) {
	l := newLab(t)
	file := filepath.Join(l.dir, "slow.yaml")
	out := l.run(0, l.probing("slow", "--node", "node1", "--output", file)...)
	for _, want := range []string{
		"A volume of 1GiB of the storage class slow (plinth.test/directory, path=", "/plinth/volume: ext4", "Beside the node's own disk\n", "/plinth/node: ",
		"The job of fio\n", "\n[commit]\nstonewall\nrw=write\nbs=8192\n", "filename=/plinth/volume/",
	} {
		if !strings.Contains(strings.ReplaceAll(out, "(plinth.test/directory,\npath=", "(plinth.test/directory, path="), want) {
			t.Errorf("it lacks %q:\n%s", want, out)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	d, err := device.ReadFile(text)
	if err != nil || d.Name != "slow" || d.Write.Median == 0 || !strings.Contains(d.Source, "of the storage class slow (plinth.test/directory") ||
		!strings.Contains(d.Measured, ", node node1 of Kubernetes v1.") {
		t.Errorf("%v\n%s", err, text)
	}
	out = l.run(0, l.probing("local-path", "--beside", "none", "--json", "--output", "none")...)
	if !strings.Contains(out, `"class": "local-path"`) || strings.Contains(out, `"beside"`) {
		t.Errorf("alone:\n%s", out)
	}
}

// TestProbeMistakes checks what is refused before anything is created, and what is taken back.
func TestProbeMistakes(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.kubectl("create", "namespace", l.namespace)
	l.apply(fmt.Sprintf(`{"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "small", "namespace": %q}, "spec": {"hard": {"requests.storage": "2Gi"}}}`, l.namespace))
	for _, c := range []struct {
		code          int
		words, advice string
		args          []string
	}{
		{2, "the cluster has no storage class local-pth", "did you mean local-path?", l.probing("local-pth")},
		{2, "the cluster has no node node2", "did you mean node1?", l.probing("local-path", "--node", "node2")},
		{2, "a volume of 50MiB is too small", "use --claim 1GiB", l.probing("local-path", "--claim", "50MiB")},
		{2, "exceeded quota: small", "kubectl describe quota", l.probing("local-path", "--claim", "3GiB")},
		{1, "ErrImageNeverPull|ErrImagePull|ImagePullBackOff", "--image of plinth probe", l.probing("local-path", "--image", "localhost/plinth:none")},
	} {
		out := l.run(c.code, c.args...)
		if !containsOne(out, c.words) || !strings.Contains(out, c.advice) {
			t.Errorf("%v:\n%s", c.args, out)
		}
		if left := l.left(); left != "" {
			t.Errorf("%v: left %s", c.args, left)
		}
	}
}

// TestProbeEnds checks that everything is gone however a probe ends: interrupted, killed, or with its pod
// deleted.
func TestProbeEnds(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	probe := func() *plinth {
		p := l.start(append(l.probing("local-path"), "--for", "10m")...)
		p.until("slice 1 of")
		return p
	}
	p := probe()
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code, out := p.end(); code != 130 || l.left() != "" {
		t.Errorf("interrupted: exit code %d, left %s:\n%s", code, l.left(), out)
	}
	p = probe()
	l.kubectl("delete", "pods", "--selector", "plinth/role=probe", "--grace-period=0", "--force")
	if code, out := p.end(); code != 1 || !strings.Contains(out, "deleted") || l.left() != "" {
		t.Errorf("without its pod: exit code %d, left %s:\n%s", code, l.left(), out)
	}
	p = probe()
	if err := p.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.end()
	l.eventually("everything except the namespace is gone", func() bool { return !strings.Contains(l.left(), "/plinth-") })
	l.kubectl("delete", "namespace", l.namespace)
}

package onkube

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"plinth/internal/record"
)

// patience ends a test that hangs; no test depends on it otherwise.
const patience = 5 * time.Minute

// inCI lists the tests of the short form (go test -short), which CI runs: one of each kind.
var inCI = []string{"TestStorageByClass", "TestFaultKill", "TestPodsThatVanish", "TestPlinthKilled", "TestNoRoom"}

// TestShortForm checks that the tests in inCI exist.
func TestShortForm(t *testing.T) {
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	for _, name := range inCI {
		if !strings.Contains(all.String(), "\nfunc "+name+"(") {
			t.Errorf("there is no %s", name)
		}
	}
}

// lab is a namespace of the cluster, and a directory with plinth.
type lab struct {
	t         *testing.T
	namespace string
	dir       string
	config    string // a configuration of kubectl for plinth; that of the environment if empty
}

// newLab returns a lab with a namespace of its own, which plinth creates. The test fails if something of
// plinth is left in it at the end. A test that mostly waits calls t.Parallel first: others then run beside
// it. A test whose result depends on its share of the CPUs does not.
func newLab(t *testing.T) *lab {
	t.Helper()
	if os.Getenv("PLINTH_TEST_KUBE") == "" {
		t.Skip("needs a Kubernetes cluster: make test-kube")
	}
	if test, _, _ := strings.Cut(t.Name(), "/"); testing.Short() && !slices.Contains(inCI, test) {
		t.Skip("not in the short form: make test-kube")
	}
	l := &lab{t: t, namespace: strings.ToLower(strings.ReplaceAll(t.Name(), "/", "-")), dir: t.TempDir()}
	t.Cleanup(func() {
		if left := l.left(); left != "" {
			t.Errorf("left in the cluster: %s", left)
		}
		_, _ = l.try(context.Background(), "kubectl", "delete", "namespace", l.namespace, "--ignore-not-found", "--wait=false")
	})
	return l
}

// left lists the objects of plinth in the namespace, and the namespace if plinth has created it.
func (l *lab) left() string {
	out, err := l.try(context.Background(), "kubectl", "--namespace", l.namespace, "get",
		"jobs,pods,statefulsets,services,secrets,persistentvolumeclaims,clusters.postgresql.cnpg.io", "--selector", "plinth/record", "--output", "name")
	if err != nil {
		l.t.Fatal(out, err)
	}
	namespace, err := l.try(context.Background(), "kubectl", "get", "namespace", "--field-selector", "metadata.name="+l.namespace, "--selector", "plinth/record", "--output", "name")
	if err != nil {
		l.t.Fatal(namespace, err)
	}
	return strings.TrimSpace(out + namespace)
}

// try runs a program, and returns what it printed.
func (l *lab) try(ctx context.Context, name string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	return string(out), err
}

// kubectl runs kubectl in the namespace.
func (l *lab) kubectl(args ...string) string {
	l.t.Helper()
	out, err := l.try(l.t.Context(), "kubectl", append([]string{"--namespace", l.namespace}, args...)...)
	if err != nil {
		l.t.Fatalf("kubectl %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// file writes an experiment file. NAMESPACE in it is that of the lab.
func (l *lab) file(text string) string {
	l.t.Helper()
	path := filepath.Join(l.dir, "lab.yaml")
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "NAMESPACE", l.namespace)), 0o644); err != nil {
		l.t.Fatal(err)
	}
	return path
}

// short is the beginning of experiment files whose runs take seconds. Its load requests half a CPU, so that
// two experiments fit on the node.
const short = `
workloads: [simple-update]
clients: [2]
threads: [1]
duration: 2s
warmup: 0s
dataset: {scale: 1}
kubernetes: {namespace: NAMESPACE, image: "localhost/plinth:test"}
`

// plinth is a plinth that was started.
type plinth struct {
	*exec.Cmd
	l   *lab
	out *output
}

// output collects what a program prints, and can be read meanwhile.
type output struct {
	mu   sync.Mutex
	text strings.Builder
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// start starts plinth in the lab's directory.
func (l *lab) start(args ...string) *plinth {
	l.t.Helper()
	binary, err := filepath.Abs("../../../bin/plinth") // the one in the image
	if err != nil {
		l.t.Fatal(err)
	}
	p := &plinth{Cmd: exec.CommandContext(l.t.Context(), binary, args...), l: l, out: &output{}}
	p.Dir, p.Stdout, p.Stderr = l.dir, p.out, p.out
	p.Env = append(os.Environ(), "PLINTH_STATE="+filepath.Join(l.dir, "state"))
	if l.config != "" {
		p.Env = append(p.Env, "KUBECONFIG="+l.config)
	}
	if err := p.Start(); err != nil {
		l.t.Fatal(err)
	}
	return p
}

// end waits for the end of plinth, and returns its exit code and output.
func (p *plinth) end() (code int, out string) {
	p.l.t.Helper()
	var exit *exec.ExitError
	if err := p.Wait(); err != nil && !errors.As(err, &exit) {
		p.l.t.Fatal(err)
	}
	return p.ProcessState.ExitCode(), p.out.String()
}

// interrupt interrupts plinth, which must end by that.
func (p *plinth) interrupt() {
	p.l.t.Helper()
	if err := p.Process.Signal(os.Interrupt); err != nil {
		p.l.t.Fatal(err)
	}
	if code, out := p.end(); code != 130 {
		p.l.t.Errorf("exit code %d:\n%s", code, out)
	}
}

// configOf writes a configuration of kubectl for a service account, and returns its path.
func (l *lab) configOf(account string) string {
	l.t.Helper()
	path := filepath.Join(l.dir, account+".kubeconfig")
	config := l.kubectl("config", "view", "--raw", "--minify", "--flatten")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		l.t.Fatal(err)
	}
	token := strings.TrimSpace(l.kubectl("create", "token", account))
	l.kubectl("--kubeconfig", path, "config", "set-credentials", account, "--token", token)
	l.kubectl("--kubeconfig", path, "config", "set-context", "--current", "--user", account)
	return path
}

// until waits until plinth has printed a text.
func (p *plinth) until(text string) {
	p.l.t.Helper()
	p.l.eventually(fmt.Sprintf("plinth prints %q", text), func() bool { return strings.Contains(p.out.String(), text) })
}

// eventually waits until something is true.
func (l *lab) eventually(what string, is func() bool) {
	l.t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(200 * time.Millisecond) {
		if time.Now().After(end) {
			l.t.Fatalf("waited in vain until %s", what)
		}
	}
}

// run runs plinth, which must end with an exit code, and returns its output.
func (l *lab) run(want int, args ...string) string {
	l.t.Helper()
	code, out := l.start(args...).end()
	if code != want {
		l.t.Fatalf("exit code %d, want %d:\n%s", code, want, out)
	}
	return out
}

// record reads the only record of the default store.
func (l *lab) record() *record.Record {
	l.t.Helper()
	return l.recordIn("results")
}

// recordIn reads the only record of a store.
func (l *lab) recordIn(store string) *record.Record {
	l.t.Helper()
	all, err := filepath.Glob(filepath.Join(l.dir, store, "*", "record.json"))
	if err != nil || len(all) != 1 {
		l.t.Fatalf("%d records, %v", len(all), err)
	}
	rec, err := record.Open(filepath.Dir(all[0]))
	if err != nil {
		l.t.Fatal(err)
	}
	return rec
}

// driving reports whether a load is driven for the record in a store.
func (l *lab) driving(store string) bool {
	all, _ := filepath.Glob(filepath.Join(l.dir, store, "*", "now.json"))
	if len(all) != 1 {
		return false
	}
	now, err := os.ReadFile(all[0])
	return err == nil && strings.Contains(string(now), `"driving"`)
}

// apply creates an object.
func (l *lab) apply(object string) {
	l.t.Helper()
	c := exec.CommandContext(l.t.Context(), "kubectl", "--namespace", l.namespace, "apply", "--filename", "-")
	c.Stdin = strings.NewReader(object)
	if out, err := c.CombinedOutput(); err != nil {
		l.t.Fatalf("%v\n%s", err, out)
	}
}

// count returns how many runs of a record have a status.
func count(rec *record.Record, status record.Status) (n int) {
	for _, run := range rec.Runs {
		if run.Status == status {
			n++
		}
	}
	return n
}

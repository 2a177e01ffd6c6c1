// Package kube tests the Kubernetes cluster that plinth's tests use: see cluster. `make test-kube`
// runs it.
package kube

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// limit ends a test that hangs; no test depends on it otherwise.
const limit = 10 * time.Minute

// TestCluster runs a database and a load of each kind in one cluster.
func TestCluster(t *testing.T) {
	start(t)
	cluster(t, "sweep") // leaves it alone
	t.Run("plain", func(t *testing.T) {
		began := time.Now()
		apply(t, "plain")
		eventually(t, func() string { // counts of pods: one of the two is set in the end
			return enter(t, "", "kubectl", "-n", "plain", "get", "job", "load", "-o", "jsonpath={.status.succeeded}{.status.failed}")
		}, "1")
		t.Logf("complete after %.1f s", time.Since(began).Seconds())
		log := enter(t, "", "kubectl", "-n", "plain", "logs", "job/load")
		for _, throughput := range []string{"tps = ", "requests per second"} {
			if !strings.Contains(log, throughput) {
				t.Errorf("the load printed no %q:\n%s", throughput, log)
			}
		}
		for claim, class := range map[string]string{"data": "local-path", "wal": "slow"} {
			if got := enter(t, "", "kubectl", "-n", "plain", "get", "pvc", claim, "-o", "jsonpath={.status.phase} {.spec.storageClassName}"); got != "Bound "+class {
				t.Errorf("claim %s is %q, want it bound to a volume of class %s", claim, got, class)
			}
		}
		status := enter(t, "", "kubectl", "-n", "plain", "exec", "server", "--", "cat", "/proc/1/status")
		if !regexp.MustCompile(`(?m)^Cpus_allowed_list:\t\d+$`).MatchString(status) {
			t.Errorf("the server has more than one CPU:\n%s", status)
		}
		if !regexp.MustCompile(`(?m)^HugetlbPages:\t +[1-9]`).MatchString(status) {
			t.Errorf("the server uses no huge pages:\n%s", status)
		}
	})
	t.Run("one", func(t *testing.T) { healthy(t, "one") })
	t.Run("two", func(t *testing.T) {
		healthy(t, "two")
		standbys := enter(t, "", "kubectl", "-n", "two", "exec", "two-1", "-c", "postgres", "--", "psql", "-Atc",
			"SELECT sync_state FROM pg_stat_replication")
		if strings.TrimSpace(standbys) != "quorum" {
			t.Errorf("the standbys are %q, want one that is part of a quorum", standbys)
		}
	})
	t.Run("deleted", func(t *testing.T) {
		enter(t, "", "kubectl", "delete", "namespace", "plain", "one", "two", "--timeout="+limit.String())
		eventually(t, func() string {
			return enter(t, "", "kubectl", "get", "pv", "-o", "name") +
				enter(t, "", "find", "/run/kube/disk/volumes", "/run/kube/slow/volumes", "-mindepth", "1")
		}, "")
	})
}

// TestNodes runs a database on two nodes, and drains the one of its primary.
func TestNodes(t *testing.T) {
	t.Setenv("PLINTH_KUBE_NODES", "2")
	start(t)
	healthy(t, "two")
	get := func(what, path string) string {
		return enter(t, "", "kubectl", "-n", "two", "get", what, "-o", "jsonpath="+path)
	}
	node, other := get("pod/two-1", "{.spec.nodeName}"), get("pod/two-2", "{.spec.nodeName}")
	if node == other {
		t.Fatalf("both instances are on %s", node)
	}
	enter(t, "", "kubectl", "drain", node, "--ignore-daemonsets", "--delete-emptydir-data", "--force", "--timeout="+limit.String())
	eventually(t, func() string {
		return get("cluster/two", "{.status.currentPrimary}, ready: {.status.readyInstances}") + " on " + get("pods", "{.items[*].spec.nodeName}")
	}, "two-2, ready: 2 on "+other+" "+other)
}

// TestEnds ends a cluster in every way, and looks for what remains of it.
func TestEnds(t *testing.T) {
	for name, end := range map[string]struct {
		signal   syscall.Signal
		complete bool // whether the cluster is complete by then
	}{
		"command ends":               {0, true},
		"interrupted":                {syscall.SIGINT, true},
		"interrupted while starting": {syscall.SIGTERM, false},
		"killed":                     {syscall.SIGKILL, true},
		"killed while starting":      {syscall.SIGKILL, false},
	} {
		t.Run(name, func(t *testing.T) {
			before := remains(t)
			command := exec.Command("./cluster", "run", "sh", "-c", "echo complete; read line; exit 7")
			stdin, err := command.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			stdout, err := command.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = command.Process.Kill() })
			if end.complete {
				if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
					t.Fatalf("the cluster did not start: %q, %v", line, err)
				}
			} else {
				// The last of its programs runs, and soon the first pod.
				eventually(t, func() string { return fmt.Sprint(slices.ContainsFunc(traces(t), isKubelet)) }, "true")
			}
			if end.signal == 0 {
				stdin.Close()
			} else if err := command.Process.Signal(end.signal); err != nil {
				t.Fatal(err)
			}
			_ = command.Wait()
			if code := command.ProcessState.ExitCode(); end.signal == 0 && code != 7 {
				t.Errorf("the exit code is %d, want that of the command, 7", code)
			}
			if end.signal == syscall.SIGKILL {
				cluster(t, "sweep") // if another cluster has begun, it has done the same
			}
			nothingRemains(t, before)
		})
	}
}

// TestCheck tells why a machine cannot have a cluster, in one line and a hint.
func TestCheck(t *testing.T) {
	before := remains(t)
	cluster(t, "check")
	nothingRemains(t, before)
	for name, c := range map[string]struct{ change, reason string }{
		"another user":      {"--reuid=65534", "it needs root"},
		"without privilege": {"--bounding-set=-sys_admin", "Operation not permitted"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := exec.Command("setpriv", c.change, "./cluster", "check").CombinedOutput()
			reason, advice, _ := strings.Cut(string(out), "\n")
			if err == nil || !strings.HasPrefix(reason, "cannot run a Kubernetes cluster: ") || !strings.Contains(reason, c.reason) || !strings.HasPrefix(advice, "hint: ") {
				t.Errorf("%v:\n%s", err, out)
			}
			nothingRemains(t, before)
		})
	}
}

// TestCI checks that CI goes on, and says why, on a machine that cannot have a cluster.
func TestCI(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "make"), []byte("#!/bin/sh\necho make \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	command := exec.Command("setpriv", "--bounding-set=-sys_admin", "../../.ci/run")
	command.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
	out, err := command.CombinedOutput()
	if lines := strings.Split(string(out), "\n"); err != nil || len(lines) != 3 || lines[0] != "make test" ||
		!strings.HasPrefix(lines[1], "no tests on Kubernetes: cannot run a Kubernetes cluster: ") {
		t.Errorf("%v:\n%s", err, out)
	}
}

// start starts a cluster for a test, after which it ends without traces.
func start(t *testing.T) {
	t.Helper()
	before := remains(t)
	cluster(t, "start")
	t.Cleanup(func() {
		cluster(t, "stop")
		nothingRemains(t, before)
	})
}

// apply creates a namespace, and in it the objects of a file of the same name.
func apply(t *testing.T, name string) {
	t.Helper()
	manifest, err := os.ReadFile(filepath.Join("testdata", name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	images := enter(t, "", "ctr", "images", "list", "-q")
	image := func(name string) string { return regexp.MustCompile(`localhost/` + name + `:\d+`).FindString(images) }
	inserted := strings.NewReplacer("POSTGRESQL", image("postgresql"), "REDIS", image("redis"))
	enter(t, "", "kubectl", "create", "namespace", name)
	enter(t, inserted.Replace(string(manifest)), "kubectl", "-n", name, "apply", "-f", "-")
}

// healthy applies the objects of a CloudNativePG cluster, and waits until it is healthy.
func healthy(t *testing.T, name string) {
	t.Helper()
	began := time.Now()
	apply(t, name)
	enter(t, "", "kubectl", "-n", name, "wait", "--for=condition=Ready", "cluster/"+name, "--timeout="+limit.String())
	t.Logf("healthy after %.1f s", time.Since(began).Seconds())
}

// cluster runs the program cluster, and returns its standard output.
func cluster(t *testing.T, args ...string) string {
	t.Helper()
	return run(t, "", args...)
}

// enter runs a command with an input in the cluster, and returns its standard output.
func enter(t *testing.T, input string, command ...string) string {
	t.Helper()
	return run(t, input, append([]string{"enter"}, command...)...)
}

func run(t *testing.T, input string, args ...string) string {
	t.Helper()
	command := exec.Command("./cluster", args...)
	var stderr bytes.Buffer
	command.Stdin, command.Stderr = strings.NewReader(input), &stderr
	out, err := command.Output()
	if stderr.Len() > 0 {
		t.Logf("%s", stderr.Bytes())
	}
	if err != nil {
		t.Fatalf("cluster %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// eventually waits until a function returns a value.
func eventually(t *testing.T, get func() string, want string) {
	t.Helper()
	for end := time.Now().Add(limit); ; time.Sleep(100 * time.Millisecond) {
		got := get()
		if got == want {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("got %s\nwant %s", got, want)
		}
	}
}

// remains returns the traces while no cluster runs.
func remains(t *testing.T) string {
	t.Helper()
	lock, err := os.OpenFile("/run/lock/plinth-kube", os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	for err = syscall.EINTR; err == syscall.EINTR; {
		err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX)
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(traces(t), "\n")
}

func nothingRemains(t *testing.T, before string) {
	t.Helper()
	// The kernel detaches loop devices soon after their mounts end.
	eventually(t, func() string { return remains(t) }, before)
}

func isKubelet(trace string) bool { return strings.HasSuffix(trace, "/bin/kubelet") }

// traces lists what a cluster changes on this machine: settings of the kernel, control groups, mounts,
// loop devices and files, and processes.
func traces(t *testing.T) (found []string) {
	t.Helper()
	// Others may change the number of huge pages meanwhile: what counts is what the cluster has to take back.
	if added, err := os.ReadFile("/run/lock/plinth-kube"); err == nil && len(added) > 0 {
		found = append(found, "guard and huge pages "+string(added))
	}
	for _, setting := range []string{"vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic",
		"kernel/panic_on_oops", "kernel/keys/root_maxkeys", "kernel/keys/root_maxbytes"} {
		value, err := os.ReadFile("/proc/sys/" + setting)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, setting+" "+string(value))
	}
	for _, pattern := range []string{"/sys/fs/cgroup/plinth-kube*", "/sys/fs/cgroup/*/plinth-kube*", "/sys/fs/cgroup/hugetlb*",
		filepath.Join(os.TempDir(), "plinth-kube*")} {
		files, _ := filepath.Glob(pattern)
		found = append(found, files...)
	}
	for _, pattern := range []string{"/sys/block/loop*/loop/backing_file", "/proc/self/mounts", "/proc/cgroups"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			content, _ := os.ReadFile(file) // a loop device may end here
			for line := range strings.Lines(string(content)) {
				if strings.Contains(line, "plinth-kube") || strings.Contains(line, "/run/kube") || strings.Contains(line, "hugetlb") {
					found = append(found, line)
				}
			}
		}
	}
	programs, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, program := range programs {
		if target, err := os.Readlink(program); err == nil && strings.Contains(target, "/plinth-kube/") {
			found = append(found, target)
		}
	}
	slices.Sort(found)
	return found
}

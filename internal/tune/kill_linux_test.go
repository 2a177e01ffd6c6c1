package tune

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// suicidal is the real kernel, and kills plinth at its n-th write.
type suicidal struct {
	Kernel
	left int
}

func (s *suicidal) Write(path, value string) error {
	if s.left--; s.left < 0 {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	return s.Kernel.Write(path, value)
}

// killedPlan holds values that any kernel accepts.
const killedPlan = "vm.dirty_expire_centisecs=2999, vm.dirty_background_bytes=268435456, vm.vfs_cache_pressure=101"

// killed applies a plan to the real kernel and is killed meanwhile.
func killed() {
	n, _ := strconv.Atoi(os.Getenv("PLINTH_TEST_TUNE_WRITES"))
	ctx, r := context.Background(), Request{Machine: &suicidal{left: n}, Values: valuesOf(os.Getenv("PLINTH_TEST_TUNE_PLAN"))}
	p, err := Make(ctx, r)
	if err == nil {
		_, err = Keep(ctx, os.Getenv("PLINTH_TEST_TUNE"), UntilRollback, r, p)
	}
	_, _ = os.Stderr.WriteString(err.Error())
	os.Exit(1)
}

// Whenever plinth is killed, the next one finds its changes and undoes them.
func TestRealKill(t *testing.T) {
	needKernel(t)
	files := map[string]string{}
	for _, v := range valuesOf(killedPlan) {
		path := "/proc/sys/" + strings.ReplaceAll(v.Key.Knob, ".", "/")
		files[path] = mustRead(t, path)
	}
	files[bgRatio] = mustRead(t, bgRatio)
	for writes := range 3 {
		killedAfter(t, killedPlan, writes, files)
	}
}

// The same with huge pages: the machine's number and those of its nodes affect each other.
func TestRealKillByNode(t *testing.T) {
	needNodes(t)
	pools(t, 3, 1)
	files := map[string]string{}
	for _, path := range []string{hugePages, hugePagesOf(0), hugePagesOf(1)} {
		files[path] = mustRead(t, path)
	}
	for writes := range 3 {
		killedAfter(t, "vm.nr_hugepages=9, nr_hugepages@node0=2, nr_hugepages@node1=7", writes, files)
	}
}

// killedAfter kills a plinth that applies a plan after that many writes, and undoes what it left;
// files holds what the plan changes.
func killedAfter(t *testing.T, plan string, writes int, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), "PLINTH_TEST_TUNE="+dir, "PLINTH_TEST_TUNE_PLAN="+plan, "PLINTH_TEST_TUNE_WRITES="+strconv.Itoa(writes))
	out, err := command.CombinedOutput()
	if command.ProcessState.ExitCode() != -1 {
		t.Fatalf("it was not killed: %v: %s", err, out)
	}
	changed := 0
	for path, was := range files {
		if mustRead(t, path) != was {
			changed++
		}
	}
	if (changed > 0) != (writes > 0) {
		t.Errorf("killed after %d writes, %d files are changed", writes, changed)
	}
	kept, err := Kept(dir)
	if err != nil || kept == nil || !kept.Crashed || len(kept.Changes()) != writes+1 {
		t.Fatalf("killed after %d writes: %+v, %v", writes, kept, err)
	}
	if _, err := kept.Rollback(t.Context(), Kernel{}); err != nil {
		t.Error(err)
	}
	for path, was := range files {
		if now := mustRead(t, path); now != was {
			t.Errorf("killed after %d writes: %s is %q, and was %q", writes, path, now, was)
		}
	}
}

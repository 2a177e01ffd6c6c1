package volume

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"plinth/internal/emulator"
	"plinth/internal/experiment"
	"plinth/internal/host/hosttest"
	"plinth/internal/host/launch"
	"plinth/internal/journal"
)

// TestMain lets this test binary act as a guard, an emulator, a fake mdadm, or a plinth that
// creates volumes and is killed.
func TestMain(m *testing.M) {
	launch.GuardMain()
	emulator.Main()
	if filepath.Base(os.Args[0]) == "mdadm" {
		if err := fakeMdadm(os.Getenv("PLINTH_TEST_MDADM"), os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			syscall.Exit(1)
		}
		syscall.Exit(0) // os.Exit would wait a second with the race detector
	}
	if os.Getenv(emulator.FormVariable) == "" { // tests of the other form set it
		_ = os.Setenv(emulator.FormVariable, string(emulator.FUSE))
	}
	if runDir = os.Getenv("PLINTH_TEST_RUN_DIR"); runDir == "" {
		runDir = fmt.Sprintf("/run/plinth-test%d", os.Getpid())
	}
	if prefix := os.Getenv("PLINTH_TEST_ARRAYS"); prefix != "" {
		arrayPrefix = prefix
	}
	if state := os.Getenv("PLINTH_TEST_STATE"); state != "" {
		if asked := os.Getenv("PLINTH_TEST_VOLUME"); asked != "" {
			makeAndWait(state, asked)
		}
		layOutAndWait(state, os.Getenv("PLINTH_TEST_PARENT"))
	}
	os.Exit(m.Run())
}

func layOutAndWait(state, parent string) {
	j, err := journal.Open(state, "killed")
	if err == nil {
		var user *launch.User
		user, err = launch.ServerUser()
		for i := 0; err == nil; i++ {
			if _, err = makeDir(j, parent, fmt.Sprint("v", i), "data", user); err == nil {
				_, err = SocketDir(j, user)
			}
			fmt.Println("made")
		}
	}
	fmt.Println(err)
	os.Exit(1)
}

// makeDir creates a volume that is a directory in parent.
func makeDir(j *journal.Journal, parent, name, role string, owner *launch.User) (*Volume, error) {
	return Make(context.Background(), Options{Journal: j, Launcher: launch.NewLocal(), Owner: owner, Name: name},
		experiment.Part{Role: role, Name: role, Volume: experiment.Volume{Directory: parent}})
}

// patience is the timeout of tests; it only ends a hang.
const patience = time.Minute

func asRoot(t *testing.T) *launch.User {
	t.Helper()
	hosttest.NeedRoot(t)
	user, err := launch.ServerUser()
	if err != nil {
		t.Fatal(err)
	}
	return user
}

// asServer runs a program as the server's user.
func asServer(t *testing.T, user *launch.User, path string, args ...string) {
	t.Helper()
	var out bytes.Buffer
	p, err := launch.NewLocal().Start(launch.Command{Path: path, Args: args, Dir: "/", User: user, Stdout: &out, Stderr: &out})
	if err != nil {
		t.Fatal(err)
	}
	if status, err := p.Wait(); status.Code != 0 || err != nil {
		t.Errorf("%s %v as %s: %+v, %v: %s", path, args, user.Name, status, err, out.String())
	}
}

func serverUser(t *testing.T) *launch.User {
	t.Helper()
	user, err := launch.ServerUser()
	if err != nil {
		t.Fatal(err)
	}
	return user
}

func mountTmpfs(t *testing.T, dir string, flags uintptr) {
	t.Helper()
	if err := syscall.Mount("none", dir, "tmpfs", flags, ""); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
}

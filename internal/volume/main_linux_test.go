package volume

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"

	"plinth/internal/host"
	"plinth/internal/journal"
)

// TestMain lets this test binary be a plinth that makes volumes and is killed.
func TestMain(m *testing.M) {
	host.GuardMain()
	if runDir = os.Getenv("PLINTH_TEST_RUN_DIR"); runDir == "" {
		runDir = fmt.Sprintf("/run/plinth-test%d", os.Getpid())
	}
	if state := os.Getenv("PLINTH_TEST_STATE"); state != "" {
		layOutAndWait(state, os.Getenv("PLINTH_TEST_PARENT"))
	}
	os.Exit(m.Run())
}

func layOutAndWait(state, parent string) {
	j, err := journal.Open(state, "killed")
	if err == nil {
		var user *host.User
		user, err = host.ServerUser()
		for i := 0; err == nil; i++ {
			if _, err = Make(j, parent, fmt.Sprint("v", i), "data", user); err == nil {
				_, err = SocketDir(j, user)
			}
			fmt.Println("made")
		}
	}
	fmt.Println(err)
	os.Exit(1)
}

func openJournal(t *testing.T) *journal.Journal {
	t.Helper()
	j, err := journal.Open(t.TempDir(), "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// t.Context() is over by now.
		if err := errors.Join(j.PutBack(context.Background(), Undoers()), j.Close()); err != nil {
			t.Error(err)
		}
	})
	return j
}

// openDir is a directory that everybody may enter, unlike t.TempDir().
func openDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "plinth-test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func needRoot(t *testing.T) *host.User {
	t.Helper()
	if os.Geteuid() != 0 {
		if os.Getenv("CI") != "" {
			t.Fatal("needs root")
		}
		t.Skip("needs root")
	}
	user, err := host.ServerUser()
	if err != nil {
		t.Fatal(err)
	}
	return user
}

// asServer runs a program as the server's user.
func asServer(t *testing.T, user *host.User, path string, args ...string) {
	t.Helper()
	var out bytes.Buffer
	p, err := host.NewLocal().Start(host.Command{Path: path, Args: args, Dir: "/", User: user, Stdout: &out, Stderr: &out})
	if err != nil {
		t.Fatal(err)
	}
	if status, err := p.Wait(); status.Code != 0 || err != nil {
		t.Errorf("%s %v as %s: %+v, %v: %s", path, args, user.Name, status, err, out.String())
	}
}

func serverUser(t *testing.T) *host.User {
	t.Helper()
	user, err := host.ServerUser()
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

package volume

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/journal"
)

// TestMain lets this test binary be a plinth that makes volumes and is killed.
func TestMain(m *testing.M) {
	host.GuardMain()
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

func TestVolumeIsMadeUsedAndRemoved(t *testing.T) {
	parent, j, user := openDir(t), openJournal(t), serverUser(t)
	v, err := Make(j, parent, "plinth-x", "data", user)
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(parent, "plinth-x", "data"); v.Path != want {
		t.Errorf("it is at %s, want %s", v.Path, want)
	}
	info, err := os.Stat(v.Path)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Fatalf("mode %v, %v", info.Mode(), err)
	}
	if entries, _ := os.ReadDir(v.Path); len(entries) != 0 {
		t.Errorf("it is not empty: %v", entries)
	}
	asServer(t, user, "/bin/mkdir", "-p", v.Path+"/base/1")
	asServer(t, user, "/bin/ln", "-s", "/etc", v.Path+"/base/link")
	facts := v.Facts()
	if facts.Role != "data" || facts.Path != v.Path || facts.Filesystem == "" || facts.Size < facts.Free || facts.Free <= 0 {
		t.Errorf("facts are %+v", facts)
	}
	for range 2 {
		if err := v.Remove(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if left, _ := os.ReadDir(parent); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	if left := j.Entries(); len(left) != 0 {
		t.Errorf("left in the journal: %v", left)
	}
	if _, err := os.Stat("/etc/passwd"); err != nil {
		t.Fatal(err)
	}
}

func TestVolumeBelowAClosedDirectory(t *testing.T) {
	user, j := needRoot(t), openJournal(t)
	closed := openDir(t)
	if err := os.Chmod(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	v, err := Make(j, closed, "plinth-x", "data", user)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(v.Path, runDir+"/") {
		t.Errorf("it is at %s, want it below %s", v.Path, runDir)
	}
	asServer(t, user, "/bin/mkdir", v.Path+"/base")
	if _, err := os.Stat(filepath.Join(closed, "plinth-x", "data", "base")); err != nil {
		t.Errorf("what the server made is not on the volume: %v", err)
	}
	if _, err := os.Stat(v.Facts().Path); err != nil {
		t.Errorf("facts name %s: %v", v.Facts().Path, err)
	}
	if err := v.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Dir(v.Path)); !os.IsNotExist(err) {
		t.Errorf("the mount point is left: %v", err)
	}
	if left, _ := os.ReadDir(closed); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestBusyMountIsDetached(t *testing.T) {
	user, j := needRoot(t), openJournal(t)
	closed := openDir(t)
	if err := os.Chmod(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	v, err := Make(j, closed, "plinth-x", "data", user)
	if err != nil {
		t.Fatal(err)
	}
	busy, err := os.Open(v.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	if err := v.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Dir(v.Path)); !os.IsNotExist(err) {
		t.Errorf("the mount point is left: %v", err)
	}
}

func TestMakeErrors(t *testing.T) {
	parent, user := openDir(t), serverUser(t)
	file := filepath.Join(parent, "file")
	for _, err := range []error{os.WriteFile(file, nil, 0o644), os.Mkdir(filepath.Join(parent, "taken"), 0o755)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct{ parent, name, text, hint string }{
		{parent + "/nowhere", "x", "no such directory", "make the directory"},
		{file, "x", "not a directory", ""},
		{parent, "taken", "is there already", "choose another"},
		{"/proc", "x", "", ""},
	} {
		j := openJournal(t)
		_, err := Make(j, tc.parent, tc.name, "data", user)
		if err == nil || !strings.Contains(err.Error(), tc.text) || !strings.Contains(hint.Of(err), tc.hint) {
			t.Errorf("%s/%s: error is %v (hint %q)", tc.parent, tc.name, err, hint.Of(err))
		}
		if left := j.Entries(); len(left) != 0 {
			t.Errorf("%s/%s: left in the journal: %v", tc.parent, tc.name, left)
		}
	}
	if _, err := os.Stat(filepath.Join(parent, "taken")); err != nil {
		t.Errorf("what was in the way is gone: %v", err)
	}
}

func mountTmpfs(t *testing.T, dir string, flags uintptr) {
	t.Helper()
	if err := syscall.Mount("none", dir, "tmpfs", flags, ""); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
}

func TestReadOnlyFilesystem(t *testing.T) {
	user, j, dir := needRoot(t), openJournal(t), openDir(t)
	mountTmpfs(t, dir, syscall.MS_RDONLY)
	_, err := Make(j, dir, "x", "data", user)
	if err == nil || !strings.Contains(err.Error(), "read-only") || !strings.Contains(hint.Of(err), "for writing") {
		t.Errorf("error is %v (hint %q)", err, hint.Of(err))
	}
}

func TestRemovalRefusesWhatIsNotOurs(t *testing.T) {
	for name, spoil := range map[string]func(dir string) error{
		"foreign marker": func(dir string) error { return os.WriteFile(dir+"/"+markerName, []byte("another\n"), 0o644) },
		"no marker":      func(dir string) error { return os.Remove(dir + "/" + markerName) },
		"a link": func(dir string) error {
			if err := os.Rename(dir, dir+"-moved"); err != nil {
				return err
			}
			return os.Symlink(dir+"-moved", dir)
		},
	} {
		parent := openDir(t)
		j, err := journal.Open(t.TempDir(), name)
		if err != nil {
			t.Fatal(err)
		}
		v, err := Make(j, parent, "x", "data", serverUser(t))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(v.Path+"/precious", nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := spoil(filepath.Dir(v.Path)); err != nil {
			t.Fatal(err)
		}
		if err := v.Remove(t.Context()); err == nil || hint.Of(err) == "" {
			t.Errorf("%s: error is %v (hint %q)", name, err, hint.Of(err))
		}
		if _, err := os.Stat(v.Path + "/precious"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(j.Entries()) != 1 {
			t.Errorf("%s: the journal has %v", name, j.Entries())
		}
		_ = j.Close()
	}
}

func TestRemovalRefusesToCrossAMount(t *testing.T) {
	user, j, parent := needRoot(t), openJournal(t), openDir(t)
	v, err := Make(j, parent, "x", "data", user)
	if err != nil {
		t.Fatal(err)
	}
	inside := filepath.Join(v.Path, "mounted")
	if err := os.Mkdir(inside, 0o755); err != nil {
		t.Fatal(err)
	}
	mountTmpfs(t, inside, 0)
	if err := v.Remove(t.Context()); err == nil || !strings.Contains(err.Error(), inside) {
		t.Errorf("error is %v, want one that names %s", err, inside)
	}
	if err := syscall.Unmount(inside, 0); err != nil {
		t.Fatal(err)
	}
}

// A volume on a disk that is not mounted now is not forgotten.
func TestDiskThatIsNotMounted(t *testing.T) {
	user, j, parent := needRoot(t), openJournal(t), openDir(t)
	v, err := Make(j, parent, "x", "data", user)
	if err != nil {
		t.Fatal(err)
	}
	e := j.Entries()[0]
	var d directory
	if err := json.Unmarshal(e.Args, &d); err != nil {
		t.Fatal(err)
	}
	if d.MountPoint == "" {
		t.Skipf("%s is in memory", parent)
	}
	d.MountPoint, d.Path = parent, filepath.Join(parent, "gone")
	args, _ := json.Marshal(d)
	if err := undoDirectory(t.Context(), args); err == nil || !strings.Contains(err.Error(), "not mounted") {
		t.Errorf("error is %v", err)
	}
	if err := v.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A crash may come at any step of the making; what is there then is ours.
func TestCrashWhileMaking(t *testing.T) {
	id := "ABCDEFGHIJ"
	for name, prepare := range map[string]func(dir string) error{
		"nothing was made": func(string) error { return nil },
		"no marker yet":    func(dir string) error { return os.Mkdir(dir, 0o755) },
		"a torn marker": func(dir string) error {
			if err := os.Mkdir(dir, 0o755); err != nil {
				return err
			}
			return os.WriteFile(dir+"/"+markerName, []byte(id[:4]), 0o644)
		},
	} {
		dir := filepath.Join(openDir(t), "x")
		if err := prepare(dir); err != nil {
			t.Fatal(err)
		}
		args, _ := json.Marshal(directory{Path: dir, ID: id})
		for range 2 {
			if err := undoDirectory(t.Context(), args); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := os.Lstat(dir); !os.IsNotExist(err) {
			t.Errorf("%s: it is left: %v", name, err)
		}
	}
}

// TestKilledWhileMaking kills a plinth that makes volumes, below a closed
// directory when it is root, and puts back what its journal names.
func TestKilledWhileMaking(t *testing.T) {
	state, parent := t.TempDir(), openDir(t)
	if os.Geteuid() == 0 {
		if err := os.Chmod(parent, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	before := mountsAndRunDir(t)
	for round := range 8 {
		command := exec.Command(os.Args[0])
		command.Env = append(os.Environ(), "PLINTH_TEST_STATE="+state, "PLINTH_TEST_PARENT="+parent)
		out, err := command.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for range round + 1 {
			if !lines.Scan() || lines.Text() != "made" {
				t.Fatalf("the helper says %q", lines.Text())
			}
		}
		_ = command.Process.Kill()
		_ = command.Wait()
		leftovers, err := journal.Leftovers(state)
		if err != nil || len(leftovers) != 1 {
			t.Fatalf("leftovers: %v, %v", leftovers, err)
		}
		if err := leftovers[0].PutBack(t.Context(), Undoers()); err != nil {
			t.Fatal(err)
		}
		_ = leftovers[0].Close()
		if left, _ := os.ReadDir(parent); len(left) != 0 {
			t.Fatalf("left behind: %v", left)
		}
		if after := mountsAndRunDir(t); after != before {
			t.Fatalf("mounts or %s: before\n%s\nafter\n%s", runDir, before, after)
		}
	}
}

func mountsAndRunDir(t *testing.T) string {
	t.Helper()
	mounts, err := host.MountsBelow(runDir)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(runDir)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return fmt.Sprint(mounts, entries)
}

func TestSocketDir(t *testing.T) {
	user, j := serverUser(t), openJournal(t)
	dir, err := SocketDir(j, user)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(dir)
	if err != nil || info.Mode() != fs.ModeDir|0o700 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	asServer(t, user, "/bin/touch", dir+longestSocket)
	if err := j.PutBack(t.Context(), Undoers()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(dir); !os.IsNotExist(err) {
		t.Errorf("it is left: %v", err)
	}
}

func TestSocketDirThatIsTooLong(t *testing.T) {
	j := openJournal(t)
	long := filepath.Join(openDir(t), strings.Repeat("x", 70))
	if err := os.Mkdir(long, 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := socketDir(j, serverUser(t), []string{long})
	if err == nil || !strings.Contains(err.Error(), "107 bytes") || len(j.Entries()) != 0 {
		t.Errorf("error is %v, journal %v", err, j.Entries())
	}
	dir, err := socketDir(j, serverUser(t), []string{long, "/tmp"})
	if err != nil || !strings.HasPrefix(dir, "/tmp/plinth-") {
		t.Errorf("it is %q, %v; want one in /tmp", dir, err)
	}
}

package volume

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"plinth/internal/hint"
	"plinth/internal/host/hosttest"
	"plinth/internal/journal/journaltest"
)

func TestVolumeIsMadeUsedAndRemoved(t *testing.T) {
	parent, j, user := hosttest.OpenDir(t), journaltest.Open(t, Undoers()), serverUser(t)
	v, err := makeDir(j, parent, "plinth-x", "data", user)
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
	user, j := asRoot(t), journaltest.Open(t, Undoers())
	closed := hosttest.OpenDir(t)
	if err := os.Chmod(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	v, err := makeDir(j, closed, "plinth-x", "data", user)
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

// TestReplaceable changes who may rename what in the path of a directory.
func TestReplaceable(t *testing.T) {
	user := asRoot(t)
	for name, tc := range map[string]struct {
		owner int // of the directory above
		mode  os.FileMode
		want  bool
	}{
		"root's":              {0, 0o755, false},
		"another user's":      {user.UID, 0o755, true},
		"writable by a group": {0, 0o775, true},
		"writable by all":     {0, 0o777, true},
		"like /tmp":           {0, 0o777 | os.ModeSticky, false},
		"its owner's /tmp":    {user.UID, 0o777 | os.ModeSticky, true},
	} {
		above := hosttest.OpenDir(t)
		dir := filepath.Join(above, "dir")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(above, tc.owner, -1); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(above, tc.mode); err != nil {
			t.Fatal(err)
		}
		if replaceable(above) != tc.want || replaceable(dir) != tc.want {
			t.Errorf("%s: %v, and below it %v; want %v", name, replaceable(above), replaceable(dir), tc.want)
		}
	}
}

// TestVolumeInADirectoryOfTheServersUser replaces the volume's directory: what root does in the
// volume must not be done elsewhere.
func TestVolumeInADirectoryOfTheServersUser(t *testing.T) {
	user, j := asRoot(t), journaltest.Open(t, Undoers())
	parent, precious := hosttest.OpenDir(t), hosttest.OpenDir(t)
	if err := os.Chown(parent, user.UID, user.GID); err != nil {
		t.Fatal(err)
	}
	v, err := makeDir(j, parent, "plinth-x", "data", user)
	if err != nil {
		t.Fatal(err)
	}
	made := filepath.Join(parent, "plinth-x")
	asServer(t, user, "/bin/mv", made, made+"-moved")
	asServer(t, user, "/bin/mkdir", made)
	asServer(t, user, "/bin/ln", "-s", precious, filepath.Join(made, "data"))
	if err := os.WriteFile(filepath.Join(v.Path, "settings"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(precious); len(left) != 0 {
		t.Errorf("%v was written where the link leads", left)
	}
	if _, err := os.Stat(filepath.Join(made+"-moved", "data", "settings")); err != nil {
		t.Errorf("the file is not in the volume: %v", err)
	}
	if v.Facts().Path != filepath.Join(made, "data") {
		t.Errorf("facts name %s", v.Facts().Path)
	}
	asServer(t, user, "/bin/rm", "-r", made)
	asServer(t, user, "/bin/mv", made+"-moved", made)
	if err := v.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(parent); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestBusyMountIsDetached(t *testing.T) {
	user, j := asRoot(t), journaltest.Open(t, Undoers())
	closed := hosttest.OpenDir(t)
	if err := os.Chmod(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	v, err := makeDir(j, closed, "plinth-x", "data", user)
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

// TestPutBackWithAContextThatIsDone checks that no directory and no mount is left after a second
// Ctrl-C or a timeout.
func TestPutBackWithAContextThatIsDone(t *testing.T) {
	user, j, closed := asRoot(t), journaltest.Open(t, Undoers()), hosttest.OpenDir(t)
	if err := os.Chmod(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	v, err := makeDir(j, closed, "plinth-x", "data", user)
	if err != nil {
		t.Fatal(err)
	}
	sockets, err := SocketDir(j, user)
	if err != nil {
		t.Fatal(err)
	}
	busy, err := os.Create(filepath.Join(v.Path, "busy"))
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := j.PutBack(ctx, Undoers()); err != nil || len(j.Entries()) != 0 {
		t.Errorf("error %v, left in the journal: %v", err, j.Entries())
	}
	for _, dir := range []string{filepath.Dir(v.Path), sockets, filepath.Join(closed, "plinth-x")} {
		if _, err := os.Lstat(dir); !os.IsNotExist(err) {
			t.Errorf("%s is left: %v", dir, err)
		}
	}
}

func TestMakeErrors(t *testing.T) {
	parent, user := hosttest.OpenDir(t), serverUser(t)
	file := filepath.Join(parent, "file")
	for _, err := range []error{os.WriteFile(file, nil, 0o644), os.Mkdir(filepath.Join(parent, "taken"), 0o755)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct{ parent, name, text, hint string }{
		{parent + "/nowhere", "x", "no such directory", "create the directory"},
		{file, "x", "not a directory", ""},
		{parent, "taken", "already exists", "choose another"},
		{"/proc", "x", "", ""},
	} {
		j := journaltest.Open(t, Undoers())
		_, err := makeDir(j, tc.parent, tc.name, "data", user)
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

func TestReadOnlyFilesystem(t *testing.T) {
	user, j, dir := asRoot(t), journaltest.Open(t, Undoers()), hosttest.OpenDir(t)
	mountTmpfs(t, dir, syscall.MS_RDONLY)
	_, err := makeDir(j, dir, "x", "data", user)
	if err == nil || !strings.Contains(err.Error(), "read-only") || !strings.Contains(hint.Of(err), "for writing") {
		t.Errorf("error is %v (hint %q)", err, hint.Of(err))
	}
}

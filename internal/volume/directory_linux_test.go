package volume

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"plinth/internal/hint"
	"plinth/internal/host/hosttest"
	"plinth/internal/journal"
	"plinth/internal/journal/journaltest"
)

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
		parent := hosttest.OpenDir(t)
		j, err := journal.Open(t.TempDir(), name)
		if err != nil {
			t.Fatal(err)
		}
		v, err := makeDir(j, parent, "x", "data", serverUser(t))
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
	user, j, parent := asRoot(t), journaltest.Open(t, Undoers()), hosttest.OpenDir(t)
	v, err := makeDir(j, parent, "x", "data", user)
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

// TestDiskThatIsNotMounted checks that a volume on an unmounted disk stays in the journal.
func TestDiskThatIsNotMounted(t *testing.T) {
	disk := hosttest.OpenDir(t)
	noted := directory{Path: filepath.Join(disk, "dir", "x"), ID: "A", MountPoint: disk}
	err := noted.undo(t.Context())
	if err == nil || !strings.Contains(err.Error(), "not mounted") || hint.Of(err) == "" {
		t.Errorf("error is %v", err)
	}
	if os.Geteuid() != 0 {
		return
	}
	mountTmpfs(t, disk, 0)
	if err := noted.undo(t.Context()); err != nil {
		t.Errorf("with the disk mounted: %v", err)
	}
}

package journal

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"plinth/internal/hint"
	"plinth/internal/host"
)

// A journal with a kind of a later plinth is not changed at all: its known entries may depend
// on the unknown one.
func TestLeftoverWithAnUnknownKindChangesNothing(t *testing.T) {
	dir := t.TempDir()
	j, err := Open(dir, "test")
	if err != nil {
		t.Fatal(err)
	}
	m := machine{"a": true}
	for _, kind := range []string{"set", "from the future"} {
		if _, err := j.Note(kind, "a"); err != nil {
			t.Fatal(err)
		}
	}
	_ = j.file.Close() // the crash
	leftovers, err := Leftovers(dir)
	if err != nil || len(leftovers) != 1 {
		t.Fatal(leftovers, err)
	}
	err = leftovers[0].PutBack(t.Context(), m.undoers())
	if err == nil || !strings.Contains(err.Error(), "from the future") || !strings.Contains(err.Error(), leftovers[0].Path()) {
		t.Errorf("error is %v", err)
	}
	if err := leftovers[0].Forget(); err == nil || hint.Of(err) == "" {
		t.Errorf("forgetting what was not tried: %v", err)
	}
	if !m["a"] || len(leftovers[0].Entries()) != 2 {
		t.Errorf("it was changed: %v, %v", m, leftovers[0].Entries())
	}
	_ = leftovers[0].Close()
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("files: %v", files)
	}
}

func TestDamagedLeftoverSaysWhatIsKnown(t *testing.T) {
	dir := t.TempDir()
	text := `{"schema":"plinth/journal/v1","pid":1,"label":"x"}` + "\n" +
		`{"id":1,"note":"directory","args":{"path":"/mnt/a","id":"Q"}}` + "\n{{{\n"
	if err := os.WriteFile(filepath.Join(dir, "x"+suffix), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	leftovers, err := Leftovers(dir)
	if err != nil || len(leftovers) != 1 {
		t.Fatal(leftovers, err)
	}
	defer func() { _ = leftovers[0].Close() }()
	for _, err := range []error{leftovers[0].PutBack(t.Context(), Undoers{}), leftovers[0].Forget()} {
		if err == nil || !strings.Contains(err.Error(), "line 3") || !strings.Contains(err.Error(), "directory /mnt/a") {
			t.Errorf("error is %v", err)
		}
	}
	if _, err := os.Stat(leftovers[0].Path()); err != nil {
		t.Error(err)
	}
}

// Files that cannot be a journal are not opened: other files, links, pipes.
func TestOtherFilesAreNotTouched(t *testing.T) {
	dir, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "precious")
	for _, err := range []error{
		os.WriteFile(elsewhere, []byte("x"), 0o600),
		os.Symlink(elsewhere, filepath.Join(dir, "link"+suffix)),
		os.Mkdir(filepath.Join(dir, "dir"+suffix), 0o700),
		os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if leftovers, err := Leftovers(dir); err != nil || len(leftovers) != 0 {
		t.Errorf("leftovers %v, %v", leftovers, err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 3 {
		t.Errorf("files: %v", files)
	}
	if leftovers, err := Leftovers(filepath.Join(dir, "nowhere")); err != nil || leftovers != nil {
		t.Errorf("of nothing: %v, %v", leftovers, err)
	}
}

// A process that starts while others search for leftovers keeps its journal.
func TestOpenWhileOthersLook(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 25 {
				j, err := Open(dir, "test")
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := j.Note("set", "a"); err != nil {
					t.Error(err)
				}
				undoers := Undoers{"set": func(context.Context, json.RawMessage) error { return nil }}
				if err := errors.Join(j.PutBack(t.Context(), undoers), j.Close()); err != nil {
					t.Error(err)
				}
			}
		})
		all.Go(func() {
			for range 100 {
				leftovers, err := Leftovers(dir)
				if err != nil || len(leftovers) > 0 {
					t.Errorf("leftovers of the living: %v, %v", leftovers, err)
				}
			}
		})
	}
	all.Wait()
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Errorf("files left: %v", files)
	}
}

func TestDescribe(t *testing.T) {
	for _, tc := range []struct{ kind, args, want string }{
		{"directory", `{"path":"/mnt/a","size":123456789012}`, "directory /mnt/a, size 123456789012"},
		{"directory", `{"path":"/mnt/a","id":"ABC","mount_point":"/mnt"}`, "directory /mnt/a"},
		{"server", `{"data_dir":"/mnt/a","user_name":"b"}`, "server /mnt/a, user name b"},
		{"loop-device", `{"device":"/dev/loop26","file":"/mnt/x","file_id":"1:2","emulator":"/run/plinth/x"}`, "loop device /dev/loop26, file /mnt/x"},
		{"block-device-setting", `{"file":"/sys/devices/virtual/block/loop26/queue/write_cache","was":"write back","set":"write through","boot":"ABC"}`, "write_cache of loop26: write through, was write back"},
		{"knob", `{"knob":"vm.swappiness","set":"10","was":"60","files":[{"path":"/proc/sys/vm/swappiness","was":"60"}],"boot":"ABC"}`, "vm.swappiness: 10, was 60"},
		{"filesystem", `{"device":"/dev/loop26","filesystem":"ext4","uuid":"ABC"}`, "filesystem /dev/loop26, ext4"},
		{"array", `{"device":"/dev/md127","uuid":"ABC","members":["/dev/a","/dev/b"]}`, "array /dev/md127, members /dev/a /dev/b"},
		{"mount", `{"target":"/run/plinth/x/mount","source":"/dev/loop26","emulators":["/run/plinth/x"]}`, "mount /run/plinth/x/mount, source /dev/loop26"},
		{"directory", `"a"`, `directory "a"`},
		{"directory", `{}`, "directory"},
	} {
		if got := (Entry{Kind: tc.kind, Args: json.RawMessage(tc.args)}).Describe(); got != tc.want {
			t.Errorf("%s %s: %q, want %q", tc.kind, tc.args, got, tc.want)
		}
	}
}

func TestStateDir(t *testing.T) {
	t.Setenv("PLINTH_STATE", "/x/state")
	if dir, err := StateDir(); dir != "/x/state" || err != nil {
		t.Errorf("%q, %v", dir, err)
	}
	t.Setenv("PLINTH_STATE", "")
	t.Setenv("XDG_STATE_HOME", "/home/a/state")
	want := "/home/a/state/plinth"
	if os.Geteuid() == 0 {
		want = "/var/lib/plinth"
	}
	if dir, err := StateDir(); dir != want || err != nil {
		t.Errorf("%q, %v; want %q", dir, err, want)
	}
}

func TestFilesArePrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "state")
	j, err := Open(dir, "results/an odd/náme")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = j.Close() }()
	for path, want := range map[string]os.FileMode{dir: 0o700, j.file.Name(): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want %v", path, info.Mode(), err, want)
		}
	}
}

// Parsing is safe for any content, and the entries returned are in order.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"schema":"plinth/journal/v1","pid":1}` + "\n" + `{"id":1,"note":"set","args":1}` + "\n" + `{"id":1,"forget":true}` + "\n"))
	f.Add([]byte(`{"schema":"plinth/journal/v2"}` + "\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		_, entries, _ := parse(text)
		last := 0
		for _, e := range entries {
			if e.ID <= last || e.Kind == "" {
				t.Errorf("%q: %+v after %d", text, e, last)
			}
			last = e.ID
			e.Describe()
		}
	})
}

// An adopted journal is not undone, and a damaged journal is not adopted.
func TestAdoptedLeftover(t *testing.T) {
	dir := t.TempDir()
	j, err := Open(dir, "test")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := j.Note("set", "a"); err != nil {
		t.Fatal(err)
	}
	_ = j.file.Close() // the crash
	leftovers, err := Leftovers(dir)
	if err != nil || len(leftovers) != 1 {
		t.Fatal(leftovers, err)
	}
	l := leftovers[0]
	if l.Boot() != host.BootID() || time.Since(l.Started()) > time.Hour || l.Started().IsZero() {
		t.Errorf("of boot %q, began %s", l.Boot(), l.Started())
	}
	if err := errors.Join(l.Adopt(), l.Close()); err != nil {
		t.Fatal(err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Errorf("files: %v", files)
	}
	text := `{"schema":"plinth/journal/v2","pid":1,"label":"x"}` + "\n"
	if err := os.WriteFile(filepath.Join(dir, "x"+suffix), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	leftovers, err = Leftovers(dir)
	if err != nil || len(leftovers) != 1 {
		t.Fatal(leftovers, err)
	}
	defer func() { _ = leftovers[0].Close() }()
	if err := leftovers[0].Adopt(); err == nil || !strings.Contains(err.Error(), "use the version of plinth that wrote it") {
		t.Errorf("of a later schema: %v", err)
	}
}

// Entries that can no longer be undone are dropped with the journal; the others were undone,
// and nothing is dropped untried.
func TestForgottenLeftover(t *testing.T) {
	dir := t.TempDir()
	j, err := Open(dir, "test")
	if err != nil {
		t.Fatal(err)
	}
	m := machine{"a": true, "stuck": true, "b": true}
	for _, name := range []string{"a", "stuck", "b"} {
		if _, err := j.Note("set", name); err != nil {
			t.Fatal(err)
		}
	}
	_ = j.file.Close() // the crash
	leftovers, err := Leftovers(dir)
	if err != nil || len(leftovers) != 1 {
		t.Fatal(leftovers, err)
	}
	if err := leftovers[0].Forget(); err == nil {
		t.Error("forgotten without a try")
	}
	if err := leftovers[0].PutBack(t.Context(), m.undoers()); err == nil {
		t.Error("what is stuck was put back")
	}
	if err := errors.Join(leftovers[0].Forget(), leftovers[0].Close()); err != nil {
		t.Fatal(err)
	}
	if len(m) != 1 || !m["stuck"] {
		t.Errorf("left: %v, want only what is stuck", m)
	}
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Errorf("files: %v", files)
	}
}

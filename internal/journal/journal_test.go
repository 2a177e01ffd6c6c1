package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plinth/internal/hint"
)

// TestMain lets this test binary act as a process that notes a change and is killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv("PLINTH_TEST_JOURNAL"); dir != "" {
		j, err := Open(dir, "killed")
		if err == nil {
			_, err = j.Note("set", "a")
		}
		if err != nil {
			os.Exit(1)
		}
		_, _ = os.Stdout.WriteString("noted\n")
		select {}
	}
	os.Exit(m.Run())
}

// machine is a set of names; the Undoer of "set" removes them.
type machine map[string]bool

func (m machine) undoers() Undoers {
	return Undoers{"set": func(_ context.Context, args json.RawMessage) error {
		var name string
		if err := json.Unmarshal(args, &name); err != nil {
			return err
		}
		if name == "stuck" && m[name] {
			return errors.New("stuck stays")
		}
		delete(m, name)
		return nil
	}}
}

func TestWhatIsPutBackIsForgotten(t *testing.T) {
	dir := t.TempDir()
	j, err := Open(dir, "test")
	if err != nil {
		t.Fatal(err)
	}
	m := machine{}
	for _, name := range []string{"a", "stuck", "b"} {
		if _, err := j.Note("set", name); err != nil {
			t.Fatal(err)
		}
		m[name] = true
	}
	if err := j.PutBack(t.Context(), m.undoers()); err == nil || !strings.Contains(err.Error(), "stuck stays") {
		t.Fatalf("error %v, want that of the stuck one", err)
	}
	if len(m) != 1 {
		t.Errorf("left on the machine: %v, want only what is stuck", m)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	leftovers, err := Leftovers(dir)
	if err != nil || len(leftovers) != 1 || len(leftovers[0].Entries()) != 1 {
		t.Fatalf("leftovers %v, %v; want one with one change", leftovers, err)
	}
	delete(m, "stuck")
	if err := errors.Join(leftovers[0].PutBack(t.Context(), m.undoers()), leftovers[0].Close()); err != nil {
		t.Fatal(err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Errorf("files left: %v", files)
	}
}

// An entry that others need is not a failure, and stays as long as they do.
func TestWhatStaysIsNoFailure(t *testing.T) {
	j, err := Open(t.TempDir(), "test")
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"set", "about"} {
		if _, err := j.Note(kind, "stuck"); err != nil {
			t.Fatal(err)
		}
	}
	m := machine{"stuck": true}
	undoers := m.undoers()
	undoers["about"] = func(context.Context, json.RawMessage) error {
		if m["stuck"] {
			return ErrStays
		}
		return nil
	}
	if err := j.PutBack(t.Context(), undoers); err == nil || strings.Contains(err.Error(), "needed") || len(j.Entries()) != 2 {
		t.Errorf("%v; left: %v", err, j.Entries())
	}
	delete(m, "stuck")
	if err := errors.Join(j.PutBack(t.Context(), undoers), j.Close()); err != nil || len(j.Entries()) != 0 {
		t.Errorf("%v; left: %v", err, j.Entries())
	}
}

// A second Ctrl-C ends the waiting, not the undoing.
func TestPutBackGoesOnWhenItsContextIsDone(t *testing.T) {
	j, err := Open(t.TempDir(), "test")
	if err != nil {
		t.Fatal(err)
	}
	m := machine{}
	for _, name := range []string{"a", "b", "waiting", "c"} {
		if _, err := j.Note("set", name); err != nil {
			t.Fatal(err)
		}
		m[name] = true
	}
	undo := m.undoers()["set"]
	undoers := Undoers{"set": func(ctx context.Context, args json.RawMessage) error {
		if string(args) == `"waiting"` {
			return ctx.Err()
		}
		return undo(ctx, args)
	}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := j.PutBack(ctx, undoers); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want that of the one that waits", err)
	}
	if len(m) != 1 || !m["waiting"] || len(j.Entries()) != 1 {
		t.Errorf("left: %v, journal %v; want only the one that waits", m, j.Entries())
	}
	if err := errors.Join(j.PutBack(t.Context(), m.undoers()), j.Close()); err != nil {
		t.Error(err)
	}
}

// If a journal cannot be created, the error comes before any change.
func TestJournalThatCannotBeMade(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"/proc/nope", file, filepath.Join(file, "below")} {
		_, err := Open(dir, "test")
		if err == nil || !strings.Contains(err.Error(), "cannot create a journal in "+dir) || !strings.Contains(hint.Of(err), "PLINTH_STATE") {
			t.Errorf("%s: error is %v (hint %q)", dir, err, hint.Of(err))
		}
	}
}

func TestAJournalWhoseOwnerLivesIsNotTouched(t *testing.T) {
	dir := t.TempDir()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), "PLINTH_TEST_JOURNAL="+dir)
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 6)); err != nil {
		t.Fatal(err)
	}
	if leftovers, err := Leftovers(dir); err != nil || len(leftovers) != 0 {
		t.Errorf("while its owner lives: %d leftovers, %v", len(leftovers), err)
	}
	_ = command.Process.Kill()
	_ = command.Wait()
	leftovers, err := Leftovers(dir)
	if err != nil || len(leftovers) != 1 || leftovers[0].Label() != "killed" || len(leftovers[0].Entries()) != 1 {
		t.Fatalf("after kill -9: %v, %v", leftovers, err)
	}
	if again, err := Leftovers(dir); err != nil || len(again) != 0 {
		t.Errorf("a second plinth got %d of them, %v", len(again), err)
	}
	_ = leftovers[0].Close()
}

// A crash can truncate the file at any byte. The complete lines are then read.
func TestCrashAtEveryByte(t *testing.T) {
	dir := t.TempDir()
	j, err := Open(dir, "test")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b", "c"} {
		entry, err := j.Note("set", name)
		if err != nil {
			t.Fatal(err)
		}
		if name == "b" {
			if err := j.Forget(entry); err != nil {
				t.Fatal(err)
			}
		}
	}
	text, err := os.ReadFile(j.file.Name())
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(text) + 1 {
		_, entries, err := parse(text[:n])
		if err != nil {
			t.Fatalf("cut after %d bytes: %v", n, err)
		}
		changes := bytes.Count(text[:n], []byte("\n")) - 1
		want := []int{0, 1, 2, 1, 2}[max(changes, 0)]
		if len(entries) != want {
			t.Fatalf("cut after %d bytes: %d changes left, want %d", n, len(entries), want)
		}
	}
}

func TestDamageIsNotGuessedAt(t *testing.T) {
	good := `{"schema":"plinth/journal/v1","pid":1,"label":"x"}` + "\n"
	for name, text := range map[string]string{
		"schema":  `{"schema":"plinth/journal/v2"}` + "\n",
		"header":  "nonsense\n",
		"line":    good + "{{{\n" + `{"id":1,"note":"set","args":"a"}` + "\n",
		"order":   good + `{"id":2,"note":"set","args":"a"}` + "\n",
		"no kind": good + `{"id":1}` + "\n",
		"undone":  good + `{"id":7,"forget":true}` + "\n",
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "x"+suffix)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		leftovers, err := Leftovers(dir)
		if err != nil || len(leftovers) != 1 || leftovers[0].Damage() == nil {
			t.Fatalf("%s: %v, %v; want one that is damaged", name, leftovers, err)
		}
		err = leftovers[0].PutBack(t.Context(), machine{}.undoers())
		if err == nil || !strings.Contains(err.Error(), path) || hint.Of(err) == "" {
			t.Errorf("%s: error %v, want one that names the file", name, err)
		}
		_ = leftovers[0].Close()
		if after, _ := os.ReadFile(path); string(after) != text {
			t.Errorf("%s: the file was changed", name)
		}
	}
}

func TestAnUnknownKindIsKept(t *testing.T) {
	j, err := Open(t.TempDir(), "test")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := j.Note("from the future", 1); err != nil {
		t.Fatal(err)
	}
	if err := j.PutBack(t.Context(), Undoers{}); err == nil || len(j.entries) != 1 {
		t.Errorf("error %v, %d left; want an error and the change kept", err, len(j.entries))
	}
}

// After any sequence of changes and a crash at any point, PutBack leaves nothing set.
func TestNothingStaysSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "journal")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		j, err := Open(dir, "test")
		if err != nil {
			t.Fatal(err)
		}
		m := machine{}
		for i, act := range rapid.SliceOfN(rapid.SampledFrom([]string{"set", "unset", "note only"}), 0, 12).Draw(t, "acts") {
			name := string(rune('a' + i))
			switch act {
			case "set", "note only": // a crash may come between the note and the change
				if _, err := j.Note("set", name); err != nil {
					t.Fatal(err)
				}
				if act == "set" {
					m[name] = true
				}
			case "unset":
				if len(j.entries) == 0 {
					continue
				}
				last := slices.Clone(j.entries)[len(j.entries)-1]
				var undone string
				_ = json.Unmarshal(last.Args, &undone)
				delete(m, undone)
				if err := j.Forget(last); err != nil {
					t.Fatal(err)
				}
			}
		}
		_ = j.file.Close() // the crash
		leftovers, err := Leftovers(dir)
		if err != nil || len(leftovers) > 1 {
			t.Fatalf("leftovers %v, %v", leftovers, err)
		}
		for _, l := range leftovers {
			if err := errors.Join(l.PutBack(context.Background(), m.undoers()), l.Close()); err != nil {
				t.Fatal(err)
			}
		}
		if files, _ := os.ReadDir(dir); len(files) != 0 {
			t.Fatalf("files left: %v", files)
		}
		if len(m) != 0 {
			t.Fatalf("left set: %v", m)
		}
	})
}

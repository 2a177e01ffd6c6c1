package tune

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"plinth/internal/hint"
)

// TestKept checks what Kept returns about a kept tuning.
func TestKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if kept, err := Kept(w.dir); kept != nil || err != nil {
		t.Fatal(kept, err)
	}
	w.play("apply vm.swappiness=10")
	kept, err := Kept(w.dir)
	if err != nil || kept == nil {
		t.Fatal(kept, err)
	}
	if kept.Until != UntilRollback || kept.Crashed || kept.Plan == nil || strings.Join(kept.Profiles, " ") != "test" ||
		time.Since(kept.Since) > time.Minute || kept.Rebooted(w.machine) || strings.Join(kept.Changes(), ";") != "vm.swappiness: 10, was 60" {
		t.Errorf("%+v: %v", kept, kept.Changes())
	}
	if !strings.Contains(kept.Words(), "a tuning of test was applied at") {
		t.Error(kept.Words())
	}
	checks, err := Verify(t.Context(), w.request(), kept.Plan) // what another plinth can learn
	if err != nil || len(checks) != 1 || !checks[0].OK || checks[0].Have != "10" {
		t.Errorf("%+v, %v", checks, err)
	}
	if other, err := Kept(w.dir); other != nil || err != nil {
		t.Errorf("it is locked, and another one got %+v, %v", other, err)
	}
	w.machine.boot = "another"
	notes, err := kept.Rollback(t.Context(), w.machine)
	if err != nil || len(notes) != 1 || notes[0].Rule != "rebooted" {
		t.Errorf("%v, %v", notes, err)
	}
	w.play("expect vm.swappiness=10; expect nothing left") // the new boot set it
}

// TestKeptAfterACrash distinguishes a crash from a tuning kept on purpose, also if some of it
// could not be undone.
func TestKeptAfterACrash(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.play("crash after 1; apply vm.swappiness=10, vm.dirty_ratio=5")
	w.revive()
	kept, err := Kept(w.dir)
	if err != nil || kept == nil || !kept.Crashed || kept.Until != "" || !strings.Contains(kept.Words(), "was not completed") {
		t.Fatalf("%+v, %v", kept, err)
	}
	if err := kept.Close(); err != nil {
		t.Fatal(err)
	}
	w.play("somebody vm.swappiness=33; rollback fails")
	kept, err = Kept(w.dir)
	if err != nil || kept == nil || !kept.Crashed || strings.Join(kept.Changes(), "; ") != "vm.swappiness: 10, was 60" {
		t.Fatalf("%+v, %v", kept, err)
	}
	if err := kept.Close(); err != nil {
		t.Fatal(err)
	}
	w.play("adopt; expect nothing left; expect vm.swappiness=33")
}

// A journal that cannot be trusted changes nothing: it is reported, and stays.
func TestKeptThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ from, to, words string }{
		"damaged":               {`{"id":3`, `{"id":9`, "vm.swappiness: 10, was 60"},
		"torn in between":       {`"note":"knob"`, `"note":"kn`, "line 3"},
		"later schema":          {"plinth/journal/v1", "plinth/journal/v7", "use the version of plinth that wrote it"},
		"other machine":         {`"machine":"`, `"machine":"not`, "another machine; its changes: vm.swappiness: 10, was 60"},
		"later kind":            {`"note":"tuned"`, `"note":"tuned-otherwise"`, "does not support it"},
		"no file of the kernel": {`"path":"/proc/sys/vm/swappiness"`, `"path":"/proc/sys/../../etc/passwd"`, "not a kernel file"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.play("apply vm.swappiness=10")
			for file, text := range w.journals() {
				changed := strings.Replace(string(text), tc.from, tc.to, 1)
				if changed == string(text) {
					t.Fatalf("no %s in %s", tc.from, text)
				}
				if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if name == "other machine" {
				if err := w.adopt(); err == nil || !strings.Contains(err.Error(), tc.words) {
					t.Errorf("adopted: %v", err)
				}
			}
			writes := w.machine.writes
			err := w.rollback()
			var notBack *PutBackError
			if !errors.As(err, &notBack) || !strings.Contains(err.Error()+hint.Of(err), tc.words) {
				t.Errorf("%v; %s", err, hint.Of(err))
			}
			if w.machine.writes != writes {
				t.Error("it changed something")
			}
			w.play("expect vm.swappiness=10; expect something left")
			if _, err := Keep(t.Context(), w.dir, UntilReboot, w.request(), &Plan{}); err == nil {
				t.Error("something was kept on top of it")
			}
		})
	}
}

func TestUntilWhen(t *testing.T) {
	t.Parallel()
	if _, err := Keep(t.Context(), t.TempDir(), "tomorrow", Request{}, &Plan{}); err == nil || !strings.Contains(hint.Of(err), UntilReboot) {
		t.Error(err)
	}
}

package site

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCleanLeavesOtherMachines: a state directory may be shared with other machines, whose changes cannot be undone here.
func TestCleanLeavesOtherMachines(t *testing.T) {
	state := t.TempDir()
	t.Setenv("PLINTH_STATE", state)
	text := `{"schema":"plinth/journal/v1","pid":1,"label":"x","machine":"another"}` + "\n" + `{"id":1,"note":"directory","args":{"path":"/scratch/plinth-1"}}` + "\n"
	path := filepath.Join(state, "x.journal")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var said []string
	if err := Clean(t.Context(), func(line string) { said = append(said, line) }, false); err != nil {
		t.Fatal(err)
	}
	if len(said) != 1 || !strings.Contains(said[0], "belongs to another machine") {
		t.Errorf("said %q", said)
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != text {
		t.Errorf("its journal is %q, %v", after, err)
	}
}

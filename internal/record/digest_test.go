package record_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"plinth/internal/record"
)

// TestDigestIsThatOfTheCommand checks that Digest returns what DigestCommand prints.
func TestDigestIsThatOfTheCommand(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"experiment.yaml": "name: x", "machine.json": "{}", "record.json": "not part of it", "report.html": "nor this",
		"environments/a.json": `{"a":1}`, "environments/b.json": `{"b":1}`,
		"runs/a/w/c1-j1/r01/run.json": "1", "runs/a/w/c10-j1/r01/run.json": "2", "runs/a/w/c1-j1/r01/raw/log.json": "left out",
		"runs/a/w/c1-j1/r01/points.parquet": "left out", "runs/b-x/w/c1-j1/r01/run.json": "3", "runs/b/w/c1-j1/r01/run.json": "4",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := record.Digest(dir)
	if err != nil {
		t.Fatal(err)
	}
	if want := typed(t, dir); got != want {
		t.Errorf("%s, but the command prints %s", got, want)
	}
	if err := os.WriteFile(filepath.Join(dir, "runs/b/w/c1-j1/r01/run.json"), []byte("5"), 0o644); err != nil {
		t.Fatal(err)
	}
	if changed, err := record.Digest(dir); err != nil || changed == got {
		t.Errorf("another run, and the digest is the same: %v", err)
	}
}

// typed returns the digest that a shell computes.
func typed(t *testing.T, dir string) string {
	cmd := exec.Command("sh", "-c", record.DigestCommand)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	sum, _, _ := strings.Cut(string(out), " ")
	return sum
}

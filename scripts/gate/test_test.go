package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestRun runs a gate of four steps: one passes and prints counts of node:test, three fail.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	tests := filepath.Join(dir, "events")
	if err := os.WriteFile(tests, []byte(`{"Action":"pass","Package":"plinth/internal/unit","Test":"TestA","Elapsed":1}
{"Action":"output","Package":"plinth/internal/unit","Test":"TestB","Output":"got 1, want 2\n"}
{"Action":"fail","Package":"plinth/internal/unit","Test":"TestB","Elapsed":1}
{"Action":"fail","Package":"plinth/internal/unit","Elapsed":2}
`), 0o644); err != nil {
		t.Fatal(err)
	}
	steps := []step{
		{name: "page", command: []string{"printf", "ℹ pass 83\\nℹ fail 0\\n"}},
		{name: "unit", command: []string{"cat", tests}, packages: []string{"plinth/internal/unit"}},
		{name: "lint", command: []string{"sh", "-c", "echo a line is too long >&2; exit 1"}},
		{name: "broken", command: []string{"sh", "-c", "echo no Go here >&2; exit 1"}, packages: []string{"plinth/internal/hint"}},
	}
	out := &strings.Builder{}
	g := &gate{out: out, began: time.Now(), logs: filepath.Join(dir, "logs")}
	for _, s := range steps {
		g.left = append(g.left, s.parts()...)
	}
	g.total = len(g.left)
	for _, s := range steps {
		g.run(t.Context(), s)
	}
	if err := g.end(t.Context()); !errors.Is(err, errRed) {
		t.Errorf("end returns %v", err)
	}
	for _, want := range []string{
		"ok   page ", "1 of 4, left: internal/unit, lint, internal/hint\n",
		"RED  internal/unit ", "    got 1, want 2\n",
		"RED  lint ", "    a line is too long\n",
		"RED  internal/hint ", "    no Go here\n", "4 of 4\n",
		"red: internal/unit TestB\n", "red: lint\n", "red: internal/hint\n",
		"tests: 84 passed, 3 failed, 0 skipped\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if log, err := os.ReadFile(filepath.Join(dir, "logs", "internal-unit.log")); err != nil || !strings.Contains(string(log), "got 1, want 2") {
		t.Errorf("the log has %q, %v", log, err)
	}
}

// TestExcerpt checks that the beginning and the end of a long text are shown.
func TestExcerpt(t *testing.T) {
	g := &gate{logs: t.TempDir()}
	text := g.excerpt("cli", "first\n"+strings.Repeat("line\n", 1000)+"last\n")
	if n := strings.Count(text, "\n") + 1; n != 2*excerptLines+1 {
		t.Errorf("%d lines", n)
	}
	if !strings.HasPrefix(text, "    first\n") || !strings.HasSuffix(text, "    last") || !strings.Contains(text, "... complete output in "+g.logs+"/cli.log") {
		t.Errorf("the excerpt is\n%s", text)
	}
}

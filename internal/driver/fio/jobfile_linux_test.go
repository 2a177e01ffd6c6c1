package fio

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"plinth/internal/host/launch"
)

// TestFioRunsTheJobFile checks that fio accepts the file, and measures the same jobs.
func TestFioRunsTheJobFile(t *testing.T) {
	program, err := Find(t.Context(), launch.NewLocal())
	if err != nil {
		if os.Getenv("CI") != "" { // where everything must be installed
			t.Fatal(err)
		}
		t.Skip(err)
	}
	dir := t.TempDir()
	data, file := filepath.Join(dir, "a:b"), filepath.Join(dir, "jobs.fio")
	text := JobFile(Target{Path: data, Size: 1 << 20, Seed: 7}, []Job{
		{Name: "a", Pattern: Read, Block: 8192, Depth: 1, Time: 10 * time.Millisecond, Buffered: true},
		{Name: "b", Pattern: Write, Block: 8192, Depth: 1, Time: 10 * time.Millisecond, Buffered: true, Durable: true},
	})
	for path, content := range map[string]string{data: string(make([]byte, 1<<20)), file: text} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := run(t.Context(), launch.NewLocal(), launch.Command{Path: program.Path, Args: []string{"--output-format=json+", file}, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	results, err := Parse(out)
	if err != nil || len(results) != 2 || results[0].Name != "a" || results[0].Read.Operations == 0 || results[1].Sync.Count() == 0 {
		t.Errorf("%+v, %v", results, err)
	}
}

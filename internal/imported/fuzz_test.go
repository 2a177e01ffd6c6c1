package imported_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plinth/internal/imported"
	"plinth/internal/record"
	"plinth/internal/verdict"
)

// FuzzImport: whatever a text holds, it is refused, or becomes a record that can be read and compared.
func FuzzImport(f *testing.F) {
	for _, root := range []string{"../../docs/captures", "../capture"} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || strings.HasSuffix(path, ".go") || strings.Contains(path, "/fuzz/") {
				return err
			}
			text, err := os.ReadFile(path)
			f.Add(string(text[:min(len(text), 4096)]))
			return err
		})
		if err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		out, err := imported.Read(t.Context(), imported.Options{Paths: []string{"-"}, Stdin: strings.NewReader(text)})
		if err != nil || len(out.Runs) == 0 {
			return
		}
		path, err := out.Write(imported.Into{Store: t.TempDir(), Version: "test", Created: time.Now()})
		if err != nil {
			t.Fatal(err)
		}
		rec, err := record.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := verdict.Between(rec, rec, verdict.Options{}, func(_, _ record.Environment) []record.Note { return nil }); err == nil {
			t.Error("it was compared with itself")
		}
		for i := range rec.Runs {
			if points, err := rec.OpenPoints(&rec.Runs[i]); err == nil {
				_ = points.Close()
			} else if len(out.Runs[i].Points.Columns) > 0 {
				t.Error(err)
			}
		}
	})
}

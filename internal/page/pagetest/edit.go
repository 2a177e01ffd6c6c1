package pagetest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"

	"plinth/internal/record"
)

// mysql makes it a record of an engine that this plinth does not know, whole and
// with its fingerprints right.
func mysql(dir string) error {
	rec, err := record.Open(dir)
	if err != nil {
		return err
	}
	file := bytes.Replace(rec.ExperimentYAML, []byte("engine: postgres"), []byte("engine: mysql"), 1)
	if err := os.WriteFile(filepath.Join(dir, "experiment.yaml"), file, 0o644); err != nil {
		return err
	}
	declared := record.DeclaredFingerprint(file, rec.Summary.Plan)
	for _, run := range rec.Runs {
		err := edit(filepath.Join(dir, run.Path()), "run.json", func(object map[string]any) { object["declared_sha256"] = declared })
		if err != nil {
			return err
		}
	}
	return edit(dir, "record.json", func(object map[string]any) {
		object["engine"], object["experiment_sha256"] = "mysql", record.Fingerprint(file)
	})
}

// later makes it a record of a plinth to come.
func later(dir string) error {
	return edit(dir, "record.json", func(object map[string]any) { object["schema"] = "plinth/record/v9" })
}

// edit changes a JSON file of a record.
func edit(dir, name string, change func(object map[string]any)) error {
	path := filepath.Join(dir, filepath.FromSlash(name))
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	object := map[string]any{}
	if err := json.Unmarshal(data, &object); err != nil {
		return err
	}
	change(object)
	if data, err = json.MarshalIndent(object, "", "  "); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

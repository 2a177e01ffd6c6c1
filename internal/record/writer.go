package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"plinth/internal/hint"
	"plinth/internal/record/files"
)

// Writer writes one record, which can have only one Writer at a time. It is not safe for
// concurrent use.
type Writer struct {
	path string
	root *os.Root
	lock *os.File
}

// Create creates the directory of a new record in store and writes what is known before the first
// run: experiment.yaml and record.json. It sets summary's Schema, State, Created and Fingerprint.
// It creates store if that does not exist.
func Create(store, name string, created time.Time, summary *Summary, experimentYAML []byte) (*Writer, error) {
	w, err := create(store, name, created, summary, experimentYAML)
	if err != nil {
		return nil, fmt.Errorf("cannot create a record in %s: %w", store, err)
	}
	return w, nil
}

func create(store, name string, created time.Time, summary *Summary, experimentYAML []byte) (*Writer, error) {
	if err := checkName("an experiment", name); err != nil {
		return nil, err
	}
	path, err := claim(store, name+"-"+created.UTC().Format("20060102T150405Z"))
	if err != nil {
		return nil, hint.Wrap(err, "choose a writable directory with --store")
	}
	w, err := newWriter(path)
	if err != nil {
		return nil, err
	}
	summary.Created, summary.State = created.UTC(), Running
	summary.Fingerprint = Fingerprint(experimentYAML)
	err = errors.Join(
		files.Replace(w.root, experimentFile, experimentYAML),
		w.Save(summary),
		syncDir(store),
	)
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// claim creates a new directory: name, or name-2 and so on if another record began in the same
// second.
func claim(store, name string) (string, error) {
	if err := os.MkdirAll(store, 0o755); err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		path := filepath.Join(store, name)
		if n > 1 {
			path = fmt.Sprintf("%s-%d", path, n)
		}
		err := os.Mkdir(path, 0o755)
		if !errors.Is(err, fs.ErrExist) {
			return path, err
		}
	}
}

func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// Reopen continues the record at path. It deletes the run that was in progress when the last
// writer stopped, and that writer's now.json. It fails while another writer is active.
func Reopen(path string) (*Writer, error) {
	w, err := newWriter(path)
	if err != nil {
		return nil, fmt.Errorf("cannot continue record %s: %w", path, err)
	}
	if _, err = readSummary(w.root, nil); err == nil {
		w.untell()
		err = w.root.RemoveAll(runningDir)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cannot continue record %s: %w", path, err), w.Close())
	}
	return w, nil
}

func newWriter(path string) (*Writer, error) {
	held, err := lock(path)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, errors.Join(err, held.Close())
	}
	return &Writer{path: path, root: root, lock: held}, nil
}

// Path returns the directory of the record.
func (w *Writer) Path() string { return w.path }

// Save replaces record.json.
func (w *Writer) Save(summary *Summary) error {
	summary.Schema = SummarySchema
	if err := w.replace(summaryFile, summary); err != nil {
		return advice(fmt.Errorf("cannot save the record: %w", err))
	}
	return nil
}

// WriteEnvironment writes or replaces environments/NAME.json.
func (w *Writer) WriteEnvironment(environment Environment) error {
	environment.Schema = EnvironmentSchema
	err := checkName("an environment", environment.Name)
	if err == nil {
		err = files.MakeDir(w.root, environmentsDir)
	}
	if err == nil {
		err = w.replace(environmentsDir+"/"+environment.Name+".json", environment)
	}
	if err != nil {
		return fmt.Errorf("cannot record environment %s: %w", environment.Name, err)
	}
	return nil
}

func (w *Writer) replace(name string, content any) error {
	data, err := files.Marshal(content)
	if err != nil {
		return err
	}
	return files.Replace(w.root, name, data)
}

// Discard removes a record that has no measurements, and closes it.
func (w *Writer) Discard() error {
	err := w.empty()
	if err == nil {
		err = os.Remove(w.path)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return fmt.Errorf("cannot remove the empty record: %w", err)
	}
	return nil
}

// empty removes everything in the record through the directory handle: the path may refer to
// another directory now.
func (w *Writer) empty() error {
	entries, err := fs.ReadDir(w.root.FS(), ".")
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := w.root.RemoveAll(entry.Name()); err != nil {
			return err
		}
	}
	return nil
}

// Close releases the lock. Committed runs stay.
func (w *Writer) Close() error {
	w.untell()
	return errors.Join(w.root.Close(), w.lock.Close())
}

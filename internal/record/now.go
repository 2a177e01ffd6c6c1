package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/record/files"
)

// Now describes what a running experiment is doing. now.json holds it from the first step to the
// end of the experiment. Only pages read that file, and nothing else depends on it.
type Now struct {
	At          time.Time        `json:"at"`   // when it was written
	Step        string           `json:"step"` // "starting", "loading", "preparing", "driving", "checkpointing", "stopping"
	Environment string           `json:"environment,omitempty"`
	Detail      string           `json:"detail,omitempty"` // "accounts, 45 %"
	Cell        *experiment.Cell `json:"cell,omitempty"`   // of the run in progress
	Path        string           `json:"path,omitempty"`   // of the run in progress, below runs
	Run         int              `json:"run"`              // the run's number; 0 before the first
	Runs        int              `json:"runs"`             // planned in total
	Left        float64          `json:"left_s"`           // seconds to the end of the experiment, as of At; 0 if unknown
}

// Tell replaces now.json without a sync: its content is useless after a crash, and a sync would
// cause I/O during a measurement.
func (w *Writer) Tell(now Now) error {
	if err := w.tell(now); err != nil {
		return advice(fmt.Errorf("cannot write %s: %w", nowFile, err))
	}
	return nil
}

func (w *Writer) tell(now Now) error {
	data, err := json.Marshal(now)
	if err != nil {
		return err
	}
	temporary := nowFile + ".tmp"
	if err := w.root.RemoveAll(temporary); err != nil {
		return err
	}
	if err := w.root.WriteFile(temporary, append(data, '\n'), 0o644); err != nil {
		return err
	}
	return w.root.Rename(temporary, nowFile)
}

// untell removes now.json, since the experiment has ended. Errors are ignored: a reader that
// finds a leftover file sees that no writer is active.
func (w *Writer) untell() {
	_ = w.root.RemoveAll(nowFile)
	_ = w.root.RemoveAll(nowFile + ".tmp")
}

// ReadNow returns what the experiment that writes the record at path is doing, or nil if no
// writer is active or none has called Tell yet.
func ReadNow(path string) (*Now, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, cannotRead(path, files.Bare(err))
	}
	defer func() { _ = root.Close() }() // nothing was written
	if !Live(path) {
		return nil, nil //nolint:nilnil // there being none is no error
	}
	data, err := files.Read(root, nowFile, maxNowFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // as above
	}
	var now Now
	if err == nil {
		err = json.Unmarshal(data, &now)
	}
	if err != nil {
		return nil, cannotRead(path, files.Damaged(nowFile, err))
	}
	return &now, nil
}

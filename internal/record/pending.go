package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"

	"plinth/internal/hint"
	"plinth/internal/record/files"
)

// Pending is the run in progress. It lives in the record's running directory; Commit makes it
// part of the record in one rename.
type Pending struct {
	writer *Writer
	id     RunID
	live   *os.File
}

// Begin starts a run. It deletes what an earlier run left in the running directory.
func (w *Writer) Begin(id RunID) (*Pending, error) {
	live, err := w.begin(id)
	if err != nil {
		return nil, advice(fmt.Errorf("cannot begin a run: %w", err))
	}
	return &Pending{w, id, live}, nil
}

func (w *Writer) begin(id RunID) (*os.File, error) {
	if err := id.check(); err != nil {
		return nil, err
	}
	if err := w.root.RemoveAll(runningDir); err != nil {
		return nil, err
	}
	if err := w.root.MkdirAll(runningDir+"/"+rawDir, 0o755); err != nil {
		return nil, err
	}
	return w.root.OpenFile(runningDir+"/"+liveFile, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
}

// RawDir returns the directory for the load generator's verbatim output.
func (p *Pending) RawDir() string { return p.path(rawDir) }

// WriteRaw writes text to a file in RawDir and returns its path.
func (p *Pending) WriteRaw(name, text string) (path string, err error) {
	return filepath.Join(p.RawDir(), name), p.writer.root.WriteFile(running(rawDir, name), []byte(text), 0o644)
}

// CreateRaw creates a file in RawDir.
func (p *Pending) CreateRaw(name string) (*os.File, error) {
	return p.writer.root.Create(running(rawDir, name))
}

// HistogramLog returns the path of the latency.hlog file.
func (p *Pending) HistogramLog() string { return p.path(histogramFile) }

// CreateHistogramLog creates the latency.hlog file.
func (p *Pending) CreateHistogramLog() (*os.File, error) {
	return p.writer.root.Create(running(histogramFile))
}

// running returns the path of a file in the running directory, from the root of the record. Another user
// may own a directory above the record: what is written goes through the record's open root.
func running(parts ...string) string { return path.Join(append([]string{runningDir}, parts...)...) }

func (p *Pending) path(name string) string {
	return filepath.Join(p.writer.path, runningDir, name)
}

// Live appends one line to live.jsonl, for readers that follow the run.
func (p *Pending) Live(point Point) error {
	line, err := json.Marshal(point)
	if err == nil {
		_, err = p.live.Write(append(line, '\n')) // one write: readers see whole lines
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", liveFile, err)
	}
	return nil
}

// Commit makes the run part of the record: it syncs all files before it renames the directory
// into runs. It sets run.Schema. Points without columns (a run that failed early) produce no
// points file.
func (p *Pending) Commit(run *Run, points Points) error {
	if run.RunID != p.id {
		return fmt.Errorf("cannot commit run %s: it was started as %s", run.Path(), p.id.Path())
	}
	run.Schema = RunSchema
	err := p.complete(run, points)
	if err == nil {
		err = p.publish()
	}
	if err != nil {
		return advice(fmt.Errorf("cannot commit run %s: %w", p.id.Path(), err))
	}
	return nil
}

// advice adds a hint to the usual errors of writing a record. Earlier runs are safe in any case.
func advice(err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return hint.Wrap(err, "free space on the record's filesystem, then resume the record")
	case errors.Is(err, syscall.EROFS), errors.Is(err, syscall.EIO): // ext4 answers either after an error of its disk
		return hint.Wrap(err, "find out why the record's filesystem failed (dmesg), then resume the record")
	case errors.Is(err, fs.ErrNotExist):
		return hint.Wrap(err, "check whether the record was moved or removed while plinth wrote it")
	}
	return err
}

// complete writes the missing files and syncs all of them.
func (p *Pending) complete(run *Run, points Points) error {
	root := p.writer.root
	if len(points.Columns) > 0 {
		if err := writePoints(points, func() (*os.File, error) { return root.Create(running(pointsFile)) }); err != nil {
			return err
		}
	}
	data, err := files.Marshal(run)
	if err != nil {
		return err
	}
	err = errors.Join(p.live.Close(), root.Remove(runningDir+"/"+liveFile))
	if err != nil {
		return err
	}
	if err := files.Write(root, runningDir+"/"+runFile, data); err != nil {
		return err
	}
	return files.SyncTree(root, runningDir)
}

func (p *Pending) publish() error {
	root, target := p.writer.root, p.id.Path()
	if err := files.MakeDir(root, path.Dir(target)); err != nil {
		return err
	}
	// rename(2) would silently replace an empty directory.
	if _, err := root.Lstat(target); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, errors.New("the run already exists"))
	}
	if err := root.Rename(runningDir, target); err != nil {
		return err
	}
	return errors.Join(files.Sync(root, path.Dir(target)), files.Sync(root, "."))
}

// Drop discards the run.
func (p *Pending) Drop() error {
	p.live.Close() // already closed if a Commit failed
	if err := p.writer.root.RemoveAll(runningDir); err != nil {
		return fmt.Errorf("cannot discard the run in progress: %w", err)
	}
	return nil
}

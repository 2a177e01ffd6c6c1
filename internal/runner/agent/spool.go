package agent

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"

	"plinth/internal/driver"
	"plinth/internal/runner/site"
)

// spool keeps the files of a run on this machine until the load has ended. Sending them during the
// load would make the load generator wait for the network.
type spool struct {
	dir   string
	files []spooled
}

type spooled struct {
	name string // empty for the histogram log
	path string
}

var _ driver.Keeper = (*spool)(nil)

// newSpool creates a directory in the site's own, which is in the journal; without one, in the system's.
func newSpool(s site.Site) (*spool, error) {
	parent := ""
	if local, is := s.(interface{ Scratch() string }); is {
		parent = local.Scratch()
	}
	dir, err := os.MkdirTemp(parent, "plinth-run-")
	return &spool{dir: dir}, err
}

// WriteRaw keeps a text.
func (s *spool) WriteRaw(name, text string) (string, error) {
	path := filepath.Join(s.dir, filepath.Base(name))
	s.files = append(s.files, spooled{name: name, path: path})
	return path, os.WriteFile(path, []byte(text), 0o644)
}

// CreateRaw creates a file for raw output.
func (s *spool) CreateRaw(name string) (*os.File, error) {
	return s.create(name, "raw-"+filepath.Base(name))
}

// CreateHistogramLog creates the file for the histograms.
func (s *spool) CreateHistogramLog() (*os.File, error) { return s.create("", "histograms") }

func (s *spool) create(name, file string) (*os.File, error) {
	path := filepath.Join(s.dir, file)
	f, err := os.Create(path)
	s.files = append(s.files, spooled{name: name, path: path})
	return f, err
}

// chunkSize keeps a chunk well below the limit of an event.
const chunkSize = 256 << 10

// send sends all files, in chunks. An empty file is one empty chunk.
func (s *spool) send(send func(chunk)) error {
	for _, kept := range s.files {
		f, err := os.Open(kept.path)
		if errors.Is(err, os.ErrNotExist) {
			continue // the driver removed it
		}
		if err != nil {
			return err
		}
		err = eachChunk(f, func(data []byte) { send(chunk{Name: kept.name, Data: data}) })
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}

func eachChunk(r io.Reader, do func([]byte)) error {
	data := make([]byte, chunkSize)
	for first := true; ; first = false {
		n, err := io.ReadFull(r, data)
		if n > 0 || first {
			do(slices.Clone(data[:n]))
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// remove removes the directory. If that fails, the system's cleaning of temporary files does it.
func (s *spool) remove() { _ = os.RemoveAll(s.dir) }

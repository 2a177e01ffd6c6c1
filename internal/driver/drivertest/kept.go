// Package drivertest provides a driver.Keeper for tests of drivers: it keeps the files of a driver
// in a directory that the test chooses.
package drivertest

import (
	"os"
	"path/filepath"
	"testing"

	"plinth/internal/driver"
)

// Kept is a test's implementation of driver.Keeper.
type Kept struct {
	Raw          string // a directory
	HistogramLog string
}

// In returns a Kept whose files are below dir.
func In(tb testing.TB, dir string) *Kept {
	tb.Helper()
	k := &Kept{Raw: filepath.Join(dir, "raw"), HistogramLog: filepath.Join(dir, "latency.hlog")}
	if err := os.MkdirAll(k.Raw, 0o755); err != nil {
		tb.Fatal(err)
	}
	return k
}

// Of returns the Kept of a test's job.
func Of(job driver.Job) *Kept { return job.Keep.(*Kept) }

// WriteRaw writes a text into Raw, and returns its path.
func (k *Kept) WriteRaw(name, text string) (path string, err error) {
	path = filepath.Join(k.Raw, name)
	return path, os.WriteFile(path, []byte(text), 0o644)
}

// CreateRaw creates a file in Raw.
func (k *Kept) CreateRaw(name string) (*os.File, error) {
	return os.Create(filepath.Join(k.Raw, name))
}

// CreateHistogramLog creates the file of that name.
func (k *Kept) CreateHistogramLog() (*os.File, error) { return os.Create(k.HistogramLog) }

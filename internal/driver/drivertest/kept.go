// Package drivertest keeps what drivers under test leave behind.
package drivertest

import (
	"os"
	"path/filepath"
	"testing"

	"plinth/internal/driver"
)

// Kept is where a run of a test leaves what it keeps.
type Kept struct {
	Raw          string // a directory
	HistogramLog string
}

// In keeps what a run leaves below dir.
func In(tb testing.TB, dir string) *Kept {
	tb.Helper()
	k := &Kept{Raw: filepath.Join(dir, "raw"), HistogramLog: filepath.Join(dir, "latency.hlog")}
	if err := os.MkdirAll(k.Raw, 0o755); err != nil {
		tb.Fatal(err)
	}
	return k
}

// Of is what a job of a test keeps.
func Of(job driver.Job) *Kept { return job.Keep.(*Kept) }

// WriteRaw writes a text into Raw, and returns its path.
func (k *Kept) WriteRaw(name, text string) (path string, err error) {
	path = filepath.Join(k.Raw, name)
	return path, os.WriteFile(path, []byte(text), 0o644)
}

// CreateRaw makes a file in Raw.
func (k *Kept) CreateRaw(name string) (*os.File, error) {
	return os.Create(filepath.Join(k.Raw, name))
}

// CreateHistogramLog makes the file of that name.
func (k *Kept) CreateHistogramLog() (*os.File, error) { return os.Create(k.HistogramLog) }

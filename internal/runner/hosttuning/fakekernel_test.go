package hosttuning

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"plinth/internal/experiment/decode"
	"plinth/internal/host"
	"plinth/internal/journal/journaltest"
	"plinth/internal/runner/tuning"
	"plinth/internal/tune"
)

// fakeKernel is a machine that consists of a few files.
type fakeKernel struct{ files map[string]string }

func newFakeKernel() *fakeKernel {
	return &fakeKernel{map[string]string{
		"/proc/sys/vm/swappiness": "60", "/proc/sys/vm/dirty_expire_centisecs": "3000",
		"/proc/sys/vm/dirty_ratio": "20", "/proc/sys/vm/dirty_bytes": "0",
		"/proc/sys/vm/dirty_background_ratio": "10", "/proc/sys/vm/dirty_background_bytes": "0",
	}}
}

func (k *fakeKernel) String() string {
	var lines []string
	for _, path := range slices.Sorted(maps.Keys(k.files)) {
		lines = append(lines, path+"="+k.files[path])
	}
	return strings.Join(lines, " ")
}

func (k *fakeKernel) Read(path string) (string, error) {
	text, there := k.files[path]
	if !there {
		return "", &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	return text, nil
}

func (k *fakeKernel) Write(path, value string) error {
	if _, there := k.files[path]; !there {
		return &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	k.files[path] = value
	return nil
}

func (k *fakeKernel) Writable(path string) error {
	_, err := k.Read(path)
	return err
}

func (k *fakeKernel) Hold(path string, _ []byte) (io.Closer, error) {
	return nil, fmt.Errorf("there is no %s", path)
}

func (k *fakeKernel) Match(pattern string) ([]string, error) {
	if _, there := k.files[pattern]; there {
		return []string{pattern}, nil
	}
	return nil, nil
}

func (k *fakeKernel) Boot() string                             { return "boot" }
func (k *fakeKernel) ID() string                               { return "machine" }
func (k *fakeKernel) Mounts() ([]host.Filesystem, error)       { return nil, nil }
func (k *fakeKernel) Remount(string, []string, []string) error { return errors.ErrUnsupported }

// hostOf returns the Host of an experiment on a machine, with its own journal.
func hostOf(t *testing.T, m tune.Machine, text string) *Host {
	t.Helper()
	e, _, err := decode.Parse("tuning.yaml", []byte(text), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	worked, err := tuning.Work(t.Context(), e, func(context.Context, map[string]string) (host.Inventory, error) {
		return host.Inventory{Facts: host.Facts{CPUs: 4, Memory: 16 << 30}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	g := New(m, worked.Requests(m))
	g.journal = journaltest.Open(t, tune.Undoers(m))
	return g
}

package serve

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"plinth/internal/hint"
	"plinth/internal/record"
)

// errNotFound is the error for every path that does not exist.
var errNotFound = hint.Errorf("start at the list of records", "there is no such page here")

// errGone is the error for a record that is not in the store.
var errGone = hint.Errorf("it may have been removed or renamed; see the list of records", "there is no such record in the store")

// longestName is the maximum length of a file name on common filesystems, in bytes.
const longestName = 255

// isName reports whether text can be the name of a directory directly in the store, rather than
// a path to another place.
func isName(text string) bool {
	return text != "" && len(text) <= longestName && text != "." && text != ".." && !strings.ContainsAny(text, "/\\\x00")
}

// version identifies the state of a record, at the cost of a few calls of stat: it changes with
// each committed run, with each save, and when the writing process ends.
type version struct {
	summary state // of record.json
	// running is the inode of the directory of the run in progress. A commit renames it, so while
	// it is the same, no run was committed. (record.json is written only after whole repeats.)
	running uint64
	// dir is the state of the record's directory if no run is in progress: a run may have started
	// and ended in between. It is not used during runs, because each update of now.json changes it.
	dir  state
	live bool
}

// state identifies the state of a file or directory.
type state struct {
	changed time.Time
	size    int64
	inode   uint64
}

// versionOf returns the version of a record. The error is errGone if it does not exist or is
// not a record; a symbolic link never is one.
func versionOf(store, name string) (version, error) {
	if !isName(name) {
		return version{}, errGone
	}
	dir := filepath.Join(store, name)
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return version{}, gone(err)
	}
	summary, err := os.Lstat(filepath.Join(dir, "record.json"))
	if err != nil {
		return version{}, gone(err)
	}
	v := version{summary: stateOf(summary), live: record.Live(dir)}
	if running, err := os.Lstat(filepath.Join(dir, "running")); err == nil {
		v.running = stateOf(running).inode
	} else {
		v.dir = stateOf(info)
	}
	return v, nil
}

// gone returns errGone if err means that the record does not exist, otherwise err.
func gone(err error) error {
	if err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG) {
		return errGone
	}
	return err
}

func stateOf(info fs.FileInfo) state {
	s := state{changed: info.ModTime(), size: info.Size()}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		s.inode = stat.Ino
	}
	return s
}

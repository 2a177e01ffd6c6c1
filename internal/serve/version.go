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

// errNotFound is all that is said of what is not there, whatever was asked for.
var errNotFound = hint.Errorf("begin at the list of records", "there is no such page here")

// errGone is said of a record that is not in the store.
var errGone = hint.Errorf("it may have been removed or renamed; the list has what there is", "there is no such record in the store")

// longestName is that of a file name on the usual filesystems, in bytes.
const longestName = 255

// isName says whether text can be the name of a directory in the store, and of no
// other: names are compared whole, and never taken for a path.
func isName(text string) bool {
	return text != "" && len(text) <= longestName && text != "." && text != ".." && !strings.ContainsAny(text, "/\\\x00")
}

// version tells whether a record has changed since it was read, for a few stats: it
// changes with every run that is committed, every save, and when its writer goes.
type version struct {
	summary state // of record.json
	// running is the directory of the run in progress: a commit renames it, so while it
	// is the same nothing was committed. (record.json is written after whole repeats only.)
	running uint64
	// dir is the record's directory, where no run is in progress: one may have come and
	// gone since. It would do for all, but it changes with each word of now.json.
	dir  state
	live bool
}

// state is one state of a file or a directory.
type state struct {
	changed time.Time
	size    int64
	inode   uint64
}

// versionOf looks at the record name of store. The error is errGone for what is not
// there, or is no record: a symlink is none, wherever it leads.
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

// gone is what to say of a record that cannot be looked at.
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

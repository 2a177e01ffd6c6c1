package volume

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/journal"
	"plinth/internal/record"
)

// Volume is a concrete place where data lives.
type Volume struct {
	Path string // where the server finds it: empty, private, its own
	Role string // "data" or "wal"

	facts   record.Volume
	journal *journal.Journal
	entries []journal.Entry
}

// Make makes the directory NAME in parent, which must be there, for owner (nil
// for plinth's own user). Where the owner may not enter parent, such as below
// /root, Path is a bind mount at a place that it may enter.
func Make(j *journal.Journal, parent, name, role string, owner *host.User) (*Volume, error) {
	v := &Volume{Role: role, journal: j}
	if err := v.make(parent, name, owner); err != nil {
		err = fmt.Errorf("cannot make the %s volume in %s: %w", role, parent, err)
		return nil, errors.Join(err, v.Remove(context.Background()))
	}
	return v, nil
}

func (v *Volume) make(parent, name string, owner *host.User) error {
	parent, err := resolve(parent)
	if err != nil {
		return err
	}
	path := filepath.Join(parent, name)
	if v.facts, err = readFacts(parent); err != nil {
		return err
	}
	id := rand.Text()
	dir, err := v.makeDirectory(path, id)
	if err != nil {
		return err
	}
	defer dir.Close()
	data := filepath.Join(path, "data")
	if err := makePrivate(dir, "data", owner); err != nil {
		return err
	}
	v.Path = data
	v.facts.Role, v.facts.Path = v.Role, data
	if ok, blocking := owner.CanEnter(data); !ok {
		mounted, err := v.bindMount(dir, bind{Source: path, ID: id}, owner, blocking)
		if err != nil {
			return err
		}
		v.Path = filepath.Join(mounted, "data")
	}
	return nil
}

// Check says whether Make could make a directory in parent, without making any:
// parent must be a directory that plinth may write in.
func Check(parent string) error {
	dir, err := resolve(parent)
	if err == nil {
		err = notWritable(unix.Access(dir, unix.W_OK|unix.X_OK))
	}
	if err != nil {
		return fmt.Errorf("cannot use %s: %w", parent, err)
	}
	return nil
}

// resolve is the absolute path of a directory that is there, without links.
func resolve(parent string) (string, error) {
	abs, err := filepath.Abs(parent)
	if err != nil {
		return "", err
	}
	dir, err := filepath.EvalSymlinks(abs)
	if errors.Is(err, fs.ErrNotExist) {
		return "", hint.Wrap(errors.New("no such directory"), "make the directory, or mount the disk that it is to be on")
	}
	if err != nil {
		return "", err
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = hint.Wrap(errors.New("it is not a directory"), "name the directory that the data are to be made in")
	}
	return dir, err
}

// Facts tell what the volume lies on, and how much was free before it was used.
func (v *Volume) Facts() record.Volume { return v.facts }

func readFacts(dir string) (record.Volume, error) {
	filesystem, err := host.FilesystemOf(dir)
	if err != nil {
		return record.Volume{}, err
	}
	size, err := host.TotalSpace(dir)
	if err != nil {
		return record.Volume{}, err
	}
	free, err := host.FreeSpace(dir)
	if err != nil {
		return record.Volume{}, err
	}
	v := record.Volume{Filesystem: filesystem.Type, Options: filesystem.Options,
		Source: filesystem.Source, Size: size, Free: free}
	// What it stands on explains numbers; where that cannot be told, nothing is lost
	// but telemetry of the disk.
	if place, err := host.PlaceOf("", dir); err == nil {
		v.Device, v.Disks = place.Device(), place.Disks
	}
	return v, nil
}

// Remove undoes all that was made for the volume, its content included. It may
// be called twice; what could not be undone stays in the journal.
func (v *Volume) Remove(ctx context.Context) error {
	var failures []error
	for _, e := range slices.Backward(v.entries) {
		err := Undoers()[e.Kind](ctx, e.Args)
		if err == nil {
			err = v.journal.Forget(e)
		}
		failures = append(failures, err)
	}
	return errors.Join(failures...)
}

// note writes to the journal what is about to be made.
func (v *Volume) note(kind string, args any) error {
	e, err := v.journal.Note(kind, args)
	if err == nil {
		v.entries = append(v.entries, e)
	}
	return err
}

// The kinds of change of this package, as the journal names them.
const (
	directoryKind = "directory"
	bindMountKind = "bind-mount"
)

// Undoers undo what this package makes.
func Undoers() journal.Undoers {
	return journal.Undoers{directoryKind: undoDirectory, bindMountKind: undoBindMount}
}

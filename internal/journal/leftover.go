package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"plinth/internal/hint"
)

const suffix = ".journal"

// Leftover is the journal of a plinth that is no longer there. It is locked, so
// that two plinths do not put the same things back.
type Leftover struct {
	Journal
	header header
}

// Label says what the changes were made for.
func (l *Leftover) Label() string { return l.header.Label }

// Entries are the changes that are not undone, in the order they were made.
func (l *Leftover) Entries() []Entry { return slices.Clone(l.left) }

// Leftovers reads the journals in dir whose owners are gone. Each must be closed.
// A journal that is damaged, or from a later plinth, is an error that names it;
// nothing in it is guessed.
func Leftovers(dir string) ([]*Leftover, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*"+suffix))
	if err != nil {
		return nil, err
	}
	var leftovers []*Leftover
	for _, path := range paths {
		leftover, err := openLeftover(path)
		if err != nil {
			for _, opened := range leftovers {
				_ = opened.file.Close()
			}
			return nil, hint.Wrap(fmt.Errorf("cannot read the journal %s: %w", path, err),
				"look at what it names; once all of that is put back, remove the file")
		}
		if leftover != nil {
			leftovers = append(leftovers, leftover)
		}
	}
	return leftovers, nil
}

// openLeftover returns nil for a journal whose owner lives, or that was closed
// in between.
func openLeftover(path string) (*Leftover, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if lock(file) != nil {
		return nil, file.Close()
	}
	text, err := io.ReadAll(file)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	leftover, length, err := parse(text)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	leftover.file, leftover.path = file, path
	// A line that a crash cut off would run into the next one.
	if err := file.Truncate(int64(length)); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return leftover, nil
}

// parse reads a journal, and returns how many bytes of it are whole lines. The
// last line may be torn: the crash came before the change that it announces.
func parse(text []byte) (*Leftover, int, error) {
	length := bytes.LastIndexByte(text, '\n') + 1
	l := &Leftover{Journal: Journal{next: 1}}
	if length == 0 {
		return l, 0, nil // the crash came before the first change
	}
	lines := bytes.Split(text[:length-1], []byte{'\n'})
	if err := json.Unmarshal(lines[0], &l.header); err != nil {
		return nil, 0, fmt.Errorf("line 1: %w", err)
	}
	if l.header.Schema != Schema {
		return nil, 0, fmt.Errorf("it has the schema %q, this plinth reads %s", l.header.Schema, Schema)
	}
	for i, line := range lines[1:] {
		if err := l.replay(line); err != nil {
			return nil, 0, fmt.Errorf("line %d: %w", i+2, err)
		}
	}
	return l, length, nil
}

func (l *Leftover) replay(line []byte) error {
	var entry Entry
	if err := json.Unmarshal(line, &entry); err != nil {
		return err
	}
	if entry.Undone {
		at := slices.IndexFunc(l.left, func(e Entry) bool { return e.ID == entry.ID })
		if at < 0 {
			return fmt.Errorf("change %d is put back but was never made", entry.ID)
		}
		l.left = slices.Delete(l.left, at, at+1)
		return nil
	}
	if entry.ID != l.next || entry.Kind == "" {
		return fmt.Errorf("change %d of kind %q is out of order", entry.ID, entry.Kind)
	}
	l.next++
	l.left = append(l.left, entry)
	return nil
}

// Package journal is what undoes the changes that plinth makes to a machine:
// each is written down and synced before it is made. A plinth that ends by force
// leaves its journal behind, and the next one (or plinth clean) puts back what
// it names.
package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"plinth/internal/hint"
)

// Schema is the layout of a journal file: a header, then one line for each
// change and each undone change. A reader refuses a later one.
const Schema = "plinth/journal/v1"

// Undoer undoes one kind of change. It is idempotent: what is not there is fine.
type Undoer func(ctx context.Context, args json.RawMessage) error

// Undoers are all kinds of change that can be undone, by kind.
type Undoers map[string]Undoer

// header is the first line of a journal.
type header struct {
	Schema  string    `json:"schema"`
	PID     int       `json:"pid"`
	BootID  string    `json:"boot_id"`
	Started time.Time `json:"started"`
	Label   string    `json:"label"` // what the changes were made for: the path of a record
}

// Entry is one change, or (Undone) the word that it was put back.
type Entry struct {
	ID     int             `json:"id"`
	Kind   string          `json:"kind,omitempty"`
	Args   json.RawMessage `json:"args,omitempty"`
	Undone bool            `json:"undone,omitempty"`
}

// Describe names the change for people.
func (e Entry) Describe() string { return fmt.Sprintf("%s %s", e.Kind, e.Args) }

// Journal is the journal of this process. It is safe for concurrent use.
type Journal struct {
	mu   sync.Mutex
	path string
	file *os.File // locked while this process lives; the kernel drops the lock with it
	left []Entry  // changes that are not undone, in the order they were made
	next int
}

// StateDir is where journals are kept: PLINTH_STATE, else /var/lib/plinth for
// root, else plinth in XDG_STATE_HOME or ~/.local/state.
func StateDir() (string, error) {
	if dir := os.Getenv("PLINTH_STATE"); dir != "" {
		return dir, nil
	}
	if os.Getuid() == 0 {
		return "/var/lib/plinth", nil
	}
	if dir := os.Getenv("XDG_STATE_HOME"); dir != "" {
		return filepath.Join(dir, "plinth"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", hint.Errorf("set PLINTH_STATE to a directory that is kept", "cannot find a place for the journal: %w", err)
	}
	return filepath.Join(home, ".local", "state", "plinth"), nil
}

// Open begins a journal in dir, which is made when it is not there. The label
// says what for: the path of a record.
func Open(dir, label string) (*Journal, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, hint.Errorf("set PLINTH_STATE to a directory that can be written", "cannot make a journal: %w", err)
	}
	// The name that others look for comes last, so that nobody takes a journal
	// that is not yet locked for one that was left behind.
	file, err := os.CreateTemp(dir, time.Now().UTC().Format("20060102T150405Z")+"-*.new")
	if err != nil {
		return nil, hint.Errorf("set PLINTH_STATE to a directory that can be written", "cannot make a journal: %w", err)
	}
	j := &Journal{path: strings.TrimSuffix(file.Name(), ".new") + suffix, file: file, next: 1}
	bootID, _ := os.ReadFile("/proc/sys/kernel/random/boot_id") // told to people only
	err = errors.Join(lock(file), j.append(header{
		Schema: Schema, PID: os.Getpid(), BootID: strings.TrimSpace(string(bootID)), Started: time.Now().UTC(), Label: label,
	}))
	if err == nil {
		err = errors.Join(os.Rename(file.Name(), j.path), syncDir(dir))
	}
	if err != nil {
		return nil, fmt.Errorf("cannot make a journal: %w", errors.Join(err, file.Close(), os.Remove(file.Name())))
	}
	return j, nil
}

// Note writes down a change before it is made. When it returns, the words that
// undo it are on disk.
func (j *Journal) Note(kind string, args any) (Entry, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	raw, err := json.Marshal(args)
	if err != nil {
		return Entry{}, fmt.Errorf("cannot journal a change: %w", err)
	}
	entry := Entry{ID: j.next, Kind: kind, Args: raw}
	if err := j.append(entry); err != nil {
		return Entry{}, fmt.Errorf("cannot journal a change: %w", err)
	}
	j.next++
	j.left = append(j.left, entry)
	return entry, nil
}

// Forget says that a change has been put back.
func (j *Journal) Forget(entry Entry) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.forget(entry)
}

func (j *Journal) forget(entry Entry) error {
	if err := j.append(Entry{ID: entry.ID, Undone: true}); err != nil {
		return fmt.Errorf("cannot journal a change: %w", err)
	}
	j.left = slices.DeleteFunc(j.left, func(e Entry) bool { return e.ID == entry.ID })
	return nil
}

// PutBack undoes all that is left, the last change first. It goes on after a
// failure and returns all of them.
func (j *Journal) PutBack(ctx context.Context, undoers Undoers) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	var failures []error
	for _, entry := range slices.Backward(slices.Clone(j.left)) {
		undo, known := undoers[entry.Kind]
		if !known {
			failures = append(failures, fmt.Errorf("cannot undo %q: this plinth does not know that kind of change", entry.Kind))
			continue
		}
		if err := undo(ctx, entry.Args); err != nil {
			failures = append(failures, err)
			continue
		}
		failures = append(failures, j.forget(entry))
	}
	return errors.Join(failures...)
}

// Close ends the journal. Its file goes when nothing is left to undo, and stays
// for the next plinth otherwise.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	var err error
	if len(j.left) == 0 {
		err = os.Remove(j.path)
	}
	return errors.Join(err, j.file.Close())
}

// append adds a line and waits until it is on disk.
func (j *Journal) append(line any) error {
	text, err := json.Marshal(line)
	if err != nil {
		return err
	}
	if _, err := j.file.Write(append(text, '\n')); err != nil {
		return err
	}
	return j.file.Sync()
}

func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}

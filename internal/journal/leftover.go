package journal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"plinth/internal/hint"
)

// Leftover is the journal of a dead process. It is locked until Close, so that two processes do
// not undo the same change.
type Leftover struct {
	header  header
	journal Journal
	damage  error
	tried   bool // PutBack has tried every entry: the rest could not be undone
}

// Leftovers returns the journals in stateDir whose owner is dead, and removes those with
// nothing to undo, and the locks of dead processes. If the directory does not exist, it returns none.
func Leftovers(stateDir string) ([]*Leftover, error) {
	names, err := os.ReadDir(stateDir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot search for changes that a crash left behind: %w", err)
	}
	var found []*Leftover
	var failures []error
	for _, name := range names {
		if name.Type().IsRegular() && strings.HasSuffix(name.Name(), lockSuffix) {
			failures = append(failures, dropLock(filepath.Join(stateDir, name.Name())))
		}
		if !name.Type().IsRegular() || !strings.HasSuffix(name.Name(), suffix) {
			continue
		}
		l, err := pickUp(filepath.Join(stateDir, name.Name()))
		if err != nil {
			failures = append(failures, fmt.Errorf("cannot read a journal that a crash left behind: %w", err))
		}
		if l != nil {
			found = append(found, l)
		}
	}
	return found, errors.Join(failures...)
}

// pickUp opens a journal. It returns nil if the owner lives or nothing is left of the journal.
func pickUp(path string) (*Leftover, error) {
	opened, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|syscall.O_NOFOLLOW, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	f := &file{File: opened}
	l, err := readLocked(f)
	if l == nil {
		_ = f.Close()
	}
	return l, err
}

func readLocked(f *file) (*Leftover, error) {
	if err := flock(f.File, syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		if errors.Is(err, errTaken) {
			err = nil
		}
		return nil, err
	}
	if !f.isAt() {
		return nil, nil // its owner has just undone everything and removed it
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	l := &Leftover{journal: Journal{file: f}}
	l.header, l.journal.entries, l.damage = parse(text)
	if l.damage == nil && len(l.journal.entries) == 0 {
		return nil, f.remove()
	}
	return l, nil
}

// Label returns the purpose of the changes: a record's path.
func (l *Leftover) Label() string { return l.header.Label }

// Boot returns the ID of the boot during which the journal was written.
func (l *Leftover) Boot() string { return l.header.Boot }

// Machine returns the ID of the machine on which the journal was written; "" if the machine
// had none.
func (l *Leftover) Machine() string { return l.header.Machine }

// Started returns the start time of the process that wrote the journal.
func (l *Leftover) Started() time.Time { return l.header.Started }

// Path returns the path of the journal's file.
func (l *Leftover) Path() string { return l.journal.file.Name() }

// Entries returns the changes left to undo, in the order in which they were made; of a damaged
// journal, those before the damage.
func (l *Leftover) Entries() []Entry { return l.journal.Entries() }

// Damage returns the reason why the journal cannot be used; nil if it can.
func (l *Leftover) Damage() error { return l.damage }

// Forget drops the entries that PutBack could not undo, and the journal with them: for changes
// that can no longer be undone. A journal that PutBack refused is kept, because none of it was
// tried.
func (l *Leftover) Forget() error {
	if l.damage != nil {
		return l.damaged()
	}
	if !l.tried {
		return hint.Errorf("use the plinth version that wrote it, or a later one",
			"cannot discard the journal %s: its changes were not undone", l.Path())
	}
	return l.journal.file.remove()
}

// Adopt forgets all entries without undoing them: the current state is the wanted one. A
// damaged journal is kept, since its contents are not fully known.
func (l *Leftover) Adopt() error {
	if l.damage != nil {
		return l.damaged()
	}
	return l.journal.file.remove()
}

// PutBack undoes the remaining changes, as Journal.PutBack does, and removes the journal when
// all are undone. It changes nothing, and keeps the journal, if the journal is damaged or has
// an entry of an unknown kind.
func (l *Leftover) PutBack(ctx context.Context, undoers Undoers) error {
	if l.damage != nil {
		return l.damaged()
	}
	if err := l.dropTornLine(); err != nil {
		return fmt.Errorf("cannot use the journal %s: %w", l.Path(), err)
	}
	l.tried = undoers.know(l.Entries()) == nil
	if err := l.journal.PutBack(ctx, undoers); err != nil {
		return fmt.Errorf("%w (journal %s)", err, l.Path())
	}
	return l.journal.file.remove()
}

// dropTornLine removes the partial line that a crash during a write left, so that lines can be
// appended.
func (l *Leftover) dropTornLine() error {
	f := l.journal.file
	text, err := io.ReadAll(io.NewSectionReader(f, 0, 1<<40))
	if err != nil {
		return err
	}
	return f.Truncate(int64(strings.LastIndexByte(string(text), '\n') + 1))
}

func (l *Leftover) damaged() error {
	return hint.Errorf("manually undo the changes listed in the file, then remove it",
		"cannot use the journal %s: %w%s", l.Path(), l.damage, known(l.Entries()))
}

func known(entries []Entry) string {
	if len(entries) == 0 {
		return ""
	}
	words := make([]string, 0, len(entries))
	for _, e := range slices.Backward(entries) {
		words = append(words, e.Describe())
	}
	return "; known remaining changes: " + strings.Join(words, "; ")
}

// Close closes and unlocks the journal, whose file stays if anything is left in it.
func (l *Leftover) Close() error { return l.journal.file.Close() }

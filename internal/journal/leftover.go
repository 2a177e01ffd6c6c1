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

// Leftover is the journal of a plinth that died. It is locked until Close, so
// that two plinths don't put back the same thing.
type Leftover struct {
	header  header
	journal Journal
	damage  error
	tried   bool // PutBack has tried every entry: what is left could not be undone
}

// Leftovers finds the journals in stateDir whose owner is dead, and removes
// those that have nothing to undo. No such directory means none.
func Leftovers(stateDir string) ([]*Leftover, error) {
	names, err := os.ReadDir(stateDir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot look for what a crash left behind: %w", err)
	}
	var found []*Leftover
	var failures []error
	for _, name := range names {
		if !name.Type().IsRegular() || !strings.HasSuffix(name.Name(), suffix) {
			continue
		}
		l, err := pickUp(filepath.Join(stateDir, name.Name()))
		if err != nil {
			failures = append(failures, fmt.Errorf("cannot look at what a crash left behind: %w", err))
		}
		if l != nil {
			found = append(found, l)
		}
	}
	return found, errors.Join(failures...)
}

// pickUp opens a journal; nil when its owner lives or nothing is left of it.
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
		return nil, nil // its owner has just put everything back and removed it
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

// Label says what the changes were made for: a record's path.
func (l *Leftover) Label() string { return l.header.Label }

// Boot is the boot of the machine in which it was written.
func (l *Leftover) Boot() string { return l.header.Boot }

// Machine is the id of the machine on which it was written, "" where that had none.
func (l *Leftover) Machine() string { return l.header.Machine }

// Started is when the plinth that wrote it began.
func (l *Leftover) Started() time.Time { return l.header.Started }

// Path is the journal's own file.
func (l *Leftover) Path() string { return l.journal.file.Name() }

// Entries are the changes that are left to undo, in the order in which they were
// made; as far as they are known, when the journal is damaged.
func (l *Leftover) Entries() []Entry { return l.journal.Entries() }

// Damage is why the journal can't be used; nil when it can.
func (l *Leftover) Damage() error { return l.damage }

// Forget drops what PutBack could not undo, and the journal with it: for what
// nobody can put back any more. A journal that PutBack refused is kept, because
// nothing in it was tried.
func (l *Leftover) Forget() error {
	if l.damage != nil {
		return l.damaged()
	}
	if !l.tried {
		return hint.Errorf("use the plinth that made it, or a later one",
			"cannot forget what the journal %s names: putting it back was not tried", l.Path())
	}
	return l.journal.file.remove()
}

// Adopt forgets all that is left without putting anything back: what is there now is
// what is wanted. A damaged journal is kept, as nobody knows what it names.
func (l *Leftover) Adopt() error {
	if l.damage != nil {
		return l.damaged()
	}
	return l.journal.file.remove()
}

// PutBack undoes what is left, as Journal.PutBack does, and removes the journal
// when all is done. A damaged journal, or one that this plinth does not know,
// changes nothing and is kept.
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

// dropTornLine makes room for more lines after a crash in mid-write.
func (l *Leftover) dropTornLine() error {
	f := l.journal.file
	text, err := io.ReadAll(io.NewSectionReader(f, 0, 1<<40))
	if err != nil {
		return err
	}
	return f.Truncate(int64(strings.LastIndexByte(string(text), '\n') + 1))
}

func (l *Leftover) damaged() error {
	return hint.Errorf("see what it names; when all of that is put back by hand, remove the file",
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
	return "; known to be left: " + strings.Join(words, "; ")
}

// Close lets go of the journal; it stays when there is something left in it.
func (l *Leftover) Close() error { return l.journal.file.Close() }

package tune

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"plinth/internal/hint"
	"plinth/internal/journal"
	"plinth/internal/record"
)

// How long a tuning that outlives plinth is kept.
const (
	UntilRollback = "rollback" // until plinth tune rollback; a reboot also ends it, except for domains and servers
	UntilReboot   = "reboot"   // until the next boot, or an earlier rollback
)

// Dir returns the directory of the tuning journals and the lock, below a state directory. The
// journals of plinth's other commands are elsewhere. The journal of changes that are in force
// only while a command runs is here, too: if plinth dies, Kept finds it, so that its changes are
// undone before anything kept earlier.
func Dir(stateDir string) string { return filepath.Join(stateDir, "tune") }

// LockPath returns the path of the lock that the one plinth process holds which changes this machine.
func LockPath(stateDir string) string { return filepath.Join(Dir(stateDir), "lock") }

// Keep applies a plan that outlives plinth. It returns an error if a tuning is already kept:
// rolling back the new one would not restore the original state.
func Keep(ctx context.Context, stateDir, until string, r Request, p *Plan) (*Applied, error) {
	if until != UntilRollback && until != UntilReboot {
		return nil, hint.Errorf("use "+UntilRollback+" or "+UntilReboot, "cannot keep a tuning until %q", until)
	}
	if kept, err := Kept(stateDir); err != nil || kept != nil {
		if err == nil {
			err = hint.Errorf("undo it first with plinth tune rollback, or accept the current values with plinth tune adopt",
				"cannot apply: %s", kept.Words())
		}
		return nil, errors.Join(err, kept.Close())
	}
	j, err := journal.Open(Dir(stateDir), "tune")
	if err != nil {
		return nil, err
	}
	a, err := apply(ctx, j, r, p, until)
	return a, errors.Join(err, j.Close())
}

// KeptState is a tuning that an earlier plinth process left, either intentionally or because
// the process died.
type KeptState struct {
	Profiles []string
	Until    string // "" if it was not applied completely
	Plan     *Plan  // as applied; nil if it was not applied completely
	Since    time.Time
	// Crashed reports that plinth died before the tuning was complete. All of it is undone.
	Crashed bool

	leftover *journal.Leftover
}

// Kept returns the tuning kept in stateDir; nil for none. It is locked until Close.
func Kept(stateDir string) (*KeptState, error) {
	leftovers, err := journal.Leftovers(Dir(stateDir))
	if err != nil {
		for _, l := range leftovers {
			_ = l.Close() // its lock must not stay
		}
		return nil, err
	}
	var kept *KeptState
	for _, l := range leftovers {
		if kept != nil {
			_ = l.Close() // it follows once this one is gone
			continue
		}
		kept = readKept(l)
	}
	return kept, nil
}

func readKept(l *journal.Leftover) *KeptState {
	k := &KeptState{leftover: l, Since: l.Started(), Crashed: l.Damage() == nil}
	for _, e := range l.Entries() {
		switch e.Kind {
		case beginKind:
			var b begin
			_ = json.Unmarshal(e.Args, &b) // an unreadable entry is a plan without a name
			k.Profiles = b.Profiles
		case endKind:
			var last end
			if json.Unmarshal(e.Args, &last) == nil && last.Until != "" {
				k.Until, k.Plan, k.Crashed = last.Until, last.Plan, false
			}
		}
	}
	return k
}

// Words describes the tuning, for display.
func (k *KeptState) Words() string {
	of := ""
	if len(k.Profiles) > 0 {
		of = " of " + strings.Join(k.Profiles, ", ")
	}
	since := k.Since.Local().Format(time.DateTime)
	switch {
	case k.leftover.Damage() != nil:
		return fmt.Sprintf("the journal %s cannot be read: %v", k.Path(), k.leftover.Damage())
	case k.Crashed:
		return fmt.Sprintf("a tuning%s began at %s and was not completed", of, since)
	}
	return fmt.Sprintf("a tuning%s was applied at %s, to be kept until %s", of, since, k.Until)
}

// Path returns the path of the journal.
func (k *KeptState) Path() string { return k.leftover.Path() }

// Damage returns why the journal cannot be used; nil if it can.
func (k *KeptState) Damage() error { return k.leftover.Damage() }

// Changes lists what the tuning changed, as far as known, in order.
func (k *KeptState) Changes() []string {
	var all []string
	for _, e := range k.leftover.Entries() {
		if e.Kind != beginKind && e.Kind != endKind {
			all = append(all, e.Describe())
		}
	}
	return all
}

// Rebooted reports whether the machine has booted since the tuning: the kernel then started with
// its own values.
func (k *KeptState) Rebooted(m Machine) bool {
	return k.leftover.Boot() != "" && k.leftover.Boot() != m.Boot()
}

// Rollback undoes the tuning and closes it. The notes say what needed no undo. What could not be
// undone is returned in a *PutBackError, and stays in the journal.
func (k *KeptState) Rollback(ctx context.Context, m Machine, reached ...Reached) ([]record.Note, error) {
	defer func() { _ = k.Close() }()
	if err := k.ofOther(m); err != nil {
		return nil, notPutBack(err)
	}
	var notes []record.Note
	if k.Damage() == nil && k.Rebooted(m) {
		notes = append(notes, record.Note{Rule: "rebooted",
			Text: "the machine has rebooted since: the kernel started with its own values; settings of servers and virtual machines remain until they are undone"})
	}
	return notes, notPutBack(k.leftover.PutBack(ctx, Undoers(m, reached...)))
}

// Adopt accepts the current values: the previous ones are forgotten. The kernel still loses its
// settings at the next boot.
func (k *KeptState) Adopt(m Machine) error {
	err := k.ofOther(m)
	if err == nil {
		err = k.leftover.Adopt()
	}
	return errors.Join(err, k.Close())
}

// ofOther returns an error if the tuning is that of another machine, with which this one shares the directory.
func (k *KeptState) ofOther(m Machine) error {
	if id := k.leftover.Machine(); k.Damage() != nil || id == "" || m.ID() == "" || id == m.ID() {
		return nil
	}
	return hint.Errorf("roll it back on that machine, then remove the file",
		"cannot use the journal %s: it belongs to another machine; its changes: %s", k.Path(), strings.Join(k.Changes(), "; "))
}

// Close releases the journal and keeps its file.
func (k *KeptState) Close() error {
	if k == nil {
		return nil
	}
	return k.leftover.Close()
}

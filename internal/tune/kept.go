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

// How long a tuning is kept that outlives plinth.
const (
	UntilRollback = "rollback" // plinth tune rollback; a boot ends it as well, but for domains and servers
	UntilReboot   = "reboot"   // the next boot, or a rollback before
)

// Dir is the directory of the journals of tuning, and of the lock, below a state
// directory. It is not that of the other journals, which are those of plinths that died.
// What is applied around a command has its journal there, too, so that Kept finds it when
// plinth died, and puts it back before anything that was kept before.
func Dir(stateDir string) string { return filepath.Join(stateDir, "tune") }

// Keep applies a plan so that it stays when plinth ends. Where something is kept already,
// it is refused: rolling that back would not lead to where this began.
func Keep(ctx context.Context, stateDir, until string, r Request, p *Plan) (*Applied, error) {
	if until != UntilRollback && until != UntilReboot {
		return nil, hint.Errorf("say "+UntilRollback+" or "+UntilReboot, "cannot keep a tuning until %q", until)
	}
	if kept, err := Kept(stateDir); err != nil || kept != nil {
		if err == nil {
			err = hint.Errorf("put it back first with plinth tune rollback, or make it the new normal with plinth tune adopt",
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

// KeptState is a tuning that an earlier plinth left: on purpose, or because it died in
// the middle.
type KeptState struct {
	Profiles []string
	Until    string    // "" where it was not applied whole
	Plan     *Plan     // as it was applied; nil where it was not applied whole
	Since    time.Time //
	// Crashed says that it was not applied whole: plinth died. All of it is put back.
	Crashed bool

	leftover *journal.Leftover
}

// Kept is what is kept in stateDir, nil for nothing. It is locked until Close.
func Kept(stateDir string) (*KeptState, error) {
	leftovers, err := journal.Leftovers(Dir(stateDir))
	if err != nil {
		return nil, err
	}
	var kept *KeptState
	for _, l := range leftovers {
		if kept != nil {
			_ = l.Close() // the next one shows when this one is gone
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
			_ = json.Unmarshal(e.Args, &b) // one that says nothing is a plan without a name
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

// Words say what is kept, for people.
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
		return fmt.Sprintf("a tuning%s began at %s and did not come to its end", of, since)
	}
	return fmt.Sprintf("a tuning%s is kept since %s, until %s", of, since, k.Until)
}

// Path is the journal's own file.
func (k *KeptState) Path() string { return k.leftover.Path() }

// Damage is why the journal cannot be used; nil when it can.
func (k *KeptState) Damage() error { return k.leftover.Damage() }

// Changes are what it changed, as far as that is known, the first one first.
func (k *KeptState) Changes() []string {
	var all []string
	for _, e := range k.leftover.Entries() {
		if e.Kind != beginKind && e.Kind != endKind {
			all = append(all, e.Describe())
		}
	}
	return all
}

// Rebooted says that the machine has booted since: the kernel began with its own values.
func (k *KeptState) Rebooted(m Machine) bool {
	return k.leftover.Boot() != "" && k.leftover.Boot() != m.Boot()
}

// Rollback puts back what is kept, and closes it. Notes say what there was nothing to do
// about. What could not be put back is a *PutBackError, and stays.
func (k *KeptState) Rollback(ctx context.Context, m Machine, reached ...Reached) ([]record.Note, error) {
	defer func() { _ = k.Close() }()
	if id := k.leftover.Machine(); k.Damage() == nil && id != "" && m.ID() != "" && id != m.ID() {
		return nil, notPutBack(hint.Errorf("roll it back there; when that is done, remove the file",
			"cannot use the journal %s: it is of another machine; it names: %s", k.Path(), strings.Join(k.Changes(), "; ")))
	}
	var notes []record.Note
	if k.Damage() == nil && k.Rebooted(m) {
		notes = append(notes, record.Note{Rule: "rebooted",
			Text: "the machine has booted since: the kernel began with its own values, and nothing of the tuning is left in it"})
	}
	return notes, notPutBack(k.leftover.PutBack(ctx, Undoers(m, reached...)))
}

// Adopt makes what is there the new normal: it is forgotten how it was before.
func (k *KeptState) Adopt() error { return errors.Join(k.leftover.Adopt(), k.Close()) }

// Close lets go of the journal, which stays.
func (k *KeptState) Close() error {
	if k == nil {
		return nil
	}
	return k.leftover.Close()
}

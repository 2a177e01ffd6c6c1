package tune

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"plinth/internal/hint"
	"plinth/internal/knob"
)

// Server is a server whose settings are knobs: PostgreSQL's parameters, Redis' CONFIG.
// What it says of a setting counts, not the catalog.
type Server interface {
	// Name is what server it is, the same after it was started anew and without a
	// password in it: a journal names it, so that no other server is put back in its
	// place. "PostgreSQL in /var/lib/postgresql/17/main", "Redis at 127.0.0.1:6379".
	Name() string
	// Setting is a setting with what it may be; false where the server does not have it.
	Setting(ctx context.Context, name string) (ServerSetting, bool, error)
	// Names are all settings that it has, for the nearest right name.
	Names(ctx context.Context) ([]string, error)
	// Set sets it so that it lasts (ALTER SYSTEM, CONFIG SET), and takes back what was
	// set so where value is nil.
	Set(ctx context.Context, name string, value *string) error
	// Lasting is what Set had set before; nil for nothing.
	Lasting(ctx context.Context, name string) (*string, error)
	// Reload makes it read what was set.
	Reload(ctx context.Context) error
	// PID is that of its first process; 0 where it is not on this machine.
	PID() int
}

// ServerSetting is what a server says of one of its settings.
type ServerSetting struct {
	Value    string // as SHOW and CONFIG GET have it: "128MB"
	Restart  bool   // it changes only when the server starts
	Settable bool   // by this role, on this server: a managed one refuses some
	Why      string // why not
	// Same says whether a value means what Value means: "0.125GB" is "128MB". An error
	// where the server would refuse it, in the server's own words where it has them.
	Same func(value string) (bool, error)
}

// undoServer takes back what was set on a server so that it lasts, unless somebody else
// set it since. What needs a restart acts until the next one.
func (u *undo) undoServer(ctx context.Context, args json.RawMessage) error {
	var c serverChange
	if err := json.Unmarshal(args, &c); err != nil {
		return err
	}
	s := u.servers[c.Server]
	if s == nil {
		return hint.Errorf("name it with --server", "cannot put back %s of %s: that server is not reached here", c.Knob, c.Server)
	}
	now, err := s.Lasting(ctx, c.Knob)
	if err != nil || equal(now, c.Before) {
		return err
	}
	if now == nil || !same(c.Knob, *now, c.Set) {
		return hint.Wrap(&TheirsError{c.Knob, c.Server, worded(c.Before), c.Set, worded(now)}, adoptHint)
	}
	if err := s.Set(ctx, c.Knob, c.Before); err != nil {
		return err
	}
	return s.Reload(ctx)
}

func equal(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }

// worded is a value that was set, for people.
func worded(value *string) string {
	if value == nil {
		return "not set"
	}
	return *value
}

// lookServer asks the server about its setting.
func (r Request) lookServer(ctx context.Context, c *Change) error {
	if r.Server == nil {
		c.cannot("no server is named", "name one with --server, or render it as a file")
		return nil
	}
	setting, there, err := r.Server.Setting(ctx, c.Key.Knob)
	if err != nil {
		return err
	}
	if !there {
		c.notApplicable("this server has no such setting")
		return nil
	}
	c.Now = setting.Value
	asked, err := setting.Same(c.Then)
	switch {
	case err != nil:
		c.cannot(err.Error(), "give it a value that the server takes")
	case asked:
		c.State = InForce
	case !setting.Settable:
		c.cannot(setting.Why, "")
	case setting.Restart:
		c.State, c.Needs = Later, knob.Restart
	default:
		c.Needs = knob.Nothing
	}
	return nil
}

// setServer sets a setting so that it lasts. It is read by the server at the end, once
// for all.
func (a *Applied) setServer(ctx context.Context, c Change) error {
	if c.State == InForce {
		a.knobs = append(a.knobs, c.recorded(c.Now, c.Now))
		return nil
	}
	s := a.request.Server
	before, err := s.Lasting(ctx, c.Key.Knob)
	if err != nil {
		return err
	}
	n := serverChange{Knob: c.Key.Knob, Server: s.Name(), Was: worded(before), Set: c.Then, Before: before}
	if err := a.note(serverKind, n); err != nil {
		return err
	}
	if err := s.Set(ctx, c.Key.Knob, &c.Then); err != nil {
		return err
	}
	a.knobs = append(a.knobs, c.recorded(c.Now, c.Then))
	return nil
}

// patience is how long a server may take to read its settings: PostgreSQL's postmaster
// is told by a signal.
const patience = 5 * time.Second

// reload makes the server read what was set, and waits until it shows it.
func (a *Applied) reload(ctx context.Context, p *Plan) error {
	s := a.request.Server
	if s == nil {
		return nil
	}
	var waiting []Change
	for _, c := range p.Changes {
		if c.Layer == knob.Server && c.State == ToChange {
			waiting = append(waiting, c)
		}
	}
	if len(waiting) == 0 {
		return nil
	}
	if err := s.Reload(ctx); err != nil {
		return fmt.Errorf("cannot make the server read its settings: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		c, have, err := notYet(ctx, s, waiting)
		if err != nil || c == nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("cannot set %s to %s: the server still has %s", c.Key, c.Then, have)
		case <-tick.C:
		}
	}
}

// notYet is a change that the server does not show; nil where it shows all.
func notYet(ctx context.Context, s Server, changes []Change) (*Change, string, error) {
	for _, c := range changes {
		setting, there, err := s.Setting(ctx, c.Key.Knob)
		if err != nil {
			return nil, "", fmt.Errorf("cannot read %s back: %w", c.Key, err)
		}
		if !there {
			return nil, "", fmt.Errorf("the server has no %s any more", c.Key)
		}
		is, err := setting.Same(c.Then)
		if err != nil || !is {
			return &c, setting.Value, err
		}
	}
	return nil, "", nil
}

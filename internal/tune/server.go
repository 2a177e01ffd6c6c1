package tune

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"plinth/internal/hint"
	"plinth/internal/knob"
)

// Server is a server whose settings are knobs: PostgreSQL's parameters, Redis's CONFIG. The
// server's own description of a setting overrides the catalog.
type Server interface {
	// Name identifies the server. It stays the same after a restart and contains no password.
	// The journal records it, so that an undo never touches another server. "PostgreSQL in
	// /var/lib/postgresql/17/main", "Redis at 127.0.0.1:6379".
	Name() string
	// Setting returns a setting and its limits; false if the server does not have it.
	Setting(ctx context.Context, name string) (ServerSetting, bool, error)
	// Names returns the names of all settings, for suggestions.
	Names(ctx context.Context) ([]string, error)
	// Set sets a value persistently (ALTER SYSTEM, CONFIG SET); nil undoes that.
	Set(ctx context.Context, name string, value *string) error
	// Lasting returns the persistent value of a setting; nil for none.
	Lasting(ctx context.Context, name string) (*string, error)
	// Reload makes the server apply its settings.
	Reload(ctx context.Context) error
	// PID returns the pid of the server's first process; 0 if it is not on this machine.
	PID() int
}

// ServerSetting describes a setting, as the server reports it.
type ServerSetting struct {
	Value   string // as in SHOW and CONFIG GET: "128MB"
	Restart bool   // it changes only at a server start
	// NewSessions says that only sessions have it that begin after the change, and not the one that asks.
	NewSessions bool
	Settable    bool   // by this role, on this server: managed servers refuse some
	Why         string // why it is not settable
	// Same reports whether a value is equivalent to Value: "0.125GB" is "128MB". It returns an
	// error if the server would refuse the value, in the server's words if available.
	Same func(value string) (bool, error)
}

// undoServer undoes a persistent setting, unless another process has set it since. A setting that
// needs a restart stays in force until the next one.
func (u *undo) undoServer(ctx context.Context, args json.RawMessage) error {
	var c serverChange
	if err := json.Unmarshal(args, &c); err != nil {
		return err
	}
	s := u.servers[c.Server]
	if s == nil {
		return hint.Errorf("name the server with --server", "cannot restore %s of %s: plinth has no connection to that server", c.Knob, c.Server)
	}
	now, err := s.Lasting(ctx, c.Knob)
	if err != nil {
		return err
	}
	if equal(now, c.Before) { // an earlier attempt may have ended before the server read it
		return s.Reload(ctx)
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

// worded formats a persistent value, for display.
func worded(value *string) string {
	if value == nil {
		return "not set"
	}
	return *value
}

// lookServer asks the server about its setting.
func (r Request) lookServer(ctx context.Context, c *Change) error {
	if r.Server == nil {
		c.cannot("no server is given", "give one with --server, or write the setting to a file with plinth tune render")
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
		c.cannot(err.Error(), "give it a value that the server accepts")
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

// setServer sets a value persistently. The server applies all settings at once, at the end.
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
	// The server may store another spelling, by which undo recognises the value: "a, b" for the list "a,b".
	stored, err := s.Lasting(ctx, c.Key.Knob)
	if err != nil {
		return err
	}
	if stored != nil && !same(c.Key.Knob, *stored, c.Then) {
		n.Set = *stored
		if err := a.note(serverKind, n); err != nil {
			return err
		}
	}
	a.knobs = append(a.knobs, c.recorded(c.Now, c.Then))
	return nil
}

// patience is the time that a server may take to apply its settings: PostgreSQL's postmaster
// reloads asynchronously, on a signal.
const patience = 5 * time.Second

// reload makes the server apply its settings, and waits until it shows them.
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
		return fmt.Errorf("cannot make the server reload its settings: %w", err)
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

// notYet returns a change that the server does not show yet; nil if it shows all.
func notYet(ctx context.Context, s Server, changes []Change) (*Change, string, error) {
	for _, c := range changes {
		setting, there, err := s.Setting(ctx, c.Key.Knob)
		if err != nil {
			return nil, "", fmt.Errorf("cannot read %s back: %w", c.Key, err)
		}
		if !there {
			return nil, "", fmt.Errorf("the server no longer has %s", c.Key)
		}
		is, err := setting.Same(c.Then)
		if err != nil || !is && !setting.NewSessions {
			return &c, setting.Value, err
		}
	}
	return nil, "", nil
}

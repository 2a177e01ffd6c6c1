package tune

import (
	"context"
	"encoding/json"

	"plinth/internal/hint"
)

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

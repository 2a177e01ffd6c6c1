//go:build linux

package postgres

import (
	"context"
	"testing"

	"plinth/internal/engine"
	"plinth/internal/engine/postgres/relation"
)

var _ engine.RelationReader = (*Own)(nil)
var _ engine.RelationReader = (*Connected)(nil)

// TestRelations checks that the statistics of a dataset can be read, also by a role without privileges, and
// that a failure to do so is not taken for a failure of the server.
func TestRelations(t *testing.T) {
	t.Parallel()
	s := startStranger(t)
	c := newConnected(t, s.uri("loader"))
	t.Cleanup(func() { must(t, c.Remove(context.WithoutCancel(t.Context()))) })
	must(t, c.Start(t.Context()))
	must(t, c.Load(t.Context(), nil))
	text, err := c.Relations(t.Context())
	must(t, err)
	reading, err := relation.Decode(text)
	must(t, err)
	var found bool
	for _, r := range reading.Relations {
		found = found || r.Name.Name == "pgbench_accounts" && r.Size > 1<<20
	}
	if !found || reading.Database.Name != c.name || reading.Server.AllStats {
		t.Errorf("%+v", reading)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Relations(cancelled); err == nil {
		t.Error("a cancelled reading returned statistics")
	}
	must(t, c.Check(t.Context()))
}

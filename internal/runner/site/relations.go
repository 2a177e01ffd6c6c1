package site

import (
	"context"
	"fmt"
	"time"

	"plinth/internal/engine"
	"plinth/internal/hint"
	"plinth/internal/record"
	"plinth/internal/runner/stand"
)

// relationsLimit bounds one reading of the statistics of tables and indexes. It takes some milliseconds.
const relationsLimit = 10 * time.Second

// readRelations reads what a server says of its tables and indexes, between two loads. A server that says
// nothing, and an environment without telemetry, have none. A failure is a note.
func (l *Local) readRelations(ctx context.Context, s *stand.Stand) ([]byte, []record.Note) {
	server, reads := s.Server.(engine.RelationReader)
	if !reads || l.experiment.TelemetryOf(s.Environment) == "off" {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, relationsLimit)
	defer cancel()
	file, err := server.Relations(ctx)
	if err != nil {
		return nil, []record.Note{NoRelations(err)}
	}
	return file, nil
}

// keepRelations reads them again after the load, and adds both readings to the account. It comes after the
// checkpoint, so that the blocks that the load changed are counted as written.
func (l *Local) keepRelations(ctx context.Context, run *session, account *Account) {
	account.Warnings = append(account.Warnings, run.notes...)
	if run.relations == nil {
		return
	}
	after, notes := l.readRelations(ctx, run.stand)
	account.Warnings = append(account.Warnings, notes...)
	if after != nil {
		account.Relations = &record.Relations{Before: run.relations, After: after}
	}
}

// NoRelations returns the note on a run without statistics of tables and indexes.
func NoRelations(err error) record.Note {
	return record.Note{Rule: "no-relations", Text: fmt.Sprintf("plinth place cannot use this run: %v", err), Hint: hint.Of(err)}
}

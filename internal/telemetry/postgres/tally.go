package postgres

import (
	"errors"

	"plinth/internal/telemetry"
)

// tally counts how many sessions were seen waiting for what.
type tally struct {
	events      map[string]*event // by type and event
	cpu, active float64
	fresh       []*event // without a column
	key         []byte

	slots struct{ samples, cpu, active telemetry.Slot }
	laid  bool
}

// event is one wait event.
type event struct {
	kind, name string
	seen       float64
	slot       telemetry.Slot
}

func newTally() tally { return tally{events: map[string]*event{}} }

// add adds one sample; an error says that it does not tell of all sessions.
func (t *tally) add(a *answer) error {
	for row := range a.rows.count() {
		if kind := a.rows.text(row, 3); string(kind) != "active" {
			unseen, disabled := 1.0, 0.0
			if string(kind) == "disabled" {
				unseen, disabled = 0, 1
			}
			return errors.New(hiddenSessions(a, unseen, disabled))
		}
	}
	for row := range a.rows.count() {
		n := a.rows.number(row, 2)
		t.active += n
		if kind, name := a.rows.text(row, 0), a.rows.text(row, 1); len(kind) == 0 {
			t.cpu += n
		} else {
			t.event(kind, name).seen += n
		}
	}
	return nil
}

// event is the one of a type and a name; new ones get their column when they are put.
func (t *tally) event(kind, name []byte) *event {
	t.key = append(append(append(t.key[:0], kind...), 0), name...)
	e, known := t.events[string(t.key)]
	if !known {
		e = &event{kind: string(kind), name: string(name)}
		t.events[string(t.key)] = e
		t.fresh = append(t.fresh, e)
	}
	return e
}

// put puts what was counted so far, of so many samples.
func (t *tally) put(b *telemetry.Board, samples int) {
	if !t.laid {
		t.laid = true
		t.slots.samples = b.Counter("samples")
		t.slots.cpu, t.slots.active = b.Counter("CPU"), b.Counter("active")
		b.Ratio(waitCPU, t.slots.cpu, t.slots.samples)
		b.Ratio(waitActive, t.slots.active, t.slots.samples)
	}
	for _, e := range t.fresh { // it was not seen before: zero, not unknown
		e.slot = b.Counter("event " + e.kind + "\x00" + e.name)
		b.Before(e.slot, 0)
		b.Ratio(waitEvent, e.slot, t.slots.samples, e.kind, e.name)
	}
	t.fresh = t.fresh[:0]
	b.Put(t.slots.samples, float64(samples))
	b.Put(t.slots.cpu, t.cpu)
	b.Put(t.slots.active, t.active)
	for _, e := range t.events {
		b.Put(e.slot, e.seen)
	}
}

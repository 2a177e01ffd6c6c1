package pagetest

import (
	"fmt"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

// Live is a record that is being written. It does nothing by itself: its owner says
// when the next second, the next run and the end come.
type Live struct {
	maker   *maker
	left    []experiment.Slot
	pending *record.Pending
	second  float64
}

// Begin begins a record with a few committed runs, and the next run.
func Begin(store string) (*Live, error) {
	m, err := begin(store, Recipe{Name: "live", file: short})
	if err != nil {
		return nil, fmt.Errorf("cannot begin a record: %w", err)
	}
	l := &Live{maker: m, left: m.slots()}
	for range 2 {
		if err := l.Next(); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// Path is the directory of the record.
func (l *Live) Path() string { return l.maker.writer.Path() }

// Point adds the next second of the run that goes on.
func (l *Live) Point() error {
	l.second++
	return l.pending.Live(record.Point{Second: l.second, TPS: 1600 + 10*l.second, LatencyMS: 2.5})
}

// Next commits the run that goes on, if there is one, and begins the next.
func (l *Live) Next() error {
	if l.pending != nil {
		slot := l.left[0]
		if err := l.maker.commit(l.pending, slot); err != nil {
			return err
		}
		l.left = l.left[1:]
	}
	if err := l.maker.end(record.Running, ""); err != nil {
		return err
	}
	if len(l.left) == 0 {
		return fmt.Errorf("cannot begin a run: all %d have happened", len(l.maker.runs))
	}
	return l.begin(l.left[0])
}

func (l *Live) begin(slot experiment.Slot) (err error) {
	l.second = 0
	if l.pending, err = l.maker.writer.Begin(id(slot)); err != nil {
		return err
	}
	return l.maker.writer.Tell(record.Now{
		At: l.maker.at, Step: "driving", Environment: slot.Environment, Cell: &slot.Cell, Path: strings.TrimPrefix(id(slot).Path(), "runs/"),
		Run: len(l.maker.runs) + 1, Runs: l.maker.summary.Planned, Left: float64(10 * len(l.left)),
	})
}

// Finish ends the experiment: with the runs that are left, or interrupted. The
// record has no writer then.
func (l *Live) Finish(complete bool) error {
	if !complete {
		if err := l.pending.Drop(); err != nil {
			return err
		}
		return l.close(record.Interrupted, "interrupted")
	}
	for len(l.left) > 1 {
		if err := l.Next(); err != nil {
			return err
		}
	}
	if err := l.maker.commit(l.pending, l.left[0]); err != nil {
		return err
	}
	return l.close(record.Complete, "")
}

func (l *Live) close(state record.State, reason string) error {
	if err := l.maker.end(state, reason); err != nil {
		return err
	}
	return l.maker.writer.Close()
}

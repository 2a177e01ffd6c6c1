package running

import (
	"context"
	"errors"
	"fmt"
	"time"

	"plinth/internal/cli/base"
	"plinth/internal/cli/elsewhere"
	"plinth/internal/conninfo"
	"plinth/internal/record"
	"plinth/internal/runner"
	"plinth/internal/runner/agent"
)

// Pauses are those before each attempt to connect again to a machine that was lost. Tests replace them.
var Pauses = []time.Duration{5 * time.Second, 10 * time.Second, 20 * time.Second, 30 * time.Second, 45 * time.Second}

// connectLimit is how long ssh may take to connect again.
const connectLimit = 10 * time.Second

// sessions carries out an experiment. If it loses a machine, it connects again, and completes the record
// as --resume does.
type sessions struct {
	app      *app
	options  runner.Options
	machines *elsewhere.Machines
	view     *base.View

	path string // of the record, once it exists
}

// run runs the experiment to its end. It counts the attempts to connect anew after each finished block, so
// that a long experiment survives several losses. Finished runs are not enough: the other runs of an
// interrupted block are driven again, so an experiment whose load ends the agent would go on forever.
func (s *sessions) run(ctx context.Context) (path string, err error) {
	err = s.session(ctx)
	finished := 0
	for try := 1; reconnects(ctx, err); try++ {
		now, failed := s.resume()
		if failed != nil {
			return s.path, errors.Join(err, failed)
		}
		if now > finished {
			finished, try = now, 1
		}
		if try > len(Pauses) {
			return s.path, gaveUp(err)
		}
		pause := Pauses[try-1]
		s.view.Say(conninfo.Redact(fmt.Sprintf("%v; trying again in %.0f s (try %d of %d)", err, pause.Seconds(), try, len(Pauses))))
		err = s.again(ctx, pause, err)
	}
	return s.path, err
}

// reconnects reports whether err is a lost connection alone. If something could not be undone, too, or
// after Ctrl-C, the experiment ends.
func reconnects(ctx context.Context, err error) bool {
	return ctx.Err() == nil && errors.As(err, new(*agent.LostError)) && !errors.As(err, new(*runner.PutBackError))
}

// session runs the experiment until its end, or until a machine is lost.
func (s *sessions) session(ctx context.Context) error {
	options := s.options
	declared := *options.Experiment // the machines change it when they check it
	options.Experiment, options.Site = &declared, s.machines.Site
	options.Opened = func(path string) {
		if s.options.Opened != nil && path != s.path {
			s.options.Opened(path)
		}
	}
	path, err := runner.Run(ctx, options, s.view)
	if path != "" {
		s.path, s.options.Experiment = path, &declared // as it is recorded
	}
	return err
}

// resume makes the next session complete the record, if it exists, and returns the number of finished
// blocks in it.
func (s *sessions) resume() (finished int, err error) {
	path := s.path
	if path == "" && s.options.Resume != nil {
		path = s.options.Resume.Path
	}
	if path == "" { // nothing was measured: the experiment begins anew
		return 0, nil
	}
	s.options.Resume, err = record.Open(path)
	if err != nil {
		return 0, err
	}
	s.options.Announce, s.options.Plan, s.options.Warnings = nil, nil, nil // they were shown
	return finishedBlocks(s.options.Resume.Runs, len(s.options.Experiment.Environments)), nil
}

// finishedBlocks counts the attempts at blocks that have a run in each environment. There are at most two
// for each block.
func finishedBlocks(runs []record.Run, environments int) (finished int) {
	type attempt struct {
		record.Block
		number int
	}
	counts := map[attempt]int{}
	for _, run := range runs {
		this := attempt{record.Block{Cell: run.Cell, Repeat: run.Repeat}, run.Attempt}
		if counts[this]++; counts[this] == environments {
			finished++
		}
	}
	return finished
}

const stopWaiting = "the record can be completed later"

// again connects to the machines after a pause and runs a session. If it cannot connect, the error is
// the loss again, with that reason.
func (s *sessions) again(ctx context.Context, pause time.Duration, lost error) error {
	s.app.OnStop(stopWaiting)
	defer s.app.OnStop("")
	select {
	case <-time.After(pause):
	case <-ctx.Done():
		return ctx.Err()
	}
	s.machines.Wait = connectLimit
	if err := s.machines.Connect(ctx, s.options.Experiment); err != nil {
		return base.Ended(ctx, &awayError{lost: lost, err: err})
	}
	s.view.Say("connected again")
	s.app.OnStop("")
	return s.session(ctx)
}

// gaveUp returns the error to show after the last attempt: the loss, and why plinth cannot connect again.
func gaveUp(err error) error {
	var lost *agent.LostError
	if away := new(awayError); errors.As(err, &away) && errors.As(err, &lost) {
		return fmt.Errorf("%w; cannot connect again: %w", lost, away.err)
	}
	return err
}

// awayError reports that a machine that was lost cannot be reached.
type awayError struct{ lost, err error }

func (e *awayError) Error() string { return e.err.Error() }
func (e *awayError) Unwrap() error { return e.lost }

package placing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"plinth/internal/cli/base"
	"plinth/internal/engine/postgres/relation"
	"plinth/internal/hint"
	"plinth/internal/placement"
	"plinth/internal/placement/trial"
	"plinth/internal/report/placing"
)

// The layouts that an experiment of plinth place compares.
const (
	trialBefore = "before"
	trialAll    = "all"
)

// checkTrial finds flags of an experiment that contradict others.
func (f placeFlags) checkTrial() error {
	layouts := []string{trialBefore, trialAll}
	switch {
	case f.experiment == "" && !f.try:
		return nil
	case f.experiment != "" && f.experiment != trialBefore && f.experiment != trialAll:
		return hint.Errorf(hint.DidYouMean(f.experiment, layouts, "it can be "+hint.Choice(layouts)), "--experiment: unknown value %q", f.experiment)
	case len(f.stores) == 0:
		return hint.Errorf("add --storage NAME=DEVICE for each storage to choose from", "--experiment and --try need --storage")
	case f.json || f.format != "" && f.format != "text":
		return hint.Errorf("leave --format out", "--experiment and --try print no other format")
	}
	return nil
}

// placeTrial prints the experiment that compares layouts, or writes it to a file and runs it.
func (a *app) placeTrial(ctx context.Context, flags placeFlags, rates relation.Rates, work placement.Workload, choice *placeChoice, plan *placement.Plan) error {
	text, err := trialOf(flags, rates, work, choice.stores, *plan)
	if err != nil {
		return base.Usage(fmt.Errorf("cannot write an experiment: %w", err))
	}
	if !flags.try {
		_, err := a.Stdout.Write(text)
		return err
	}
	if err := placing.Write(a.Stdout, placing.New(rates, work, plan, choice.note), flags.format, a.Width()); err != nil {
		return err
	}
	path := trial.Name(rates) + ".yaml"
	if err := writeNew(path, text); err != nil {
		return base.Usage(err)
	}
	fmt.Fprintf(a.Stderr, "experiment: %s\n", path)
	return a.run(ctx, path)
}

func trialOf(flags placeFlags, rates relation.Rates, work placement.Workload, stores []placement.Store, plan placement.Plan) ([]byte, error) {
	if flags.experiment == trialAll {
		return trial.File(rates, stores, trial.All(work, stores, plan))
	}
	layouts, err := trial.Layouts(plan)
	if err != nil {
		return nil, hint.Wrap(err, "--experiment all compares the proposed layout with others")
	}
	return trial.File(rates, stores, layouts)
}

// writeNew writes a file that is not there, or has the same content already.
func writeNew(path string, text []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, text) {
		return nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // names of tables may be confidential
	if errors.Is(err, fs.ErrExist) {
		return hint.Errorf("move it away, or run it: plinth run "+path, "%s already exists with different content", path)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

package predicting

import (
	"errors"
	"os"
	"time"

	"github.com/spf13/cobra"

	"plinth/internal/cli/base"
	"plinth/internal/cost"
	"plinth/internal/experiment"
	"plinth/internal/experiment/decode"
	"plinth/internal/hint"
	"plinth/internal/record"
	"plinth/internal/report/costs"
	"plinth/internal/unit"
)

type costFlags struct {
	prices     string
	sets       []string
	cells      bool
	target     string
	published  bool
	candidates candidateFlags
	format     string
	json       bool
}

func (a *app) costCommand() *cobra.Command {
	var flags costFlags
	cmd := &cobra.Command{
		Use:   "cost [RECORD|FILE]",
		Short: "Show what environments cost per month, and what a transaction costs",
		Long: `Show what environments cost: an itemised monthly bill and, for a record, the cost of
a million transactions, the throughput per dollar, the environments that no other
beats, and the utilisation above which a more expensive one pays off. Intervals come
from the blocks of the record. An unknown price is shown as a hyphen, never as zero.

The bill follows from the instance of an environment and from what its storage is
(emulate: or is:); cost: in the experiment file says the rest (docs/choosing.md).
--set adds it to a record that lacks it. Without a record, FILE is an experiment
file, or the name of a built-in experiment; then only bills are shown.

--device adds the predicted performance and cost of a disk that was not measured. As
in plinth predict, it replaces the data disk of the baseline or of --environment, with
the size that is billed now. Only disks of the catalog have prices. Predicted numbers
are marked with a tilde; they have an interval, but no verdict.

--target finds the cheapest environment whose p99 is within a time, and the cheapest
whose p99.9 is: the difference is the price of the extra nine.

--published recalculates published cost tables, with their own prices and with
today's.` + base.ExitHelp(base.ExitDone, base.ExitFailed, base.ExitUsage),
		Example: `  plinth cost latest
  plinth cost latest --set environments.gp3.instance=m6i.large
  plinth cost latest --target 10ms --cells
  plinth cost latest --device gp3,iops=6000 --device io2
  plinth cost experiments/mine.yaml --prices our-prices.yaml
  plinth cost --published`,
		Args: func(cmd *cobra.Command, args []string) error {
			return base.Usage(hint.Wrap(cobra.MaximumNArgs(1)(cmd, args), cmd.UseLine()))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			base.EndAtOnce()
			if err := errors.Join(base.NoneEmpty(cmd.Flags()), base.OneFormat(cmd.Flags())); err != nil {
				return base.Usage(err)
			}
			if flags.json {
				flags.format = "json"
			}
			return base.Usage(a.cost(args, flags))
		},
	}
	cmd.Flags().StringVar(&flags.prices, "prices", "", "use the prices in `FILE` instead of the built-in price book")
	cmd.Flags().StringArrayVar(&flags.sets, "set", nil, "override or add a key of the experiment: `KEY=VALUE`")
	cmd.Flags().BoolVar(&flags.cells, "cells", false, "a row for each cell, not for each workload")
	cmd.Flags().StringVar(&flags.target, "target", "", "a `TIME` for p99 and p99.9, such as 10ms")
	cmd.Flags().BoolVar(&flags.published, "published", false, "calculate published tables; the argument names one")
	flags.candidates.register(cmd.Flags())
	base.FormatFlags(cmd, &flags.format, &flags.json)
	cmd.Flags().Lookup("format").Usage = "text, markdown, csv or json"
	return cmd
}

// checkPublished refuses flags that published tables would ignore.
func (f costFlags) checkPublished() error {
	if len(f.sets) > 0 || f.cells || f.target != "" || len(f.candidates.devices) > 0 {
		return hint.Errorf("leave them out: the published tables are of no record", "--set, --cells, --target and --device cannot be used with --published")
	}
	return nil
}

func (a *app) cost(args []string, flags costFlags) error {
	books, err := base.OwnBook(flags.prices)
	if err != nil {
		return err
	}
	if flags.published {
		if err := flags.checkPublished(); err != nil {
			return err
		}
		return a.publishedCosts(args, books, flags.format)
	}
	var target unit.Duration
	if flags.target != "" {
		if target, err = unit.ParseDuration(flags.target); err != nil {
			return hint.Errorf("write a time with its unit: 10ms", "--target: %w", err)
		}
	}
	e, rec, err := a.priced(args, flags.sets)
	if err != nil {
		return err
	}
	if rec == nil && target > 0 {
		return hint.Errorf("name a record", "--target: a file alone has no latencies")
	}
	candidates, err := flags.candidates.candidates(e, rec)
	if err != nil {
		return err
	}
	s, err := cost.NewSheet(e, rec, books, flags.cells)
	if err != nil {
		return err
	}
	for _, c := range candidates {
		if err := s.Add(e, rec, books, c); err != nil {
			return err
		}
	}
	s.Age(time.Now())
	return costs.WriteSheet(a.Stdout, s, target.Std(), flags.format, a.Width())
}

func (a *app) publishedCosts(args []string, books cost.Books, format string) error {
	all, err := cost.PublishedTables(books)
	if len(args) == 1 {
		var one cost.Published
		one, err = cost.FindPublished(args[0], books)
		all = []cost.Published{one}
	}
	if err != nil {
		return err
	}
	return costs.WritePublished(a.Stdout, all, format, a.Width())
}

// priced returns what a bill is made of: a record and its experiment, or an experiment alone.
func (a *app) priced(args, sets []string) (*experiment.Experiment, *record.Record, error) {
	if len(args) == 1 {
		if info, err := os.Stat(args[0]); err == nil && info.Mode().IsRegular() {
			e, _, err := decode.Load(args[0], sets)
			return e, nil, err
		}
	}
	rec, err := base.OpenRecord(a.Store, args)
	if err != nil {
		if len(args) == 1 {
			if e, _, builtinErr := base.Load(args[0], sets); builtinErr == nil {
				return e, nil, nil
			}
		}
		return nil, nil, err
	}
	e, err := rec.ExperimentWith(sets)
	return e, rec, err
}

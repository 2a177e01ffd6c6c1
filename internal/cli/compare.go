package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"plinth/internal/hint"
	"plinth/internal/record"
	"plinth/internal/report"
	"plinth/internal/runner/engines"
	"plinth/internal/unit"
	"plinth/internal/verdict"
)

type compareFlags struct {
	metrics []string
	margin  string
	by      string
	failIf  string
	format  string
	json    bool
}

func (a *app) compareCommand() *cobra.Command {
	var flags compareFlags
	cmd := &cobra.Command{
		Use:   "compare [RECORD [ENVIRONMENT ENVIRONMENT | RECORD]]",
		Short: "Say which environment is better, and how sure that is",
		Long: `Say which environment is better, and how sure that is: the effect and its
interval, then a word. Every environment is compared with the record's baseline,
or the second one named with the first; or two records, where they match.

  better, worse   the interval excludes "no difference"
  equivalent      the interval lies inside the margin
  inconclusive    neither is known
  invalid         there is no number to be compared

The words are made for the metric that the experiment declared, at the looks that
it planned. --metric asks for another; the result says that it was not declared. A
metric of which more is neither better nor worse, such as cpu-use, has no word.

--fail-if worse lets pass what is not decided, and says so on standard error when
nothing is; --fail-if not-better and --fail-if inconclusive do not. What lost
acknowledged transactions in a power cut passes neither worse nor not-better.` +
			exitHelp(exitDone, exitFailed, exitUsage, exitGate),
		Example: `  plinth compare latest
  plinth compare latest one-disk two-disks --metric p99 --margin 5%
  plinth compare latest --by clients --format markdown >> "$GITHUB_STEP_SUMMARY"
  plinth compare latest --fail-if worse        # exit 3 when something is worse`,
		Args: func(cmd *cobra.Command, args []string) error { return usage(cobra.MaximumNArgs(3)(cmd, args)) },
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := errors.Join(noneEmpty(cmd.Flags()), oneFormat(cmd.Flags())); err != nil {
				return &usageError{err}
			}
			return a.compare(args, flags)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&flags.metrics, "metric", nil, "compare by `METRIC`: tps (transactions or requests a second), latency, p50, p95, p99, p99.9, failures, p99-under-10ms, or a figure of a run such as tps-variation or wal-sync-latency (docs/metrics.md)")
	f.StringVar(&flags.margin, "margin", "", "differences within it do not matter: `2%`; as declared unless said")
	f.StringVar(&flags.by, "by", "cells", "the parts of a workload: `cells`, or clients (over all threads)")
	f.StringVar(&flags.failIf, "fail-if", "", "exit with 3 if a workload is `worse`, not-better or inconclusive")
	f.StringVar(&flags.format, "format", "text", "text, markdown, csv, json, or gobench (for benchstat)")
	f.BoolVar(&flags.json, "json", false, "same as --format json")
	return cmd
}

func (a *app) compare(args []string, flags compareFlags) error {
	if flags.json {
		flags.format = "json"
	}
	gate, err := gateNamed(flags.failIf)
	if err != nil {
		return &usageError{err}
	}
	options, err := flags.options()
	if err != nil {
		return &usageError{err}
	}
	if err := gate.decidable(options.Metrics); err != nil {
		return &usageError{err}
	}
	comparison, records, err := a.comparison(args, options)
	if err != nil {
		return err
	}
	a.cite(comparison, records[0])
	if err := report.WriteComparison(a.stdout, comparison, flags.format, report.Options{Width: a.width(), Records: records}); err != nil {
		return &usageError{err}
	}
	if err := gate.check(comparison); err != nil {
		return err
	}
	if gate.name != "" && nothingDecided(comparison) {
		fmt.Fprintf(a.stderr, "warning: nothing is decided: --fail-if %s lets that pass\n", gate.name)
	}
	return nil
}

func (f compareFlags) options() (verdict.Options, error) {
	options := verdict.Options{Metrics: f.metrics, ByClients: f.by == "clients"}
	if f.by != "cells" && f.by != "clients" {
		return options, hint.Errorf("it can be cells or clients", "--by: unknown value %q", f.by)
	}
	if f.margin == "" {
		return options, nil
	}
	margin, err := unit.ParseShare(f.margin)
	if err != nil {
		return options, fmt.Errorf("--margin: %w", err)
	}
	value := float64(margin)
	options.Margin = &value
	return options, nil
}

// comparison compares what the arguments name: a record, two environments of it,
// or two records.
func (a *app) comparison(args []string, options verdict.Options) (*verdict.Comparison, []*record.Record, error) {
	rec, err := a.open(args[:min(1, len(args))])
	if err != nil {
		return nil, nil, err
	}
	var result *verdict.Comparison
	if len(args) == 2 {
		other, err := a.open(args[1:])
		if err != nil {
			return nil, nil, hintOfTwo(err, rec, args)
		}
		if options.ByClients {
			return nil, nil, &usageError{fmt.Errorf("--by clients compares environments of one record")}
		}
		result, err = verdict.Between(rec, other, options, engines.Parity)
		return result, []*record.Record{rec, other}, usage(err)
	}
	if len(args) == 3 {
		options.Environments = args[1:]
	}
	result, err = verdict.Of(rec, options)
	return result, []*record.Record{rec}, usage(err)
}

// hintOfTwo is for those who name one environment where a second record could be.
func hintOfTwo(err error, rec *record.Record, args []string) error {
	if _, found := rec.Environments[args[1]]; !found {
		return err
	}
	return hint.Wrap(err, fmt.Sprintf("name two environments: plinth compare %s %s OTHER", args[0], args[1]))
}

// cite says what this machine has found of its own noise.
func (a *app) cite(c *verdict.Comparison, rec *record.Record) {
	if len(c.Noise) > 0 {
		return // the record is about just that
	}
	noise, err := record.LatestNoise(a.store, rec.Summary.Engine, rec.Summary.Machine, c.Quantities())
	if err != nil {
		return // a store that cannot be read costs a footnote
	}
	c.Cite(rec, noise)
}

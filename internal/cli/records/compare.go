package records

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"plinth/internal/cli/base"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/record"
	"plinth/internal/record/index"
	"plinth/internal/report/durability"
	"plinth/internal/report/summary"
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
		Short: "Report which environment is better, and how certain that is",
		Long: `Report which environment is better, and how certain that is: the effect, its
interval and a verdict. By default, every environment is compared with the record's
baseline and, if the experiment says compare: all, with every other one. If two
environments are named, the second is compared with the first; if two records are
named, their matching environments are compared with each other.

  better, worse   the interval excludes zero, and extends beyond the margin
  equivalent      the interval lies inside the margin
  inconclusive    neither holds
  invalid         there is no value to compare

Verdicts are for the metric that the experiment declares, at its planned looks.
--metric selects another one, and the result notes that it was not declared. A
metric without a direction, such as cpu-use, has no verdict.

Only comparisons with the baseline count for --fail-if. An undecided one passes
--fail-if worse, and fails --fail-if not-better and --fail-if inconclusive. If none
is decided, --fail-if worse warns on standard error. An environment that lost
acknowledged transactions in a power cut fails both worse and not-better.` +
			base.ExitHelp(base.ExitDone, base.ExitFailed, base.ExitUsage, base.ExitGate),
		Example: `  plinth compare latest
  plinth compare latest one-disk two-disks --metric p99 --margin 5%
  plinth compare latest --by clients --format markdown >> "$GITHUB_STEP_SUMMARY"
  plinth compare latest --fail-if worse        # exit 3 if anything is worse`,
		Args: func(cmd *cobra.Command, args []string) error { return base.Usage(cobra.MaximumNArgs(3)(cmd, args)) },
		RunE: func(cmd *cobra.Command, args []string) error {
			base.EndAtOnce()
			if err := errors.Join(base.NoneEmpty(cmd.Flags()), base.OneFormat(cmd.Flags())); err != nil {
				return base.Usage(err)
			}
			return a.compare(args, flags)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&flags.metrics, "metric", nil, "compare by `METRIC`: tps (transactions or requests a second), latency, p50, p95, p99, p99.9, failures, p99-under-10ms, or a figure of a run such as tps-variation or wal-sync-latency (docs/metrics.md)")
	f.StringVar(&flags.margin, "margin", "", "equivalence margin: `2%` (default: as declared)")
	f.StringVar(&flags.by, "by", "cells", "compare each workload by `cells`, or by clients (over all threads)")
	f.StringVar(&flags.failIf, "fail-if", "", "exit with code 3 if a workload is `worse`, not-better or inconclusive")
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
		return base.Usage(err)
	}
	options, err := flags.options()
	if err != nil {
		return base.Usage(err)
	}
	if err := gate.decidable(options.Metrics); err != nil {
		return base.Usage(err)
	}
	comparison, records, err := comparisonOf(a.Store, args, options)
	if err != nil {
		return err
	}
	if len(comparison.Noise) == 0 { // otherwise the record itself measures noise
		first := records[0]
		noise, err := index.LatestNoise(a.Store, first.Summary.Engine, first.Summary.Machine, comparison.Quantities())
		if err == nil { // an unreadable store only costs a footnote
			comparison.Cite(first, noise)
		}
	}
	if err := summary.WriteComparison(a.Stdout, comparison, flags.format, summary.Options{Width: a.Width(), Records: records}); err != nil {
		return base.Usage(err)
	}
	if err := gate.check(comparison); err != nil {
		return err
	}
	if gate.name != "" && nothingDecided(comparison) {
		fmt.Fprintf(a.Stderr, "warning: no comparison is decided, so --fail-if %s passes\n", gate.name)
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

// comparisonOf compares what the arguments name: the environments of a record, two of them, or
// two records.
func comparisonOf(store string, args []string, options verdict.Options) (*verdict.Comparison, []*record.Record, error) {
	rec, err := base.OpenRecord(store, args[:min(1, len(args))])
	if err != nil {
		return nil, nil, err
	}
	var result *verdict.Comparison
	if len(args) == 2 {
		other, err := base.OpenRecord(store, args[1:])
		if err != nil {
			if _, found := rec.Environments[args[1]]; found { // a single environment instead of a second record
				err = hint.Wrap(err, fmt.Sprintf("name two environments: plinth compare %s %s OTHER", args[0], args[1]))
			}
			return nil, nil, err
		}
		if options.ByClients {
			return nil, nil, base.Usage(fmt.Errorf("--by clients requires all environments to come from the same record"))
		}
		result, err = verdict.Between(rec, other, options, engines.Parity)
		return result, []*record.Record{rec, other}, base.Usage(err)
	}
	if len(args) == 3 {
		options.Environments = args[1:]
	}
	result, err = verdict.Of(rec, options)
	return result, []*record.Record{rec}, base.Usage(err)
}

// gate is a condition on a comparison for exit code 0.
type gate struct {
	name  string
	fails []record.Outcome
	// loss makes the gate fail if acknowledged transactions were lost, too.
	loss bool
}

// gates lists the values of --fail-if. The empty outcome stands for "not decided yet".
var gates = []gate{
	{"", nil, false},
	{"worse", []record.Outcome{record.Worse, record.Unfit}, true},
	{"not-better", []record.Outcome{record.Worse, record.Unfit, record.Equivalent, record.Inconclusive, ""}, true},
	{"inconclusive", []record.Outcome{record.Inconclusive, record.Unfit, ""}, false},
}

func gateNamed(name string) (gate, error) {
	var names []string
	for _, g := range gates {
		if g.name == name {
			return g, nil
		}
		names = append(names, g.name)
	}
	return gate{}, hint.Errorf(hint.DidYouMean(name, names[1:], "it can be worse, not-better or inconclusive"), "--fail-if: unknown value %q", name)
}

// decidable refuses a gate on a metric that is neither better nor worse: it would always pass.
func (g gate) decidable(metrics []string) error {
	for _, name := range metrics {
		if m, err := experiment.ParseMetric(name); err == nil && m.Plain && g.name != "" {
			return hint.Errorf("name a metric that has a direction, such as tps or wal-sync-latency",
				"--fail-if %s: more %s is neither better nor worse", g.name, name)
		}
	}
	return nil
}

// check checks the losses after faults, and the verdicts that the comparison is about.
func (g gate) check(c *verdict.Comparison) error {
	var failed []string
	for _, r := range c.Durability { // also if the baseline lost some, too
		if g.loss && !r.Baseline && r.Lost() > 0 {
			failed = append(failed, durability.Line(r))
		}
	}
	for _, v := range c.Verdicts {
		if !c.Asked(v) || !slices.Contains(g.fails, v.Outcome) {
			continue
		}
		outcome := string(v.Outcome)
		if outcome == "" {
			outcome = "not decided yet"
		}
		failed = append(failed, fmt.Sprintf("%s: %s %s is %s", v.Other, v.Workload, v.Metric, outcome))
	}
	if failed == nil {
		return nil
	}
	return base.FailedGate(fmt.Errorf("--fail-if %s: %s", g.name, strings.Join(failed, "; ")))
}

// nothingDecided reports whether no comparison could have a verdict yet: no look was reached, or
// there are too few blocks.
func nothingDecided(c *verdict.Comparison) bool {
	return !slices.ContainsFunc(c.Verdicts, func(v record.Verdict) bool {
		return c.Asked(v) && v.Outcome != "" && (v.Outcome != record.Inconclusive || v.N >= c.Fewest.Workload)
	})
}

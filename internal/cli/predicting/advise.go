package predicting

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"plinth/internal/advice"
	"plinth/internal/cli/base"
	"plinth/internal/hint"
	"plinth/internal/record/index"
	"plinth/internal/report/advising"
	"plinth/internal/runner/engines"
	"plinth/internal/unit"
)

type adviseFlags struct {
	p99        string
	budget     string
	prices     string
	sets       []string
	thresholds []string
	why        string
	experiment string
	candidates candidateFlags
	format     string
	json       bool
}

func (a *app) adviseCommand() *cobra.Command {
	var flags adviseFlags
	cmd := &cobra.Command{
		Use:   "advise [RECORD...]",
		Short: "Recommend an environment for each goal, and say how certain that is",
		Long: `Recommend an environment of a record: for writes, for reads, at the lowest cost, within
a budget or a p99 limit, for bursts, to survive the loss of a host or a zone, as a
managed service and, for Redis, for each number of seconds of writes that may be lost.
Each answer states its verdict, its bill, how certain it is, and what would change it.
Questions that the record cannot answer are listed with the reason.

--device adds a disk that was not measured, as plinth predict predicts it: below the
answers, with what it might change, and the environment that would measure it. It is
never chosen.

It also lists methodological mistakes in the record, resources without headroom, what
more expensive environments gained for the money, and the experiment that would decide
an open answer; --experiment writes that experiment.

Bills follow from the experiment, as with plinth cost; --set adds to it what it
lacks. facts: {survives: host} or {survives: zone} states what an environment
survives, where plinth does not know its storage; {zone: a, standby_zone: b} names
the zones of a server and of its standby.

With several records, each question is also answered over all of them, by comparing
their choices as plinth compare does. That is weaker: the machine may have changed
between records. --experiment then writes one experiment with their environments.` + base.ExitHelp(base.ExitDone, base.ExitFailed, base.ExitUsage),
		Example: `  plinth advise latest
  plinth advise latest --budget 300 --p99 20ms
  plinth advise latest --why writes
  plinth advise latest --set environments.gp3.instance=m6i.large
  plinth advise latest --experiment writes > next.yaml
  plinth advise latest --device gp3,iops=6000 --budget 300
  plinth advise gp3-20261120T101500Z io2-20261121T093000Z
  plinth run next.yaml`,
		RunE: func(cmd *cobra.Command, args []string) error {
			base.EndAtOnce()
			if err := errors.Join(base.NoneEmpty(cmd.Flags()), base.OneFormat(cmd.Flags())); err != nil {
				return base.Usage(err)
			}
			if flags.json {
				flags.format = "json"
			}
			return base.Usage(a.advise(args, flags))
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.p99, "p99", "", "longest p99 `TIME`, such as 10ms")
	f.StringVar(&flags.budget, "budget", "", "highest acceptable monthly cost: an `AMOUNT` in the currency of the prices")
	f.StringVar(&flags.prices, "prices", "", "use the prices in `FILE` instead of the built-in price book")
	f.StringArrayVar(&flags.sets, "set", nil, "override or add a key of the experiment: `KEY=VALUE`")
	f.StringArrayVar(&flags.thresholds, "threshold", nil, "utilisation at which a resource counts as full: `FIGURE=SHARE`, such as cpu-use=70%")
	f.StringVar(&flags.why, "why", "", "explain one answer or mistake by its `NAME`, such as writes or one-run")
	f.StringVar(&flags.experiment, "experiment", "", "write the experiment that would decide an open answer, by its `NAME`")
	flags.candidates.register(f)
	base.FormatFlags(cmd, &flags.format, &flags.json)
	return cmd
}

// check refuses flags that conflict, with a number of records.
func (f adviseFlags) check(records int) error {
	switch {
	case f.why != "" && f.format == "json":
		return hint.Errorf("leave it out: JSON has all answers", "--why does not apply to --json")
	case f.experiment != "" && f.format != "text":
		return hint.Errorf("leave it out: the experiment is a file, in YAML", "--experiment and --format %s cannot be used together", f.format)
	case records > 1 && len(f.candidates.devices) > 0:
		return hint.Errorf("name one record", "--device: predictions are from one record")
	}
	return explainable(f.why)
}

func (a *app) advise(args []string, flags adviseFlags) error {
	in, err := flags.limits()
	if err != nil {
		return err
	}
	if in.Books, err = base.OwnBook(flags.prices); err != nil {
		return err
	}
	if err := flags.check(len(args)); err != nil {
		return err
	}
	if len(args) == 0 {
		args = []string{index.Latest}
	}
	in.Parity = engines.Parity
	var all []advice.Input
	for _, name := range args {
		if in.Record, err = base.OpenRecord(a.Store, []string{name}); err != nil {
			return err
		}
		if in.Experiment, err = in.Record.ExperimentWith(flags.sets); err != nil {
			return err
		}
		if in.Candidates, err = flags.candidates.candidates(in.Experiment, in.Record); err != nil {
			return err
		}
		all = append(all, in)
	}
	if flags.experiment != "" {
		return a.writeNext(all, flags.experiment)
	}
	given, err := advice.OfAll(all)
	if err != nil {
		return err
	}
	return advising.Write(a.Stdout, given, flags.why, flags.format, a.Width())
}

// limits returns the conditions that the flags state.
func (f adviseFlags) limits() (advice.Input, error) {
	in := advice.Input{Now: time.Now()}
	if f.p99 != "" {
		limit, err := unit.ParseDuration(f.p99)
		if err != nil {
			return in, hint.Errorf("write a time with its unit: 10ms", "--p99: %w", err)
		}
		in.P99 = limit.Std()
	}
	if f.budget != "" {
		amount, err := strconv.ParseFloat(strings.TrimPrefix(f.budget, "$"), 64)
		if err != nil || !(amount > 0) || amount > 1e12 {
			return in, hint.Errorf("write an amount for a month: 300", "--budget: %q is not an amount", f.budget)
		}
		in.Budget = amount
	}
	return in, f.replace(&in)
}

// replace replaces thresholds of resources.
func (f adviseFlags) replace(in *advice.Input) error {
	var names []string
	for _, r := range advice.Resources() {
		names = append(names, r.Figure)
	}
	in.Thresholds = map[string]float64{}
	for _, text := range f.thresholds {
		name, value, _ := strings.Cut(text, "=")
		if !slices.Contains(names, name) {
			return hint.Errorf(hint.DidYouMean(name, names, "it can be "+hint.Choice(names)), "--threshold: there is no threshold of %q", name)
		}
		share, err := unit.ParseShare(value)
		if err != nil {
			return hint.Errorf("write a share: "+name+"=70%", "--threshold: %w", err)
		}
		in.Thresholds[name] = float64(share)
	}
	return nil
}

// explainable refuses a name that is neither a rule's nor a mistake's; "" is no name.
func explainable(why string) error {
	if why == "" {
		return nil
	}
	var names []string
	for _, r := range advice.Rules() {
		names = append(names, r.Name)
	}
	for _, f := range advice.Flaws() {
		names = append(names, f.Name)
	}
	if slices.Contains(names, why) {
		return nil
	}
	return hint.Errorf(hint.DidYouMean(why, names, "it can be "+hint.Choice(names)), "--why: there is no answer or mistake %q", why)
}

func (a *app) writeNext(all []advice.Input, name string) error {
	text, err := advice.FileOfAll(all, name)
	if err != nil {
		return err
	}
	_, err = a.Stdout.Write(text)
	return err
}

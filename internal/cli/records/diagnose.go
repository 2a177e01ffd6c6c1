package records

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"plinth/internal/cli/base"
	"plinth/internal/diagnosis"
	"plinth/internal/diagnosis/proof"
	"plinth/internal/hint"
	"plinth/internal/record"
	"plinth/internal/report/diagnose"
	"plinth/internal/report/runpage"
)

type diagnoseFlags struct {
	run         string
	environment string
	experiment  string
	all         bool
	format      string
	json        bool
}

func (a *app) diagnoseCommand() *cobra.Command {
	var flags diagnoseFlags
	cmd := &cobra.Command{
		Use:   "diagnose [RECORD [RECORD]]",
		Short: "Show the bottleneck: where the time of transactions goes, and why",
		Long: `Show the bottleneck: where the time of transactions goes, why, since when, and what
to try. The mean response time is divided into the CPU time of the server, waits for
a CPU, for the WAL, for reads, for locks, and so on, and the load generator's part.
What cannot be explained is shown as such.

Without --run, each cell is diagnosed over all of its runs, with the environments
side by side, and each is compared with the baseline. With two records, matching
environments are compared. RECORD is a path, a name in the store, the beginning of
such a name, or "latest".

--run diagnoses one run: its path in the record, a unique beginning or end of that
path, its number, or "latest", "best" or "worst" (by TPS). Each cause comes with its
share of the response time, its evidence, and what to try. The basis of a cause is
counted (from counters, and limits that are known), sampled (from what sessions were
seen waiting for) or correlated (it happened at the same time).

--experiment writes an experiment to test one of the causes: the run's own, with its
environment once unchanged and once changed.` + base.ExitHelp(base.ExitDone, base.ExitUsage),
		Example: `  plinth diagnose latest
  plinth diagnose latest --run worst
  plinth diagnose latest --environment gp3
  plinth diagnose before after
  plinth diagnose latest --run worst --experiment wal-flush > prove.yaml
  plinth run prove.yaml`,
		Args: func(cmd *cobra.Command, args []string) error {
			return base.Usage(hint.Wrap(cobra.MaximumNArgs(2)(cmd, args), cmd.UseLine()))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			base.EndAtOnce()
			err := errors.Join(base.NoneEmpty(cmd.Flags()), base.OneFormat(cmd.Flags()))
			if flags.json {
				flags.format = "json"
			}
			if err := errors.Join(err, flags.check()); err != nil {
				return base.Usage(err)
			}
			if len(args) == 2 {
				return a.diagnoseTwo(args, flags)
			}
			return a.diagnose(args, flags)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.run, "run", "", "one `RUN`")
	f.StringVar(&flags.environment, "environment", "", "only the runs of one `ENVIRONMENT`")
	f.StringVar(&flags.experiment, "experiment", "", "with --run: write an experiment to test a `CAUSE`, such as wal-flush")
	f.BoolVar(&flags.all, "all", false, "with --run: also list the causes that were ruled out or could not be examined, with the reasons")
	base.FormatFlags(cmd, &flags.format, &flags.json)
	return cmd
}

// check refuses flags that conflict.
func (f diagnoseFlags) check() error {
	switch {
	case !slices.Contains(diagnose.Formats, f.format):
		return hint.Errorf(hint.DidYouMean(f.format, diagnose.Formats, "it can be "+hint.Choice(diagnose.Formats)), "--format: unknown format %q", f.format)
	case f.run != "" && f.environment != "":
		return hint.Errorf("leave one of them out", "--run and --environment cannot be used together: a run has one environment")
	case f.experiment != "" && f.format != "text":
		return hint.Errorf("leave it out: the experiment is a file, in YAML", "--experiment and --format %s cannot be used together", f.format)
	case f.run == "" && (f.experiment != "" || f.all):
		return hint.Errorf("name a run: --run worst", "--experiment and --all require --run")
	}
	return nil
}

func (a *app) diagnose(args []string, flags diagnoseFlags) error {
	options := diagnose.Options{Width: a.Width(), All: flags.all}
	if flags.run != "" {
		found, err := a.FindRun(args, flags.run, map[string]*record.Record{})
		switch {
		case err != nil:
			return err
		case flags.experiment != "":
			return a.writeProof(found, flags.experiment)
		}
		return base.Usage(diagnose.WriteRun(a.Stdout, found.Record, found.Run, flags.format, options))
	}
	rec, err := base.OpenRecord(a.Store, args)
	if err != nil {
		return err
	}
	if flags.environment != "" {
		if err := base.CheckEnvironment(rec, flags.environment); err != nil {
			return err
		}
	}
	return base.Usage(diagnose.WriteRecord(a.Stdout, rec, flags.environment, flags.format, options))
}

// diagnoseTwo compares two records.
func (a *app) diagnoseTwo(args []string, flags diagnoseFlags) error {
	if flags.run != "" || flags.environment != "" {
		return base.Usage(hint.Errorf("name one record", "--run and --environment apply to a single record"))
	}
	var records []*record.Record
	for _, name := range args {
		rec, err := base.OpenRecord(a.Store, []string{name})
		if err != nil {
			return err
		}
		records = append(records, rec)
	}
	return base.Usage(diagnose.WriteRecords(a.Stdout, records[0], records[1], flags.format, diagnose.Options{Width: a.Width()}))
}

// writeProof writes the experiment that would prove a cause that was found in a run.
func (a *app) writeProof(of runpage.RunOf, cause string) error {
	d, err := diagnosis.OfRun(of.Record, of.Run)
	if err != nil {
		return base.Usage(err)
	}
	var found []string
	for _, f := range d.Findings {
		if f.Cause == cause {
			text, err := proof.File(of.Record, of.Run, f)
			if err != nil {
				return base.Usage(fmt.Errorf("cannot write an experiment for %s: %w", cause, err))
			}
			_, err = a.Stdout.Write(text)
			return err
		}
		found = append(found, f.Cause)
	}
	advice := "nothing was found in this run"
	if len(found) > 0 {
		advice = hint.DidYouMean(cause, found, "found: "+hint.Choice(found))
	}
	return base.Usage(hint.Errorf(advice, "%s was not found in %s", cause, of.Run.Path()))
}

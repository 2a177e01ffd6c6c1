package cli

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

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

func (a *recordsApp) diagnoseCommand() *cobra.Command {
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

--experiment writes the experiment that would prove one of the causes: the run's own,
with its environment once as it was, and once changed.` + exitHelp(exitDone, exitUsage),
		Example: `  plinth diagnose latest
  plinth diagnose latest --run worst
  plinth diagnose latest --environment gp3
  plinth diagnose before after
  plinth diagnose latest --run worst --experiment wal-flush > prove.yaml
  plinth run prove.yaml`,
		Args: func(cmd *cobra.Command, args []string) error {
			return usage(hint.Wrap(cobra.MaximumNArgs(2)(cmd, args), cmd.UseLine()))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			endAtOnce()
			err := errors.Join(noneEmpty(cmd.Flags()), oneFormat(cmd.Flags()))
			if flags.json {
				flags.format = "json"
			}
			if err := errors.Join(err, flags.check()); err != nil {
				return usage(err)
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
	f.StringVar(&flags.experiment, "experiment", "", "with --run: write the experiment that would prove a `CAUSE`, such as wal-flush")
	f.BoolVar(&flags.all, "all", false, "with --run: list the causes that are not there, and those that could not be examined, with the reasons")
	formatFlags(cmd, &flags.format, &flags.json)
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

func (a *recordsApp) diagnose(args []string, flags diagnoseFlags) error {
	options := diagnose.Options{Width: a.width(), All: flags.all}
	if flags.run != "" {
		found, err := a.findRun(args, flags.run, map[string]*record.Record{})
		switch {
		case err != nil:
			return err
		case flags.experiment != "":
			return a.writeProof(found, flags.experiment)
		}
		return usage(diagnose.WriteRun(a.stdout, found.Record, found.Run, flags.format, options))
	}
	rec, err := openRecord(a.store, args)
	if err != nil {
		return err
	}
	if flags.environment != "" {
		if err := checkEnvironment(rec, flags.environment); err != nil {
			return err
		}
	}
	return usage(diagnose.WriteRecord(a.stdout, rec, flags.environment, flags.format, options))
}

// diagnoseTwo compares two records.
func (a *recordsApp) diagnoseTwo(args []string, flags diagnoseFlags) error {
	if flags.run != "" || flags.environment != "" {
		return usage(hint.Errorf("name one record", "--run and --environment apply to a single record"))
	}
	var records []*record.Record
	for _, name := range args {
		rec, err := openRecord(a.store, []string{name})
		if err != nil {
			return err
		}
		records = append(records, rec)
	}
	return usage(diagnose.WriteRecords(a.stdout, records[0], records[1], flags.format, diagnose.Options{Width: a.width()}))
}

// writeProof writes the experiment that would prove a cause that was found in a run.
func (a *recordsApp) writeProof(of runpage.RunOf, cause string) error {
	d, err := diagnosis.OfRun(of.Record, of.Run)
	if err != nil {
		return usage(err)
	}
	var found []string
	for _, f := range d.Findings {
		if f.Cause == cause {
			text, err := proof.File(of.Record, of.Run, f)
			if err != nil {
				return usage(fmt.Errorf("cannot write an experiment for %s: %w", cause, err))
			}
			_, err = a.stdout.Write(text)
			return err
		}
		found = append(found, f.Cause)
	}
	advice := "nothing was found in this run"
	if len(found) > 0 {
		advice = hint.DidYouMean(cause, found, "found: "+hint.Choice(found))
	}
	return usage(hint.Errorf(advice, "%s was not found in %s", cause, of.Run.Path()))
}

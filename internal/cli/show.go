package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"plinth/internal/figure"
	"plinth/internal/hint"
	"plinth/internal/record"
	"plinth/internal/report"
)

type showFlags struct {
	format    string
	threads   int
	json      bool
	runs      []string
	every     string
	checklist string
}

func (a *app) showCommand() *cobra.Command {
	var flags showFlags
	cmd := &cobra.Command{
		Use:   "show [RECORD]",
		Short: "Print the tables of a record, or one run, or two beside each other",
		Long: `Print the tables of a record: for each environment the published form (clients
against workloads), the combined summary, and the dataset as loaded. RECORD is a
path, a name in the store, the beginning of one, or "latest".

With --run it is one run, second by second: what it did, who had the CPUs, what
sessions waited for, how it looks beside a published checklist. RUN is its path
in the record, a beginning or an end that fits only one, its number, or "latest",
"best" or "worst" (by TPS, of all; of some after the beginning of their paths:
disk/tpcb-like/c10-j1/worst). A second --run puts another beside it; RECORD:RUN is one of
another record. docs/metrics.md has what is observed, docs/checklist.md how to
write a checklist; --checklist published without --run prints the one there is.` + exitHelp(exitDone, exitUsage),
		Example: `  plinth show latest
  plinth show storage-baseline --threads 4
  plinth show latest --format gobench > new.txt   # for benchstat
  plinth show latest --run worst
  plinth show latest --run best --run worst --every 5s
  plinth show latest --run disk/tpcb-like/c10-j1/r03 --format csv > seconds.csv
  plinth show --checklist published > mine.yaml   # then: --run worst --checklist mine.yaml`,
		Args: atMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			err := errors.Join(noneEmpty(cmd.Flags()), oneFormat(cmd.Flags()))
			if flags.json {
				flags.format = "json"
			}
			if err := errors.Join(err, flags.check()); err != nil {
				return &usageError{err}
			}
			return a.show(args, flags)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.format, "format", "text", "text, markdown, csv, json, or gobench (for benchstat)")
	f.BoolVar(&flags.json, "json", false, "same as --format json")
	f.IntVar(&flags.threads, "threads", 0, "only the cells with `N` threads, not the mean over all")
	f.StringArrayVar(&flags.runs, "run", nil, "one `RUN`, second by second; twice: two beside each other")
	f.StringVar(&flags.every, "every", "", "with --run: a table in steps of `5s`, say")
	f.StringVar(&flags.checklist, "checklist", "", "with --run: bounds of your own, a YAML `FILE`; published: those of plinth")
	return cmd
}

func (a *app) show(args []string, flags showFlags) error {
	switch {
	case len(flags.runs) > 0:
		return a.showRuns(args, flags)
	case flags.checklist == figure.Published && len(args) > 0:
		return usage(hint.Errorf("name a run: --run latest", "--checklist published without --run prints the list, and has nothing to do with %s", args[0]))
	case flags.checklist == figure.Published:
		_, err := a.stdout.Write(figure.PublishedYAML())
		return err
	}
	rec, err := a.open(args)
	if err != nil {
		return err
	}
	return usage(report.Write(a.stdout, rec, flags.format, report.Options{Threads: flags.threads, Width: a.width()}))
}

// open finds and reads the record that the arguments name, the latest unless said.
func (a *app) open(args []string) (*record.Record, error) {
	name := "latest"
	if len(args) == 1 {
		name = args[0]
	}
	path, err := record.Find(a.store, name)
	if err != nil {
		return nil, &usageError{err}
	}
	rec, err := record.Open(path)
	if err != nil {
		return nil, &usageError{err}
	}
	return rec, nil
}

package records

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"plinth/internal/cli/base"
	"plinth/internal/figure"
	"plinth/internal/hint"
	"plinth/internal/record"
	"plinth/internal/report/breakdown"
	"plinth/internal/report/runpage"
	"plinth/internal/report/summary"
	"plinth/internal/unit"
)

type showFlags struct {
	format    string
	threads   int
	json      bool
	runs      []string
	every     string
	checklist string
	columns   []string
	table     string
	sort      string
}

func (a *app) showCommand() *cobra.Command {
	var flags showFlags
	cmd := &cobra.Command{
		Use:   "show [RECORD]",
		Short: "Print the tables of a record, one run, or two runs side by side",
		Long: `Print the tables of a record: for each environment the published form (clients
against workloads), the combined summary, and the dataset as loaded. RECORD is a
path, a name in the store, the beginning of such a name, or "latest".

--columns selects the metrics and figures that these tables show for each
environment, in place of throughput and mean latency. --table prints one other
table, with the environments side by side: clients (at each load, the best marked,
with the effects against the baseline), metrics (metric by metric, with effects and
intervals), or environments (one line each; --sort METRIC, or WORKLOAD/METRIC, puts
the best first).

--run prints one run, second by second: its throughput, the use of the CPUs, the
waits of sessions, and how it compares with a published checklist. RUN is its path
in the record, a unique beginning or end of that path, its number, or "latest",
"best" or "worst" (by TPS); after the beginning of a path, such a word chooses among
the runs below it: disk/tpcb-like/c10-j1/worst. A second --run prints another run next
to it; RECORD:RUN is a run of another record. docs/metrics.md describes what is
observed, docs/checklist.md how to write a checklist. Without --run, --checklist
published (or ebs, ebs-io2) prints that built-in checklist.` + base.ExitHelp(base.ExitDone, base.ExitUsage),
		Example: `  plinth show latest
  plinth show storage-baseline --threads 4
  plinth show latest --format gobench > new.txt   # for benchstat
  plinth show latest --columns tps,tps-peak,wal-sync-latency
  plinth show latest --table clients --format markdown
  plinth show latest --table environments --sort simple-update/latency
  plinth show latest --run worst
  plinth show latest --run best --run worst --every 5s
  plinth show latest --run disk/tpcb-like/c10-j1/r03 --format csv > seconds.csv
  plinth show --checklist published > mine.yaml   # then: --run worst --checklist mine.yaml`,
		Args: base.AtMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			base.EndAtOnce()
			err := errors.Join(base.NoneEmpty(cmd.Flags()), base.OneFormat(cmd.Flags()))
			if flags.json {
				flags.format = "json"
			}
			if err := errors.Join(err, flags.check()); err != nil {
				return base.Usage(err)
			}
			return a.show(args, flags)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.format, "format", "text", "text, markdown, csv, json, or gobench (for benchstat)")
	f.BoolVar(&flags.json, "json", false, "same as --format json")
	f.IntVar(&flags.threads, "threads", 0, "only the cells with `N` threads, instead of the mean over all")
	f.StringArrayVar(&flags.runs, "run", nil, "one `RUN`, second by second; given twice: two runs side by side")
	f.StringSliceVar(&flags.columns, "columns", nil, "show these `METRICS`, such as tps,p99,wal-sync-latency (docs/metrics.md)")
	f.StringVar(&flags.table, "table", "", "print one `TABLE`: clients, metrics or environments")
	f.StringVar(&flags.sort, "sort", "", "with --table environments: sort by this `METRIC`, the best first")
	f.StringVar(&flags.every, "every", "", "with --run: a table in steps of, for example, `5s`")
	f.StringVar(&flags.checklist, "checklist", "", "with --run: use the checklist in a YAML `FILE`, or a built-in one: published, ebs, ebs-io2")
	return cmd
}

// check refuses flags that conflict.
func (f showFlags) check() error {
	if len(f.runs) == 0 {
		return f.checkWithoutRun()
	}
	switch {
	case f.threads != 0:
		return hint.Errorf("leave one of them out", "--run and --threads cannot be used together: a run has a fixed number of threads")
	case len(f.columns) > 0 || f.table != "" || f.sort != "":
		return hint.Errorf("leave --run out", "--columns, --table and --sort apply to the tables of environments, not to a run")
	case len(f.runs) > 2:
		return hint.Errorf("to compare environments over all of their runs, use plinth compare", "%d runs: at most two can be shown side by side", len(f.runs))
	case len(f.runs) == 1 && f.every != "" && f.format == "json":
		return hint.Errorf("leave --every out, because the JSON contains every second, or use --format csv", "--every does not apply to --format json")
	case len(f.runs) == 2 && f.checklist != "":
		return hint.Errorf("show each run alone", "--checklist requires a single run")
	}
	return nil
}

// checkWithoutRun refuses flags that need a run, except for --checklist with the name of a checklist
// that comes with plinth, which prints that checklist.
func (f showFlags) checkWithoutRun() error {
	if slices.Contains(figure.Shipped(), f.checklist) && f.every == "" && f.threads == 0 && f.table == "" && f.sort == "" && len(f.columns) == 0 {
		return nil
	}
	if err := f.checkTable(); err != nil {
		return err
	}
	if f.every != "" || f.checklist != "" {
		return hint.Errorf("name a run: --run latest", "--every and --checklist require --run")
	}
	return nil
}

// checkTable refuses flags of the tables of environments that conflict.
func (f showFlags) checkTable() error {
	switch {
	case len(f.columns) > 0 && f.table == "" && (f.format == "csv" || f.format == "gobench"):
		return hint.Errorf("add --table environments --format csv", "--columns does not apply to --format %s", f.format)
	case f.table != "" && !slices.Contains(breakdown.Tables(), f.table):
		return hint.Errorf(hint.DidYouMean(f.table, breakdown.Tables(), "it can be "+hint.Choice(breakdown.Tables())), "--table: unknown table %q", f.table)
	case f.sort != "" && f.table != breakdown.TableEnvironments:
		return hint.Errorf("add --table environments", "--sort requires --table environments")
	}
	return nil
}

func (a *app) show(args []string, flags showFlags) error {
	switch {
	case len(flags.runs) > 0:
		return a.showRuns(args, flags)
	case flags.checklist != "" && len(args) > 0:
		return base.Usage(hint.Errorf("name a run: --run latest", "--checklist %s without --run prints the checklist, and takes no record: %s", flags.checklist, args[0]))
	case flags.checklist != "" && flags.format != "text":
		return base.Usage(hint.Errorf("leave it out: the checklist is a file, in YAML", "--checklist %s without --run does not apply to --format %s", flags.checklist, flags.format))
	case flags.checklist != "":
		_, err := a.Stdout.Write(figure.ShippedYAML(flags.checklist))
		return err
	}
	rec, err := base.OpenRecord(a.Store, args)
	if err != nil {
		return err
	}
	options := summary.Options{Threads: flags.threads, Width: a.Width(), Columns: flags.columns}
	if flags.table == "" {
		return base.Usage(summary.Write(a.Stdout, rec, flags.format, options))
	}
	numbers, err := summary.Of(rec, options, false)
	if err != nil {
		return base.Usage(err)
	}
	return base.Usage(breakdown.Write(a.Stdout, numbers.Numbers, rec, flags.format, breakdown.Options{Table: flags.table, Sort: flags.sort, Width: a.Width()}))
}

// showRuns prints one run, or two side by side.
func (a *app) showRuns(args []string, flags showFlags) error {
	options, err := flags.runOptions()
	if err != nil {
		return base.Usage(err)
	}
	options.Width = a.Width()
	opened := map[string]*record.Record{}
	var runs []runpage.RunOf
	for _, name := range flags.runs {
		run, err := a.FindRun(args, name, opened)
		if err != nil {
			return err
		}
		runs = append(runs, run)
	}
	if len(runs) == 2 && runs[0].Record == runs[1].Record && runs[0].Run == runs[1].Run {
		return base.Usage(hint.Errorf("name two different runs", "cannot show a run next to itself: both are %s", runs[0].Run.Path()))
	}
	if len(runs) == 1 {
		return base.Usage(runpage.Write(a.Stdout, runs[0].Record, runs[0].Run, flags.format, options))
	}
	return base.Usage(runpage.WriteTwo(a.Stdout, runs[0], runs[1], flags.format, options))
}

func (f showFlags) runOptions() (runpage.Options, error) {
	var options runpage.Options
	var err error
	if options.Checklist, err = figure.LoadChecklist(f.checklist); err != nil {
		return options, err
	}
	if f.every != "" {
		options.Every, err = parseEvery(f.every)
	}
	return options, err
}

// parseEvery parses the step of a table, in whole seconds.
func parseEvery(text string) (int, error) {
	const example = "use whole seconds, such as 5s"
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return 0, hint.Errorf("write "+text+"s", "--every: %q has no unit", text)
	}
	every, err := unit.ParseDuration(text)
	switch {
	case err != nil:
		return 0, fmt.Errorf("--every: %w", err)
	case every.Std() <= 0:
		return 0, hint.Errorf(example, "--every: a step of %s is too short", every)
	case every.Std()%time.Second != 0:
		return 0, hint.Errorf(example, "--every: %s is not a number of whole seconds", every)
	}
	return int(every.Std() / time.Second), nil
}

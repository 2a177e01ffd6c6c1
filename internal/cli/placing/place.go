package placing

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"plinth/internal/cli/base"
	"plinth/internal/conninfo"
	"plinth/internal/engine/postgres/relation"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/inspect"
	"plinth/internal/placement"
	"plinth/internal/report/output"
	"plinth/internal/report/placing"
	"plinth/internal/runner"
	"plinth/internal/unit"
)

const placeExamples = `  plinth place postgresql://me@localhost/mydb
  plinth place latest --environment gp3
  plinth place --for 10m --storage nvme=local-nvme,1700GiB --storage cold=gp3,500GiB mydb
  plinth place --save monday.json "host=/run/postgresql dbname=mydb"
  plinth place --stats monday.json,tuesday.json --storage a=gp3,500GiB --storage b=io2,500GiB --budget 200
  plinth place --stats monday.json --storage nvme=probed.yaml,1TB,usd=80 --storage cold=gp3 --target 300us --json
  plinth place --age articles.published --storage fast=io2 --storage cold=st1,not=wal mydb
  plinth place --for 10m --storage local=longhorn-2r --storage fast=io2 --try mydb
  plinth place --stats monday.json --storage a=gp3 --storage b=io2 --experiment all > layouts.yaml`

const placeHelp = `Find which tables, partitions and indexes of a PostgreSQL database are hot, warm, cold or
append-only, from the server's statistics, and recommend storage for them, for the WAL and
for temporary files: the expected load of each device against its limits, its price, and
the statements that would move them, with their locks, durations and how to undo them.

SERVER is a connection string: postgresql://user@host/database or "host=... dbname=...".
Rates are averages since the statistics were reset; --for reads them twice, and
--stats can have two files. plinth place only reads: it moves nothing.

RECORD has the statistics of its runs with telemetry, from just before and just after the
load: that of --run, or the last valid one of --environment, by default of the baseline.
It is a path, a name in the store, the name of an experiment, or "latest".

--storage NAME=DEVICE[,SIZE][,...] adds a storage to choose from: DEVICE is a name from
plinth devices, or a model file, such as plinth probe writes. More, separated by commas:
  holds=TABLESPACE  the tablespace is there now; may be repeated. Those that no store
                    holds, and the WAL, are on the first store
  wal               the WAL is there now
  not=KIND          may not hold these: wal, temp, table or index; may be repeated
  iops=N, throughput=RATE
                    provisioned, of a device that can be: iops=6000
  dir=/PATH         where to create a new tablespace
  usd=N             its price a month, in place of the price book's
  copy=RATE         the rate of a copy, as measured: 200MiB/s
Without --storage, no layout is proposed.

The layout is the one with the least device time that costs at most --budget. With
--target it is the cheapest whose mean read and whose durable write of the WAL take no
longer; with both, that of the least device time within both.

--age TABLE.COLUMN, a column of a timestamp, a date or an ascending whole number, shows how
much of the table is old, from the statistics that ANALYZE took (plinth does not run it),
and of a partitioned table also its bounds. --save keeps it for --stats.

--experiment prints the experiment that compares layouts on emulated devices, with tables
and statements of the same shape: before (the present layout with the proposed one), or
all (the proposed one with everything on each store, with the plan but for one object, and
with the worst). --try writes it to a file of the experiment's name, and runs it.`

type placeFlags struct {
	watch, prices, region, target string
	stats, save, stores, ages     []string
	columns                       []relation.Column // of ages
	run, environment              string
	experiment                    string
	try                           bool
	budget                        float64
	relations                     int
	format                        string
	json                          bool
}

func (a *app) placeCommand() *cobra.Command {
	var flags placeFlags
	cmd := &cobra.Command{
		Use:     "place [SERVER|RECORD]",
		Short:   "Find what is hot in a database, and recommend storage for each part",
		Long:    placeHelp + base.ExitHelp(base.ExitDone, base.ExitFailed, base.ExitUsage, base.ExitInterrupted),
		Example: placeExamples,
		Args:    base.AtMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := errors.Join(base.NoneEmpty(cmd.Flags()), base.OneFormat(cmd.Flags()), flags.check(cmd.Flags(), args)); err != nil {
				return base.Usage(err)
			}
			if flags.json {
				flags.format = "json"
			}
			if err := output.Check(flags.format, placing.Formats); err != nil {
				return base.Usage(err)
			}
			return a.place(cmd.Context(), args, flags)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.watch, "for", "", "read the statistics twice, `DURATION` apart, in whole seconds: 10m")
	f.StringSliceVar(&flags.stats, "stats", nil, "use one or two readings saved in `FILE`[,FILE] instead of a server")
	f.StringSliceVar(&flags.save, "save", nil, "save the reading in `FILE`, or with --for the two readings in FILE,FILE")
	f.StringArrayVar(&flags.stores, "storage", nil, "a storage to choose from: `NAME=DEVICE`[,SIZE][,...]; repeat for more")
	f.Float64Var(&flags.budget, "budget", 0, "the most `DOLLARS` a month")
	f.StringVar(&flags.target, "target", "", "the longest `TIME` of a mean read and of a durable write of the WAL: 300us")
	f.StringVar(&flags.prices, "prices", "", "use the prices in `FILE` instead of the built-in price book")
	f.StringVar(&flags.region, "region", "", "`REGION` of the prices (default: the only one of the book, or us-east-1)")
	f.IntVar(&flags.relations, "relations", 0, "consider the `N` busiest and largest relations individually (default: 5000)")
	f.StringArrayVar(&flags.ages, "age", nil, "show the age of a table's rows by `TABLE.COLUMN`; may be repeated")
	f.StringVar(&flags.run, "run", "", "with a record: use the statistics of `RUN`")
	f.StringVar(&flags.environment, "environment", "", "with a record: use the last valid run of `ENVIRONMENT` (default: the baseline)")
	f.StringVar(&flags.experiment, "experiment", "", "print the experiment that compares `LAYOUTS`: before or all")
	f.BoolVar(&flags.try, "try", false, "write that experiment to a file, and run it (default: --experiment before)")
	base.FormatFlags(cmd, &flags.format, &flags.json)
	return cmd
}

// check finds flags that contradict each other.
func (f placeFlags) check(set *pflag.FlagSet, args []string) error {
	readings := 1
	if f.watch != "" {
		readings = 2
	}
	saved, served := len(f.stats) > 0, len(args) > 0
	for _, mistake := range []struct {
		made         bool
		text, advice string
	}{
		{!saved && !served, "no server, record or file is given", "use plinth place postgresql://user@host/database, plinth place RECORD, or --stats FILE"},
		{saved && served, "--stats and a server cannot be used together", "choose one of them"},
		{saved && (f.run != "" || f.environment != ""), "--run and --environment need a record", "leave them out, or name a record: plinth place latest"},
		{f.run != "" && f.environment != "", "--run and --environment cannot be used together: a run has one environment", "leave one of them out"},
		{len(f.stats) > 2, fmt.Sprintf("--stats has %d files", len(f.stats)), "give one file, or two that were saved one after the other"},
		{saved && (f.watch != "" || len(f.save) > 0 || f.relations != 0), "--stats cannot be used with --for, --save or --relations", "leave them out"},
		{len(f.save) > 0 && len(f.save) != readings, fmt.Sprintf("--save has %s for %s", unit.Count(len(f.save), "file"), unit.Count(readings, "reading")),
			"give one file, or with --for two: --save first.json,second.json"},
		{set.Changed("relations") && (f.relations < 1 || f.relations > 50000), fmt.Sprintf("--relations: %d is out of range", f.relations), "give 1 to 50000"},
	} {
		if mistake.made {
			return hint.Wrap(errors.New(mistake.text), mistake.advice)
		}
	}
	return errors.Join(f.checkGoal(set), f.checkTrial())
}

// checkGoal finds a goal without stores.
func (f placeFlags) checkGoal(set *pflag.FlagSet) error {
	switch {
	case set.Changed("budget") && !(f.budget > 0 && f.budget < 1e12):
		return hint.Errorf("give dollars a month: --budget 200", "--budget: %v is not an amount", f.budget)
	case len(f.stores) == 0 && (f.budget > 0 || f.target != "" || f.prices != "" || f.region != ""):
		return hint.Errorf("add --storage NAME=DEVICE for each storage to choose from", "--budget, --target, --prices and --region need --storage")
	}
	return nil
}

func (a *app) place(ctx context.Context, args []string, flags placeFlags) error {
	choice, err := flags.choice()
	if err != nil {
		return base.Usage(err)
	}
	if flags.columns, err = columnsOf(flags.ages); err != nil {
		return base.Usage(err)
	}
	length, err := base.WatchLength(flags.watch)
	if err != nil {
		return base.Usage(err)
	}
	rates, err := a.rates(ctx, args, flags, length)
	if err != nil {
		return base.Usage(base.Ended(ctx, err))
	}
	work := placement.FromRates(rates)
	var plan *placement.Plan
	if choice.stores != nil {
		choice.fill(rates.Reading.Tablespaces)
		found, err := placement.Find(work, choice.stores, choice.goal, choice.price)
		if err != nil {
			return base.Usage(err)
		}
		plan = &found
	}
	if flags.experiment != "" || flags.try {
		return a.placeTrial(ctx, flags, rates, work, choice, plan)
	}
	page := placing.New(rates, work, plan, choice.note)
	if page.Ages, err = agesOf(rates, work, flags.columns, choice, plan); err != nil {
		return base.Usage(err)
	}
	return placing.Write(a.Stdout, page, flags.format, a.Width())
}

// rates returns the rates from files, from one reading of a server, or from two.
func (a *app) rates(ctx context.Context, args []string, flags placeFlags, length time.Duration) (relation.Rates, error) {
	if len(flags.stats) > 0 {
		var readings []relation.Reading
		for _, path := range flags.stats {
			l, err := relation.Load(path)
			if err != nil {
				return relation.Rates{}, err
			}
			readings = append(readings, l)
		}
		return ratesOf(readings)
	}
	if rates, is, err := a.recordRates(args[0], flags); is || err != nil {
		return rates, err
	}
	server, err := serverOf(args[0])
	if err != nil {
		return relation.Rates{}, err
	}
	a.OnStop(base.StopLooking)
	view := a.View(false)
	defer view.End()
	var readings []relation.Reading
	for {
		l, err := relation.Read(ctx, server, relation.Options{Most: flags.relations, Ages: flags.columns, Progress: func(read int) {
			view.Status(runner.Status{Step: "reading statistics", Detail: unit.Count(read, "relation")})
		}})
		if err != nil {
			return relation.Rates{}, err
		}
		if len(flags.save) > 0 {
			if err := l.Save(flags.save[len(readings)]); err != nil {
				return relation.Rates{}, err
			}
		}
		if readings = append(readings, l); length == 0 || len(readings) == 2 {
			return ratesOf(readings)
		}
		if err := countDown(ctx, view, length); err != nil {
			return relation.Rates{}, err
		}
	}
}

func ratesOf(readings []relation.Reading) (relation.Rates, error) {
	if len(readings) == 1 {
		return relation.SinceReset(readings[0])
	}
	return relation.Between(readings[0], readings[1])
}

// countDown waits until the second reading, and shows the time left.
func countDown(ctx context.Context, view *base.View, length time.Duration) error {
	end := time.Now().Add(length)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		left := time.Until(end)
		if left <= 0 {
			return nil
		}
		view.Status(runner.Status{Step: "waiting for the second reading", Detail: left.Round(time.Second).String() + " left"})
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// serverOf returns the connection string of a PostgreSQL server. A word alone is the name of a
// database, as for psql.
func serverOf(text string) (conninfo.Conninfo, error) {
	if text != "" && !strings.ContainsAny(text, "=:/. ") {
		return conninfo.Conninfo(conninfo.Parameters{{Name: "dbname", Value: text}}.String()), nil
	}
	target, err := inspect.ParseTarget(text)
	switch {
	case err != nil:
		return "", err
	case target.Server == "":
		return "", hint.Errorf("give a connection string: postgresql://user@host/database", "%s is a directory, not a server", text)
	case target.Server.Engine() != experiment.EnginePostgres:
		return "", hint.Errorf("give a connection string: postgresql://user@host/database", "%s is not a PostgreSQL server", target)
	}
	return target.Server, nil
}

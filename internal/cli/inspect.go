package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"plinth/internal/figure"
	"plinth/internal/hint"
	"plinth/internal/inspect"
	"plinth/internal/report"
	"plinth/internal/runner"
	"plinth/internal/unit"
)

func (a *app) inspectCommand() *cobra.Command {
	var (
		format    string
		asJSON    bool
		watch     string
		checklist string
	)
	cmd := &cobra.Command{
		Use:   "inspect [TARGET]",
		Short: "What is this machine, and what about it would spoil a benchmark?",
		Long: `Say what a machine and a database are, and what about them would spoil a benchmark
or hurt production: findings in order of weight, each with its evidence, why it
matters, and what to do.

TARGET is a directory in which data lies or is going to (the current one unless
said), or a server: postgresql://user@host/database or "host=... dbname=...".
Where that server runs on this machine its directories are looked at, too.

With --for it then watches the target, under whatever load that has: the machine
and the server are read once a second, and what they did is shown as plinth show
--run shows a run, without a benchmark.

It reads only, and needs no root; a last line says what root, or another role of
the server, would add.` + exitHelp(exitDone, exitFailed, exitUsage, exitInterrupted),
		Example: `  plinth inspect
  plinth inspect /mnt/nvme0
  plinth inspect postgresql://me@localhost/mydb
  plinth inspect --for 60s postgresql://me@localhost/mydb
  plinth inspect "host=/var/run/postgresql user=postgres dbname=postgres" --json`,
		Args: atMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := errors.Join(noneEmpty(cmd.Flags()), oneFormat(cmd.Flags())); err != nil {
				return &usageError{err}
			}
			if asJSON {
				format = "json"
			}
			length, err := watchLength(watch)
			if err != nil {
				return &usageError{err}
			}
			list, err := figure.LoadChecklist(checklist)
			if err != nil {
				return &usageError{err}
			}
			return a.inspect(cmd.Context(), args, format, length, list)
		},
	}
	cmd.Flags().StringVar(&watch, "for", "", "watch for this `LONG`, in whole seconds: 60s")
	cmd.Flags().StringVar(&checklist, "checklist", "", "hold what was watched against this `FILE` instead of the published checklist")
	cmd.Flags().StringVar(&format, "format", "text", "text, markdown or json")
	cmd.Flags().BoolVar(&asJSON, "json", false, "same as --format json")
	return cmd
}

// watchLength is how long to watch; 0 is not at all.
func watchLength(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	length, err := unit.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("--for: %w", err)
	}
	if d := length.Std(); d >= time.Second && d <= 24*time.Hour && d%time.Second == 0 {
		return d, nil
	}
	return 0, hint.Errorf("one second to 24h, without fractions of a second", "cannot watch for %s", length)
}

func (a *app) inspect(ctx context.Context, args []string, format string, length time.Duration, list figure.Checklist) error {
	name := "."
	if len(args) == 1 {
		name = args[0]
	}
	target, err := inspect.ParseTarget(name)
	if err != nil {
		return &usageError{err}
	}
	if err := report.CheckInspectFormat(format); err != nil { // before a server is asked for nothing
		return &usageError{err}
	}
	seen, err := inspect.Look(ctx, target)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && target.Server != "":
		return &usageError{err}
	case err != nil:
		return err
	}
	opts := report.InspectOptions{Width: a.width(), Colour: a.colour(), Checklist: list}
	if length > 0 {
		if opts.Watched, err = a.watch(ctx, target, seen, length); err != nil {
			return err
		}
	}
	return report.WriteInspection(a.stdout, seen, format, opts)
}

// watch watches a target, and says how long that still takes.
func (a *app) watch(ctx context.Context, target inspect.Target, seen inspect.Inspection, length time.Duration) (*inspect.Watched, error) {
	view := a.view(false)
	defer view.end()
	return inspect.Watch(ctx, target, seen, length, func(done time.Duration) {
		left := (length - done).Round(time.Second)
		view.Status(runner.Status{Step: "watching", Detail: left.String() + " left"})
	})
}

// colour says whether results may be coloured: on a terminal that can, unless its
// user does not want it (https://no-color.org).
func (a *app) colour() bool {
	file, ok := a.stdout.(*os.File)
	return ok && term.IsTerminal(int(file.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

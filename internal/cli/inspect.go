package cli

import (
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"plinth/internal/inspect"
	"plinth/internal/report"
)

func (a *app) inspectCommand() *cobra.Command {
	var (
		format string
		asJSON bool
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

It reads only, and needs no root; a last line says what root, or another role of
the server, would add.` + exitHelp(exitDone, exitFailed, exitUsage, exitInterrupted),
		Example: `  plinth inspect
  plinth inspect /mnt/nvme0
  plinth inspect postgresql://me@localhost/mydb
  plinth inspect "host=/var/run/postgresql user=postgres dbname=postgres" --json`,
		Args: atMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := errors.Join(noneEmpty(cmd.Flags()), oneFormat(cmd.Flags())); err != nil {
				return &usageError{err}
			}
			if asJSON {
				format = "json"
			}
			return a.inspect(cmd.Context(), args, format)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text, markdown or json")
	cmd.Flags().BoolVar(&asJSON, "json", false, "same as --format json")
	return cmd
}

func (a *app) inspect(ctx context.Context, args []string, format string) error {
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
	return report.WriteInspection(a.stdout, seen, format, report.InspectOptions{Width: a.width(), Colour: a.colour()})
}

// colour says whether results may be coloured: on a terminal that can, unless its
// user does not want it (https://no-color.org).
func (a *app) colour() bool {
	file, ok := a.stdout.(*os.File)
	return ok && term.IsTerminal(int(file.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

package probing

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"plinth/internal/cli/base"
	"plinth/internal/cli/elsewhere"
	"plinth/internal/figure"
	"plinth/internal/hint"
	"plinth/internal/inspect"
	"plinth/internal/kube/survey"
	"plinth/internal/report/inspection"
	"plinth/internal/report/output"
	"plinth/internal/runner"
)

const inspectExamples = `  plinth inspect
  plinth inspect /mnt/nvme0
  plinth inspect postgresql://me@localhost/mydb
  plinth inspect --for 60s postgresql://me@localhost/mydb
  plinth inspect redis://localhost:6379
  plinth inspect /run/redis/redis-server.sock
  plinth inspect "host=/var/run/postgresql user=postgres dbname=postgres" --json
  plinth inspect --kubernetes --context lab --namespace bench`

const inspectHelp = `Describe a machine and a database, and report what would spoil a benchmark or hurt
production: findings in order of severity, each with its evidence, why it matters,
and what to do.

TARGET is a directory that holds or will hold data (default: the current one), or a
server: postgresql://user@host/database, "host=... dbname=...",
redis://user@host:6379 (rediss:// with TLS), or the socket of a Redis. If the server
runs on this machine, plinth examines its directories, too.

With --for, plinth then watches the target under its current load: it reads the
machine and the server once a second, and shows their activity as plinth show --run
does, without a benchmark.

Ctrl-C ends the watch early and shows what was collected until then.

With --kubernetes, plinth examines a Kubernetes cluster instead: its nodes, its
storage classes, and the namespace in which plinth run would create its objects.

plinth inspect only reads, and does not need root; its last line lists what root, or
another role on the server, would add.`

func (a *app) inspectCommand() *cobra.Command {
	var (
		format    string
		asJSON    bool
		watch     string
		checklist string
		there     elsewhere.KubernetesFlags
	)
	cmd := &cobra.Command{
		Use:     "inspect [TARGET]",
		Short:   "Examine this machine for what would spoil a benchmark",
		Long:    inspectHelp + base.ExitHelp(base.ExitDone, base.ExitFailed, base.ExitUsage, base.ExitInterrupted),
		Example: inspectExamples,
		Args:    base.AtMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := errors.Join(base.NoneEmpty(cmd.Flags()), base.OneFormat(cmd.Flags())); err != nil {
				return base.Usage(err)
			}
			switch {
			case asJSON:
				format = "json"
			case format == "md":
				format = "markdown"
			}
			if err := there.Check(cmd.Flags(), "for", "checklist"); err != nil {
				return base.Usage(err)
			}
			if there.Kubernetes {
				return a.inspectCluster(cmd.Context(), args, format, there)
			}
			length, err := base.WatchLength(watch)
			if err != nil {
				return base.Usage(err)
			}
			if checklist != "" && length == 0 {
				return base.Usage(hint.Errorf("add --for 60s", "--checklist requires --for"))
			}
			list, err := figure.LoadChecklist(checklist)
			if err != nil {
				return base.Usage(err)
			}
			return a.inspect(cmd.Context(), args, format, length, list)
		},
	}
	cmd.Flags().StringVar(&watch, "for", "", "watch for `DURATION`, in whole seconds: 60s")
	cmd.Flags().StringVar(&checklist, "checklist", "", "use the checklist in `FILE` instead of the published one")
	cmd.Flags().StringVar(&format, "format", "text", "text, markdown or json")
	cmd.Flags().BoolVar(&asJSON, "json", false, "same as --format json")
	there.Register(cmd.Flags(), "examine a Kubernetes cluster: the one that kubectl would use")
	return cmd
}

// inspectCluster examines a Kubernetes cluster.
func (a *app) inspectCluster(ctx context.Context, args []string, format string, there elsewhere.KubernetesFlags) error {
	if len(args) > 0 {
		return base.Usage(hint.Errorf("choose the cluster with --context, and inspect a server separately", "a target and --kubernetes cannot be used together: %s", args[0]))
	}
	if err := output.Check(format, inspection.Formats); err != nil {
		return base.Usage(err)
	}
	a.OnStop(base.StopLooking)
	c, err := there.Open(ctx)
	if err != nil {
		return base.Usage(base.Ended(ctx, err))
	}
	seen, err := survey.Look(ctx, c)
	if err != nil {
		return base.Ended(ctx, err)
	}
	return inspection.WriteCluster(a.Stdout, seen, format, inspection.Options{Width: a.Width(), Colour: a.Colour()})
}

func (a *app) inspect(ctx context.Context, args []string, format string, length time.Duration, list figure.Checklist) error {
	name := "."
	if len(args) == 1 {
		name = args[0]
	}
	target, err := inspect.ParseTarget(name)
	if err != nil {
		return base.Usage(err)
	}
	if err := output.Check(format, inspection.Formats); err != nil { // before connecting to a server
		return base.Usage(err)
	}
	a.OnStop(base.StopLooking)
	seen, err := inspect.Look(ctx, target)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && target.Server != "":
		return base.Usage(err)
	case err != nil:
		return err
	}
	opts := inspection.Options{Width: a.Width(), Colour: a.Colour(), Checklist: list}
	if length > 0 {
		opts.Watched, err = a.watch(ctx, target, seen, length)
		if err != nil && ctx.Err() == nil {
			return err
		}
	}
	// After Ctrl-C the facts seen so far are shown, and the exit code shows that they
	// are incomplete.
	return errors.Join(inspection.Write(a.Stdout, seen, format, opts), ctx.Err())
}

// stopWatching is the message at Ctrl-C.
const stopWatching = "the results so far follow"

// watch watches a target, and shows the time left.
func (a *app) watch(ctx context.Context, target inspect.Target, seen inspect.Inspection, length time.Duration) (*inspect.Watched, error) {
	a.OnStop(stopWatching)
	view := a.View(false)
	defer view.End()
	return inspect.Watch(ctx, target, seen, length, func(done time.Duration) {
		left := (length - done).Round(time.Second)
		view.Status(runner.Status{Step: "watching", Detail: left.String() + " left"})
	})
}

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/spf13/cobra"

	"plinth/internal/hint"
	"plinth/internal/host/launch"
	"plinth/internal/journal"
	"plinth/internal/probe"
	"plinth/internal/report/disk"
	"plinth/internal/runner"
	"plinth/internal/volume"
)

func (a *app) probeCommand() *cobra.Command {
	var flags probeFlags
	cmd := &cobra.Command{
		Use:   "probe PATH|DEVICE",
		Short: "What can this disk do for PostgreSQL?",
		Long: `Measure what a database needs to know of a disk, in about a minute: durable writes,
as WAL makes them for each commit, random reads and writes at several queue depths,
sequential ones, and a mix; beside what theory expects, and with what it means for
PostgreSQL. The figures become a device file, which emulate: takes on another
machine.

PATH is a directory on the disk: a test file is made in it, and removed. DEVICE is
a block device, which is read only, unless --erase allows to destroy what is on it.

--sustained goes on until bursts and caches are exhausted, for ten minutes unless
--for says otherwise, and tells the rate before the cliff from that after it.
--memory measures memory in place of a disk: from each node of the machine, to each.

It needs fio. Ctrl-C ends it and leaves nothing behind.` +
			exitHelp(exitDone, exitFailed, exitUsage, exitPutBack, exitInterrupted),
		Example: `  plinth probe /mnt/nvme0
  plinth probe --sustained --for 20m --size 32GiB /mnt/nvme0
  plinth probe --expect gp3 /mnt/volume
  plinth probe --json --output nvme.yaml /mnt/nvme0
  plinth probe --memory`,
		Args: atMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := noneEmpty(cmd.Flags()); err != nil {
				return &usageError{err}
			}
			a.stopping.Store(&stopProbing)
			if flags.memory {
				return a.probeMemory(cmd.Context(), args, flags)
			}
			return a.probeDisk(cmd.Context(), args, flags)
		},
	}
	cmd.Flags().StringVar(&flags.length, "for", "", "measure for this `LONG`: 60s unless said, 10m with --sustained")
	cmd.Flags().StringVar(&flags.size, "size", "", "`SIZE` of the test file: 1GiB unless said, 4GiB with --sustained; of memory, beyond all caches unless said")
	cmd.Flags().StringVar(&flags.expect, "expect", "", "hold it against this `DEVICE` of plinth devices, or device file; of an array, each member")
	cmd.Flags().StringVarP(&flags.output, "output", "o", "", "device `FILE` to write: NAME.device.yaml in this directory unless said")
	cmd.Flags().StringVar(&flags.name, "name", "", "`NAME` of the device in that file: its model or the kernel's name unless said")
	cmd.Flags().BoolVar(&flags.sustained, "sustained", false, "go on until bursts and caches are exhausted")
	cmd.Flags().BoolVar(&flags.erase, "erase", false, "allow to write to a block device, which destroys what is on it")
	cmd.Flags().BoolVar(&flags.memory, "memory", false, "measure memory in place of a disk")
	cmd.Flags().BoolVar(&flags.asJSON, "json", false, "print JSON")
	return cmd
}

// stopProbing is what is said at Ctrl-C.
var stopProbing = "the test file is removed"

func (a *app) probeDisk(ctx context.Context, args []string, flags probeFlags) error {
	if len(args) == 0 {
		return &usageError{hint.Errorf("plinth probe PATH|DEVICE, or plinth probe --memory", "what is to be probed is not said")}
	}
	options, err := flags.options(args[0])
	if err != nil {
		return &usageError{err}
	}
	view := a.view(false)
	defer view.end()
	if err := runner.Clean(ctx, view, false); err != nil {
		return err
	}
	options.Launcher, options.Say, options.Tell = launch.NewLocal(), view.Say, a.progress(view)
	result, err := probing(ctx, options)
	view.end()
	var target *probe.TargetError
	if errors.As(err, &target) {
		return &usageError{err}
	}
	if err != nil {
		return err
	}
	if err := a.writeProbe(result, flags.asJSON); err != nil {
		return err
	}
	return a.writeDevice(result.Device, flags.output)
}

// probing probes with a journal, and puts everything back, on every path.
func probing(ctx context.Context, o probe.Options) (*probe.Result, error) {
	state, err := journal.StateDir()
	if err != nil {
		return nil, &usageError{err}
	}
	if o.Journal, err = journal.Open(state, "probe of "+o.Path); err != nil {
		return nil, err
	}
	result, err := probe.Run(ctx, o)
	back := o.Journal.PutBack(context.WithoutCancel(ctx), volume.Undoers())
	if back = errors.Join(back, o.Journal.Close()); back != nil {
		return nil, errors.Join(err, &runner.PutBackError{Err: back})
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return result, err
}

// progress shows what goes on.
func (a *app) progress(view *view) func(step, detail string, remaining time.Duration) {
	return func(step, detail string, remaining time.Duration) {
		if detail != "" {
			detail += ", "
		}
		view.Status(runner.Status{Step: step, Detail: detail + left(max(remaining, 0))})
	}
}

func (a *app) writeProbe(r *probe.Result, asJSON bool) error {
	if asJSON {
		return a.writeJSON(r)
	}
	_, err := io.WriteString(a.stdout, disk.Probe(r).Text(a.width()))
	return err
}

func (a *app) writeJSON(value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	_, err = a.stdout.Write(append(text, '\n'))
	return err
}

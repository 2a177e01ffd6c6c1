package probing

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"time"

	"github.com/spf13/cobra"

	"plinth/internal/cli/base"
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
		Use:   "probe [PATH|DEVICE]",
		Short: "Measure what this disk can do for PostgreSQL",
		Long: `Measure the disk performance that matters to a database, in about a minute: durable
writes, as WAL makes them for each commit, random reads and writes at several queue
depths, sequential ones, and a mix. The output compares the results with theory and
explains what they mean for PostgreSQL. The figures are also written to a device
file, which emulate: accepts on another machine.

PATH is a directory on the disk: plinth creates a test file there, and removes it
afterwards. DEVICE is a block device, which is only read unless --erase allows
destroying its contents.

--local names the local disk that stores a network or replicated volume: a directory
on it, which is probed in turn with the volume, so that the probe takes twice as long,
or a model file. A volume that is faster than that disk answers from a cache, or
before it has stored the data.

--beside names a directory on any other disk, which is probed in turn, too: the output has
the ratio of the two.

--kubernetes probes a storage class: plinth creates a pod with a new volume of it, probes
both the volume and the disk of the pod's node there, and deletes the pod and the volume.
If plinth is killed, the cluster deletes them after a minute. --beside none leaves the
node's disk out.

--sustained writes for ten minutes, or for the duration of --for, to exhaust bursts and
caches, and reports the rates before and after the drop. --memory measures memory
latency instead of a disk: from each NUMA node to every node.

plinth probe needs fio. Ctrl-C ends it and leaves nothing behind.` +
			base.ExitHelp(base.ExitDone, base.ExitFailed, base.ExitUsage, base.ExitPutBack, base.ExitInterrupted),
		Example: `  plinth probe /mnt/nvme0
  plinth probe --sustained --for 20m --size 32GiB /mnt/nvme0
  plinth probe --expect gp3 /mnt/volume
  plinth probe --local /var/lib/longhorn /mnt/volume
  plinth probe --json --output nvme.yaml /mnt/nvme0
  plinth probe --kubernetes storageClass/longhorn --namespace bench
  plinth probe --memory`,
		Args: base.AtMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := base.NoneEmpty(cmd.Flags()); err != nil {
				return base.Usage(err)
			}
			if err := flags.class.check(cmd.Flags(), args); err != nil {
				return base.Usage(err)
			}
			if flags.class.kubernetes != "" {
				return a.probeClass(cmd.Context(), flags)
			}
			a.OnStop(stopProbing)
			if flags.memory {
				return a.probeMemory(cmd.Context(), args, flags)
			}
			return a.probeDisk(cmd.Context(), args, flags)
		},
	}
	flags.register(cmd.Flags())
	return cmd
}

// stopProbing is the message at Ctrl-C.
const stopProbing = "the test file is removed"

func (a *app) probeDisk(ctx context.Context, args []string, flags probeFlags) error {
	if len(args) == 0 {
		return base.Usage(hint.Errorf("use plinth probe PATH|DEVICE, or plinth probe --memory", "no path or device given"))
	}
	options, err := flags.options(args[0])
	if err != nil {
		return base.Usage(err)
	}
	view := a.View(false)
	defer view.End()
	if err := a.CleanBefore(ctx, view); err != nil {
		return err
	}
	options.Launcher, options.Say, options.Tell = launch.NewLocal(), view.Say, progress(view)
	result, err := probing(ctx, options)
	view.End()
	var target *probe.TargetError
	if errors.As(err, &target) {
		return base.Usage(err)
	}
	if result == nil {
		return err
	}
	if flags.asJSON {
		err = errors.Join(err, a.WriteJSON(result))
	} else {
		_, failed := io.WriteString(a.Stdout, disk.Probe(result).Text(a.Width()))
		err = errors.Join(err, failed)
	}
	return errors.Join(err, a.WriteDevice(result.Device, flags.output))
}

// probing probes with a journal, and undoes every change on all paths. With a *runner.PutBackError, there is a
// result if the probe was complete.
func probing(ctx context.Context, o probe.Options) (*probe.Result, error) {
	state, err := journal.StateDir()
	if err != nil {
		return nil, base.Usage(err)
	}
	// It would disturb the runs of an experiment, and they it.
	lock, err := journal.TakeLock(journal.ExperimentLock(state), "the probe of "+o.Path, journal.Starter())
	if locked := new(journal.LockedError); errors.As(err, &locked) {
		return nil, base.Usage(err)
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = lock.Release() }()
	if o.Journal, err = journal.Open(state, "probe of "+o.Path); err != nil {
		return nil, err
	}
	result, err := probe.Run(ctx, o)
	back := o.Journal.PutBack(context.WithoutCancel(ctx), volume.Undoers())
	if back = errors.Join(back, o.Journal.Close()); back != nil {
		err = errors.Join(err, &runner.PutBackError{Err: back})
	}
	if ctx.Err() != nil {
		return nil, errors.Join(ctx.Err(), err)
	}
	return result, err
}

func (a *app) probeMemory(ctx context.Context, args []string, flags probeFlags) error {
	if len(args) > 0 || flags.sustained || flags.erase || flags.expect != "" || flags.local != "" || flags.beside != "" || flags.output != "" || flags.length != "" || flags.name != "" {
		return base.Usage(hint.Errorf("with --memory, use only --size and --json", "--memory accepts neither a path nor flags for disks"))
	}
	size, err := flags.bytes()
	if err != nil {
		return base.Usage(err)
	}
	a.OnStop(base.StopLooking)
	view := a.View(false)
	defer view.End()
	m, err := probe.ProbeMemory(ctx, size, rand.Uint64()>>1, progress(view))
	view.End()
	if err != nil {
		return err
	}
	if flags.asJSON {
		return a.WriteJSON(m)
	}
	_, err = io.WriteString(a.Stdout, disk.Memory(m).Text(a.Width()))
	return err
}

// progress returns a function that shows the current step.
func progress(view *base.View) func(step, detail string, remaining time.Duration) {
	return func(step, detail string, remaining time.Duration) {
		if detail != "" {
			detail += ", "
		}
		view.Status(runner.Status{Step: step, Detail: detail + base.Left(max(remaining, 0))})
	}
}

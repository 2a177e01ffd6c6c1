package base

import (
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"

	"plinth/internal/conninfo"
	"plinth/internal/hint"
	"plinth/internal/prose"
	"plinth/internal/runner"
	"plinth/internal/runner/site"
	"plinth/internal/tune"
)

// fewestFiles is the number of files that plinth must be able to open: a run of one server opens about
// 100 at the same time.
const fewestFiles = 256

// EnoughFiles returns an error if this process may open too few files for a run, of which each would
// fail. (The Go runtime has raised the soft limit to the hard one.)
func EnoughFiles() error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err == nil && limit.Cur < fewestFiles {
		return Usage(hint.Errorf("raise it: ulimit -n 1024, or LimitNOFILE= in a systemd unit",
			"cannot run with a limit of %d open files: %d are needed", limit.Cur, fewestFiles))
	}
	return nil
}

// CleanBefore undoes what an earlier crash left behind. What cannot be removed now does not prevent a measurement.
func (a *App) CleanBefore(ctx context.Context, view *View) error {
	err := site.Clean(ctx, view.Say, false)
	if left := new(runner.PutBackError); errors.As(err, &left) {
		view.Say("warning: " + conninfo.Redact(err.Error()))
		return nil
	}
	return err
}

// ShowKept shows a kept tuning. It sanitises the journal's content, which an earlier process
// wrote.
func ShowKept(out io.Writer, kept *tune.KeptState) {
	fmt.Fprintln(out, prose.Clean(kept.Words()))
	for _, c := range kept.Changes() {
		fmt.Fprintf(out, "  %s\n", prose.Clean(c))
	}
	if kept.Damage() == nil && kept.Rebooted(tune.Kernel{}) {
		fmt.Fprintln(out, "note: the machine has rebooted since: the kernel has lost these changes")
	}
}

package cli

import (
	"context"
	"io"
	"math/rand/v2"

	"plinth/internal/hint"
	"plinth/internal/probe"
	"plinth/internal/report/disk"
)

func (a *app) probeMemory(ctx context.Context, args []string, flags probeFlags) error {
	if len(args) > 0 || flags.sustained || flags.erase || flags.expect != "" || flags.output != "" || flags.length != "" || flags.name != "" {
		return &usageError{hint.Errorf("plinth probe --memory, with --size and --json or nothing else", "--memory is about memory, and takes nothing that is about a disk")}
	}
	size, err := flags.bytes()
	if err != nil {
		return &usageError{err}
	}
	a.stopping.Store(&stopLooking)
	view := a.view(false)
	defer view.end()
	m, err := probe.ProbeMemory(ctx, size, rand.Uint64()>>1, a.progress(view))
	view.end()
	if err != nil {
		return err
	}
	if flags.asJSON {
		return a.writeJSON(m)
	}
	_, err = io.WriteString(a.stdout, disk.Memory(m).Text(a.width()))
	return err
}

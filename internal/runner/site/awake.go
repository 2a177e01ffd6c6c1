package site

import (
	"context"
	"fmt"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/record"
	"plinth/internal/runner/preview"
)

// wantsAwake reports whether the CPUs are to be kept from halting. The default is yes on a
// virtual machine with emulated devices: a halted virtual CPU waits for its hypervisor, and the
// devices must answer in time. On real disks the user chooses, because a production machine
// halts, too. A resumed experiment keeps what it began with, since its numbers must be comparable
// with the earlier ones.
func wantsAwake(e *experiment.Experiment, before *bool) bool {
	if before != nil {
		return *before
	}
	switch e.Awake {
	case experiment.AwakeOn:
		return true
	case experiment.AwakeOff:
		return false
	}
	return preview.EmulatedDisks(e) > 0 && host.IsVirtual()
}

// stayAwake keeps the CPUs awake for the whole experiment. If that fails, the experiment goes
// on with a warning, unless the user asked for it or the earlier runs had it: late devices are
// detected.
func (l *Local) stayAwake(ctx context.Context, before *bool) (Opened, error) {
	if !wantsAwake(l.experiment, before) {
		return Opened{}, nil
	}
	err := l.host.KeepAwake(ctx, l.journal, l.launcher)
	switch {
	case err == nil:
		return Opened{Awake: true, Said: []string{"the CPUs are kept awake: a halted virtual CPU must wait for its hypervisor"}}, nil
	case l.experiment.Awake == experiment.AwakeOn || before != nil:
		return Opened{}, hint.Wrap(fmt.Errorf("awake: %w", err), "leave awake out, or set it to off")
	}
	return Opened{Notes: []record.Note{{Rule: "asleep",
		Text: fmt.Sprintf("this machine's virtual CPUs halt when idle and wake up late, and plinth cannot prevent it: %v", err), Hint: hint.Of(err)}}}, nil
}

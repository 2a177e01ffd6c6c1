package runner

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
// halts, too.
func (r *Runner) wantsAwake() bool {
	if r.options.Resume != nil {
		return r.options.Resume.Summary.Awake // its numbers must be comparable with the earlier ones
	}
	switch r.experiment.Awake {
	case experiment.AwakeOn:
		return true
	case experiment.AwakeOff:
		return false
	}
	return preview.EmulatedDisks(r.experiment) > 0 && host.IsVirtual()
}

// stayAwake keeps the CPUs awake for the whole experiment. If that fails, the experiment goes
// on with a warning, unless the user asked for it or the earlier runs had it: late devices are
// detected.
func (r *Runner) stayAwake(ctx context.Context) error {
	if !r.wantsAwake() {
		return nil
	}
	err := r.host.KeepAwake(ctx, r.journal, r.launcher)
	switch {
	case err == nil:
		r.book.summary.Awake = true
		r.progress.view.Say("the CPUs are kept awake: a halted virtual CPU must wait for its hypervisor")
		return nil
	case r.experiment.Awake == experiment.AwakeOn || r.options.Resume != nil:
		return &InputError{hint.Wrap(fmt.Errorf("awake: %w", err), "leave awake out, or set it to off")}
	}
	r.book.summary.Warnings = append(r.book.summary.Warnings, record.Note{Rule: "asleep",
		Text: fmt.Sprintf("this machine's virtual CPUs halt when idle and wake up late, and plinth cannot prevent it: %v", err), Hint: hint.Of(err)})
	return nil
}

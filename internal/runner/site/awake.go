package site

import (
	"context"
	"fmt"
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/host/watch"
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
//
// A neighbour that does it already suffices.
func (l *Local) stayAwake(ctx context.Context, o Opening) (Opened, error) {
	if !wantsAwake(l.experiment, o.Awake) {
		return Opened{}, nil
	}
	if keptBy(o.Neighbours) {
		return Opened{Awake: true}, nil
	}
	err := l.host.KeepAwake(ctx, l.journal, l.launcher)
	switch {
	case err == nil:
		return Opened{Awake: true, Idle: l.host.IdleThreads(), Said: []string{"the CPUs are kept awake: a halted virtual CPU must wait for its hypervisor"}}, nil
	case l.experiment.Awake == experiment.AwakeOn || o.Awake != nil:
		return Opened{}, hint.Wrap(fmt.Errorf("awake: %w", err), "leave awake out, or set it to off")
	}
	return Opened{Notes: []record.Note{{Rule: "asleep",
		Text: fmt.Sprintf("this machine's virtual CPUs halt when idle and wake up late, and plinth cannot prevent it: %v", err), Hint: hint.Of(err)}}}, nil
}

// keptBy reports whether agents keep all CPUs awake that plinth may run on here.
func keptBy(agents []Agent) bool {
	cores, err := host.Cores()
	if err != nil {
		return false
	}
	kept := idleOf(agents)
	for _, core := range cores {
		for _, cpu := range core.CPUs {
			if !slices.ContainsFunc(kept, func(t watch.IdleThread) bool { return t.CPU == cpu }) {
				return false
			}
		}
	}
	return len(cores) > 0
}

// idleOf returns the threads with which agents keep CPUs awake.
func idleOf(agents []Agent) (all []watch.IdleThread) {
	for _, a := range agents {
		all = append(all, a.Idle...)
	}
	return all
}

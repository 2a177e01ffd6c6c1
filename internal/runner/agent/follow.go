package agent

import (
	"context"
	"fmt"
	"os"
	"time"

	"plinth/internal/engine/life"
	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/host/proc"
)

// Process is an agent, as the next one on its machine finds it.
type Process struct {
	Boot    string
	PID     int
	Started uint64 // ticks after boot: process IDs are reused
}

// followLimit is enough for an agent to notice that its caller is gone, and to undo everything.
const followLimit = closeLimit + 30*time.Second

// Follow waits until another agent of this caller has ended, whose connection was lost: until then, it
// undoes its changes. It returns the agent at the other end of this connection.
func (c *Client) Follow(ctx context.Context, before Process) (Process, error) {
	return call(ctx, c, methodFollow, before, nil)
}

// follow waits until the agent before this one has ended.
func follow(ctx context.Context, before Process) (Process, error) {
	err := life.Poll(ctx, followLimit, func() bool { return !before.lives() })
	if ctx.Err() != nil {
		return Process{}, ctx.Err()
	}
	if err != nil {
		return Process{}, hint.Errorf("resume the experiment once it has ended",
			"the earlier agent (process %d) is still undoing its changes", before.PID)
	}
	self := Process{Boot: host.BootID(), PID: os.Getpid()}
	stat, err := readStat(self.PID)
	self.Started = stat.Started
	return self, err
}

// lives reports whether the agent still runs on this machine.
func (p Process) lives() bool {
	if p.PID == 0 || p.Boot != host.BootID() {
		return false
	}
	stat, err := readStat(p.PID)
	return err == nil && stat.Started == p.Started && stat.State != 'Z'
}

func readStat(pid int) (proc.Process, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return proc.Process{}, err
	}
	return proc.ParseProcess(text)
}

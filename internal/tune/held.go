package tune

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/host"
	"plinth/internal/host/launch"
	"plinth/internal/knob"
	"plinth/internal/record"
)

// Held holds what is in force only while a command runs: open files, and where the command may
// run. Nothing of it outlives plinth, however plinth ends.
type Held struct {
	files     []io.Closer
	placement *launch.Placement
	knobs     []record.Knob
}

// Around puts into force, until Close, those changes of a plan that are meant to hold only
// while a command runs.
func Around(ctx context.Context, r Request, p *Plan) (*Held, error) {
	h := &Held{}
	for _, c := range p.Changes {
		k := c.Knob()
		if !heldOnly(k) || c.State != ToChange {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, errors.Join(context.Cause(ctx), h.Close())
		}
		if err := h.hold(r, k, c); err != nil {
			return nil, errors.Join(fmt.Errorf("cannot set %s to %s: %w", c.Key, c.Then, err), h.Close())
		}
		h.knobs = append(h.knobs, c.recorded(c.Now, c.Then))
	}
	return h, nil
}

func (h *Held) hold(r Request, k knob.Knob, c Change) error {
	if k.File == "" {
		return h.place(c)
	}
	value := []byte(c.Then)
	if k.Binary {
		n, err := strconv.ParseUint(c.Then, 10, 32)
		if err != nil {
			return err
		}
		value = binary.NativeEndian.AppendUint32(nil, uint32(n))
	}
	f, err := r.Machine.Hold(k.File, value)
	if err != nil {
		return err
	}
	h.files = append(h.files, f)
	return nil
}

// place adds a value to the command's placement. Memory nodes without a policy are bound; a
// policy that names its own nodes takes precedence.
func (h *Held) place(c Change) error {
	if h.placement == nil {
		h.placement = &launch.Placement{}
	}
	switch c.Key.Knob {
	case "cpus":
		cpus, err := host.ParseRanges(c.Then)
		h.placement.CPUs = cpus
		return err
	case "mems":
		nodes, err := host.ParseRanges(c.Then)
		if h.placement.Policy == "" || len(h.placement.Nodes) == 0 {
			h.placement.Policy, h.placement.Nodes = launch.Bind, nodes
		}
		return err
	}
	policy, list, _ := strings.Cut(c.Then, " ")
	nodes, err := host.ParseRanges(list)
	if len(nodes) > 0 || policy == launch.LocalMemory {
		h.placement.Policy, h.placement.Nodes = policy, nodes
	}
	return err
}

// Command returns the command with the placement of the plan.
func (h *Held) Command(c launch.Command) launch.Command {
	c.Placement = h.placement
	return c
}

// Knobs returns the held changes as records have them.
func (h *Held) Knobs() []record.Knob { return slices.Clone(h.knobs) }

// Close releases all that is held.
func (h *Held) Close() error {
	var failures []error
	for _, f := range h.files {
		failures = append(failures, f.Close())
	}
	h.files = nil
	return errors.Join(failures...)
}

// heldOnly reports whether a knob can be in force only around a command.
func heldOnly(k knob.Knob) bool {
	return k.Needs == knob.OpenHeld || k.Layer == knob.Placement && k.File == ""
}

// lookHeld checks a change that can be held only around a command.
func (r Request) lookHeld(k knob.Knob, c *Change) {
	c.Needs = knob.OpenHeld
	if !r.Held {
		c.cannot("it takes effect only while a command runs", "use plinth tune apply … -- COMMAND")
		return
	}
	if k.File == "" {
		c.Now = "inherited from plinth"
		r.lookPlacement(c)
		return
	}
	c.Now = "not held"
	if len(c.Files) == 0 {
		c.notApplicable("this kernel has no " + k.File)
		return
	}
	r.unwritable(c)
}

// lookPlacement refuses CPUs and memory nodes that this machine does not have.
func (r Request) lookPlacement(c *Change) {
	file := map[string]string{"cpus": "/sys/devices/system/cpu/online", "mems": "/sys/devices/system/node/online"}[c.Key.Knob]
	if file == "" {
		return
	}
	has, err := r.Machine.Read(file)
	if err != nil {
		return // the start of the command will fail instead
	}
	there, _ := host.ParseRanges(has)
	asked, _ := host.ParseRanges(c.Then)
	for _, n := range asked {
		if !slices.Contains(there, n) {
			c.cannot(fmt.Sprintf("this machine has %s %s", c.Key.Knob, has), "choose among them")
		}
	}
}

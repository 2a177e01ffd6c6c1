package volume

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// pool is the journal entry of a ZFS pool.
type pool struct {
	Name   string `json:"name"` // has a random part, so it is unique
	Device string `json:"device"`
	Given  string `json:"given,omitempty"` // as in made
}

const poolPrefix = "plinth-"

// makePool creates a ZFS pool, whose filesystem is then mounted like any other
// (mountpoint=legacy). The mkfs options are passed to zpool create.
func (v *Volume) makePool(ctx context.Context, device string) (string, error) {
	p := pool{Name: v.newPool(), Device: device, Given: v.part.Volume.Device}
	args := slices.Concat([]string{"create", "-f", "-m", "legacy"}, v.part.Volume.Mkfs, []string{p.Name, device})
	return p.Name, v.take(ctx, step{
		change: func() (change, error) { return p, nil },
		do: func(ctx context.Context) error {
			if _, err := zpoolProgram.run(ctx, v.options.Launcher, args...); err != nil {
				return fmt.Errorf("cannot make a ZFS pool on %s: %w", device, err)
			}
			return nil
		},
		typed: []Command{zpoolProgram.typed(args...)},
	})
}

// undo destroys the pool and clears ZFS's labels from the device.
func (p pool) undo(ctx context.Context) error {
	if len(p.Name) < len(poolPrefix)+12 || !strings.HasPrefix(p.Name, poolPrefix) {
		return fmt.Errorf("cannot destroy %q: the journal entry is incomplete", p.Name)
	}
	names, err := zpoolProgram.undo(ctx, "list", "-H", "-o", "name")
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the program is not installed, so no pool was created
	}
	if err != nil {
		return err
	}
	if slices.Contains(strings.Fields(names), p.Name) { // after a boot, it may not be imported
		if _, err := zpoolProgram.undo(ctx, "destroy", "-f", p.Name); err != nil {
			return fmt.Errorf("cannot destroy the pool %s: %w", p.Name, err)
		}
	}
	var failures []error
	for _, device := range searched(p.Device, p.Given) {
		if p.isOn(ctx, device) {
			_, err := zpoolProgram.undo(ctx, "labelclear", "-f", device)
			failures = append(failures, err)
		}
	}
	return errors.Join(failures...)
}

// isOn reports whether a device carries the pool's label. undo must check this itself: zpool
// labelclear clears the label of any pool.
func (p pool) isOn(ctx context.Context, device string) bool {
	out, err := blkidProgram.undo(ctx, "-p", "-o", "export", device)
	found := parseExport(out)
	return err == nil && found["TYPE"] == "zfs_member" && found["LABEL"] == p.Name
}

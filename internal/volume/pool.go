package volume

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// pool is what the journal knows of a ZFS pool.
type pool struct {
	Name   string `json:"name"` // has a random part: nobody else's has it
	Device string `json:"device"`
	Given  string `json:"given,omitempty"` // as of made
}

const poolPrefix = "plinth-"

// makePool makes a ZFS pool, whose own filesystem is then mounted as any other
// (mountpoint=legacy). mkfs options are those of zpool create.
func (v *Volume) makePool(ctx context.Context, device string) (string, error) {
	p := pool{Name: poolPrefix + strings.ToLower(rand.Text()[:12]), Device: device, Given: v.part.Volume.Device}
	if err := v.note(poolKind, p); err != nil {
		return "", err
	}
	args := poolArguments(p.Name, device, v.part.Volume.Mkfs)
	if _, err := zpoolProgram.run(ctx, v.options.Launcher, args[1:]...); err != nil {
		return "", fmt.Errorf("cannot make a ZFS pool on %s: %w", device, err)
	}
	return p.Name, nil
}

func poolArguments(name, device string, options []string) []string {
	return slices.Concat([]string{"zpool", "create", "-f", "-m", "legacy"}, options, []string{name, device})
}

// undoPool destroys the pool, and takes ZFS' labels off the device.
func undoPool(ctx context.Context, args json.RawMessage) error {
	var p pool
	if err := json.Unmarshal(args, &p); err != nil {
		return err
	}
	if len(p.Name) < len(poolPrefix)+12 || !strings.HasPrefix(p.Name, poolPrefix) {
		return fmt.Errorf("cannot destroy %q: the journal does not say enough", p.Name)
	}
	names, err := zpoolProgram.undo(ctx, "list", "-H", "-o", "name")
	if errors.Is(err, fs.ErrNotExist) {
		return nil // without the program there was none
	}
	if err != nil || !slices.Contains(strings.Fields(names), p.Name) {
		return err
	}
	if _, err := zpoolProgram.undo(ctx, "destroy", "-f", p.Name); err != nil {
		return fmt.Errorf("cannot destroy the pool %s: %w", p.Name, err)
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

// isOn says whether a device carries the pool's label. ZFS itself is not asked: it
// clears the label of whatever pool it is told, somebody else's too.
func (p pool) isOn(ctx context.Context, device string) bool {
	out, err := blkidProgram.undo(ctx, "-p", "-o", "export", device)
	found := parseExport(out)
	return err == nil && found["TYPE"] == "zfs_member" && found["LABEL"] == p.Name
}

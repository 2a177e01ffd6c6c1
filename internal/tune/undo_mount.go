package tune

import (
	"context"
	"encoding/json"
	"fmt"

	"plinth/internal/hint"
)

// undoMount gives a mount the options that it had, unless it is another one by now or
// somebody else changed it.
func (u *undo) undoMount(_ context.Context, args json.RawMessage) error {
	var c mountChange
	if err := json.Unmarshal(args, &c); err != nil {
		return err
	}
	if c.Boot != "" && c.Boot != u.machine.Boot() {
		return nil
	}
	mount, there, err := mountAt(u.machine, c.MountPoint)
	if err != nil || !there || mount.ID != c.ID || mount.Options == c.Was {
		return err
	}
	_, theirs := u.theirs[mountPrefix+c.MountPoint]
	ours := !theirs && (u.known || missingOf(mount.Type, splitOptions(mount.Options), splitOptions(c.Set)) == nil)
	if !ours {
		return hint.Wrap(&TheirsError{c.Knob, c.MountPoint, c.Was, c.Set, mount.Options}, adoptHint)
	}
	if err := remount(u.machine, mount, splitOptions(c.Was)); err != nil {
		return err
	}
	mount, _, err = mountAt(u.machine, c.MountPoint)
	if err == nil && mount.Options != c.Was {
		err = fmt.Errorf("cannot put back the options of %s: they are %s, and were %s", c.MountPoint, mount.Options, c.Was)
	}
	return err
}

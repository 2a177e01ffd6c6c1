package tune

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/knob"
)

// flags holds the options of a mount rather than of its filesystem, as spelled in
// /proc/self/mountinfo, plus lazytime, which a remount treats the same: it clears those that are
// not named.
var flags = []string{"rw", "ro", "nosuid", "nodev", "noexec", "sync", "dirsync", "noatime",
	"nodiratime", "relatime", "strictatime", "lazytime", "mand", "nosymfollow"}

// atime holds the options of which a mount has exactly one. strictatime is never shown.
var atime = []string{"noatime", "relatime", "strictatime"}

// defaults holds the options whose default value is not shown, by filesystem: naming the default
// undoes another value.
var defaults = map[string]map[string]string{
	"ext4": {"commit=": "commit=5", "stripe=": "stripe=0", "inode_readahead_blks=": "inode_readahead_blks=32",
		"max_batch_time=": "max_batch_time=15000", "min_batch_time=": "min_batch_time=0"},
	"btrfs": {"commit=": "commit=30", "max_inline=": "max_inline=2048"},
}

func isFlag(option string) bool { return slices.Contains(flags, option) }

func splitOptions(text string) []string {
	return slices.DeleteFunc(strings.Split(text, ","), func(option string) bool {
		return strings.TrimSpace(option) == ""
	})
}

// optionName returns the name of an option, with the = if it has a value: "commit=".
func optionName(option string) string {
	name, _, valued := strings.Cut(option, "=")
	if valued {
		name += "="
	}
	return name
}

// hidden reports whether an option is not shown while in force.
func hidden(filesystem, option string) bool {
	o, known := knob.OptionOf(filesystem, option)
	return known && o.Hidden || defaults[filesystem][optionName(option)] == option
}

// hasOption reports whether an option is in force. An option that is never shown counts as in
// force unless a shown one excludes it.
func hasOption(filesystem string, now []string, option string) bool {
	if slices.Contains(now, option) {
		return true
	}
	return hidden(filesystem, option) && !slices.ContainsFunc(now, func(other string) bool {
		return excludes(filesystem, option, other)
	})
}

// missingOf returns the options of want that are not in force; nil if all are.
func missingOf(filesystem string, now, want []string) (missing []string) {
	for _, option := range want {
		if !hasOption(filesystem, now, option) {
			missing = append(missing, option)
		}
	}
	return missing
}

// merged returns the options of a mount after a remount with want. Of two options of want that
// exclude each other the later counts, as in mount(8).
func merged(filesystem string, now, want []string) []string {
	all := slices.Clone(now)
	for i, option := range want {
		replaced := func(later string) bool { return excludes(filesystem, later, option) }
		if slices.ContainsFunc(want[i+1:], replaced) {
			continue
		}
		all = slices.DeleteFunc(all, func(other string) bool { return excludes(filesystem, option, other) })
		if !hidden(filesystem, option) && !slices.Contains(all, option) {
			all = append(all, option)
		}
	}
	return all
}

// excludes reports whether one option replaces another.
func excludes(filesystem, option, other string) bool {
	if option == other {
		return false
	}
	if option == "ro" || option == "rw" {
		return other == "ro" || other == "rw"
	}
	o, _ := knob.OptionOf(filesystem, option)
	return slices.Contains(o.Clears, other) || strings.Contains(option, "=") && optionName(option) == optionName(other)
}

// steps returns the arguments of a remount from now to target: all per-mount options, and only
// the changed ones of the filesystem. It returns an error for an option that has no known way to
// be undone.
func steps(filesystem string, now, target []string) (own, changes []string, err error) {
	for _, option := range target {
		switch {
		case isFlag(option):
			own = append(own, option)
		case !slices.Contains(now, option):
			changes = append(changes, option)
		}
	}
	if !slices.ContainsFunc(own, func(o string) bool { return slices.Contains(atime, o) }) {
		own = append(own, "strictatime") // naming none would keep the current one
	}
	for _, option := range now {
		if isFlag(option) || slices.Contains(target, option) ||
			slices.ContainsFunc(changes, func(o string) bool { return excludes(filesystem, o, option) }) {
			continue
		}
		opposite := oppositeOf(filesystem, option)
		if opposite == "" {
			return nil, nil, fmt.Errorf("plinth cannot revert %s without a fresh mount", option)
		}
		changes = append(changes, opposite)
	}
	return own, changes, nil
}

// oppositeOf returns the option that undoes another; "" if none does.
func oppositeOf(filesystem, option string) string {
	if value := defaults[filesystem][optionName(option)]; value != "" {
		return value
	}
	for _, o := range knob.MountOptions() {
		if o.Remount == knob.Changes && slices.Contains(o.Filesystems, filesystem) && slices.Contains(o.Clears, option) {
			return o.Name
		}
	}
	return ""
}

// remount changes the options of a mount to target.
func remount(m Machine, mount host.Filesystem, target []string) error {
	own, changes, err := steps(mount.Type, splitOptions(mount.Options), target)
	if err != nil {
		return fmt.Errorf("cannot remount %s: %w", mount.MountPoint, err)
	}
	return m.Remount(mount.MountPoint, own, changes)
}

// mountAt returns the topmost mount at a mount point.
func mountAt(m Machine, mountPoint string) (host.Filesystem, bool, error) {
	mounts, err := m.Mounts()
	for _, mount := range slices.Backward(mounts) {
		if mount.MountPoint == mountPoint {
			return mount, true, err
		}
	}
	return host.Filesystem{}, false, err
}

// noRemount says why a remount would not put an option into force; "" if it would.
func noRemount(filesystem, option string) string {
	if isFlag(option) {
		return ""
	}
	o, known := knob.OptionOf(filesystem, option)
	switch {
	case !known:
		return fmt.Sprintf("it is not known whether a remount of %s changes %s", filesystem, option)
	case o.Remount == knob.Ignored:
		return fmt.Sprintf("a remount of %s succeeds, but does not change %s", filesystem, option)
	case o.Remount == knob.Refused:
		return fmt.Sprintf("%s rejects a remount with %s", filesystem, option)
	}
	return ""
}

// undoMount restores the options of a mount, unless another filesystem is mounted there now or
// another process changed them.
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
		err = fmt.Errorf("cannot restore the mount options of %s: they are %s, but were %s before the change", c.MountPoint, mount.Options, c.Was)
	}
	return err
}

// lookMount reads the options of a mount, and checks whether a remount can change them.
func (r Request) lookMount(c *Change) error {
	mount, there, err := mountAt(r.Machine, c.Target)
	if err != nil {
		return err
	}
	if !there {
		c.notApplicable(fmt.Sprintf("nothing is mounted at %s", c.Target))
		return nil
	}
	now, want := splitOptions(mount.Options), splitOptions(c.Then)
	c.Now = mount.Options
	missing := missingOf(mount.Type, now, want)
	if len(missing) == 0 {
		c.State = InForce
		return nil
	}
	for _, option := range missing {
		if why := noRemount(mount.Type, option); why != "" {
			c.Needs = knob.FreshMount
			c.cannot(why, "put it in /etc/fstab (plinth tune render --to fstab), then unmount and mount the filesystem")
			return nil
		}
	}
	c.Needs = knob.Remount
	if _, _, err := steps(mount.Type, merged(mount.Type, now, want), now); err != nil {
		c.cannot(err.Error(), "put it in /etc/fstab (plinth tune render --to fstab), then unmount and mount the filesystem")
	}
	return nil
}

// setMount remounts a filesystem with additional options.
func (a *Applied) setMount(c Change) error {
	m := a.request.Machine
	mount, there, err := mountAt(m, c.Target)
	if err != nil {
		return err
	}
	if !there {
		return fmt.Errorf("nothing is mounted at %s any more", c.Target)
	}
	now, want := splitOptions(mount.Options), splitOptions(c.Then)
	if missingOf(mount.Type, now, want) == nil {
		a.knobs = append(a.knobs, c.recorded(mount.Options, mount.Options))
		return nil
	}
	n := mountChange{Knob: c.Key.String(), MountPoint: c.Target, ID: mount.ID, Was: mount.Options, Set: c.Then, Boot: m.Boot()}
	if err := a.note(mountKind, n); err != nil {
		return err
	}
	if err := remount(m, mount, merged(mount.Type, now, want)); err != nil {
		return err
	}
	if mount, _, err = mountAt(m, c.Target); err != nil {
		return err
	}
	if missing := missingOf(mount.Type, splitOptions(mount.Options), want); missing != nil {
		err := fmt.Errorf("a remount of %s did not change %s", c.Target, missing[0])
		return errors.Join(err, remount(m, mount, splitOptions(n.Was))) // undo knows only the options that were asked for
	}
	a.knobs = append(a.knobs, c.recorded(n.Was, mount.Options))
	return nil
}

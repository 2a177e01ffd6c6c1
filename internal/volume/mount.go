package volume

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"plinth/internal/hint"
	"plinth/internal/host"
)

// mount is what the journal knows of a mounted filesystem.
type mount struct {
	Target    string   `json:"target"`
	Source    string   `json:"source"`              // "/dev/loop3"; the name of a ZFS pool
	Emulators []string `json:"emulators,omitempty"` // the places of those that it stands on
}

// mountOn mounts the volume's filesystem.
func (v *Volume) mountOn(ctx context.Context, source string) error {
	m := mount{Target: filepath.Join(v.roomAt, "mount"), Source: source, Emulators: v.mounts()}
	if err := v.room.Mkdir("mount", 0o755); err != nil {
		return err
	}
	if err := v.note(mountKind, m); err != nil {
		return err
	}
	v.mounted = m
	return v.mountAgain(ctx)
}

// mountAgain mounts it where it was before.
func (v *Volume) mountAgain(ctx context.Context) error {
	m, kind := v.mounted, v.part.Volume.FilesystemOr()
	args := mountArguments(kind, v.part.Volume.Mount, m.Source, m.Target)
	if _, err := mountProgram.run(ctx, v.options.Launcher, args...); err != nil {
		return hint.Wrap(fmt.Errorf("cannot mount %s with %s: %w", kind, m.Source, err),
			"the kernel's log (dmesg) says which option it does not take")
	}
	return nil
}

func mountArguments(kind string, options []string, source, target string) []string {
	args := []string{"-t", kind}
	if len(options) > 0 {
		args = append(args, "-o", strings.Join(options, ","))
	}
	return append(args, source, target)
}

// mounts are the places of the volume's emulators.
func (v *Volume) mounts() []string {
	var mounts []string
	for _, d := range v.disks {
		if d.mount != "" {
			mounts = append(mounts, d.mount)
		}
	}
	return mounts
}

// undoMount unmounts the filesystem, when it is ours. It never hangs: what an
// emulator does not answer any more is ended first.
func undoMount(ctx context.Context, args json.RawMessage) error {
	var m mount
	if err := json.Unmarshal(args, &m); err != nil {
		return err
	}
	if !inRunDir(m.Target) {
		return fmt.Errorf("cannot unmount %q: the journal does not say enough", m.Target)
	}
	ours, err := m.there()
	if err != nil || !ours {
		return err
	}
	for _, mount := range m.Emulators {
		freeHung(mount, waits.answer)
	}
	return orAbort("unmount "+m.Target, m.Source, m.Emulators, func() error { return patiently(ctx, m.Target) })
}

// there says whether it is mounted. The target has a random name and only root can
// mount there; the source tells nothing more, for the kernel shows other names of a
// device than it was given (/dev/mapper/vg-lv for /dev/dm-0).
func (m mount) there() (bool, error) {
	mounts, err := host.Mounts()
	return slices.ContainsFunc(mounts, func(f host.Filesystem) bool { return f.MountPoint == m.Target }), err
}

// inRunDir says whether a path is in a directory that plinth makes in runDir.
func inRunDir(path string) bool {
	inside, found := strings.CutPrefix(filepath.Clean(path), runDir+"/")
	return found && strings.Contains(inside, "/")
}

package volume

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/host/launch"
)

// mount is what the journal knows of a mounted filesystem.
type mount struct {
	Target    string   `json:"target"`
	Source    string   `json:"source"`              // "/dev/loop3"; the name of a ZFS pool
	Emulators []string `json:"emulators,omitempty"` // the places of those that it stands on
}

// mountOn mounts the volume's filesystem.
func (v *Volume) mountOn(ctx context.Context, source string) error {
	m := mount{Target: v.mountAt, Source: source, Emulators: v.mounts()}
	return v.take(ctx, step{
		change: func() (change, error) { return m, v.room.Mkdir(filepath.Base(v.mountAt), 0o755) },
		do: func(ctx context.Context) error {
			v.mounted = m
			return v.mountAgain(ctx)
		},
		typed: []Command{typed("mkdir", "--parents", m.Target), mountProgram.typed(v.mountArguments(m)...)},
	})
}

// mountAgain mounts it where it was before.
func (v *Volume) mountAgain(ctx context.Context) error {
	if _, err := mountProgram.run(ctx, v.options.Launcher, v.mountArguments(v.mounted)...); err != nil {
		return hint.Wrap(fmt.Errorf("cannot mount %s with %s: %w", v.part.Volume.FilesystemOr(), v.mounted.Source, err),
			"the kernel's log (dmesg) says which option it does not take")
	}
	return nil
}

func (v *Volume) mountArguments(m mount) []string {
	args := []string{"-t", v.part.Volume.FilesystemOr()}
	if options := v.part.Volume.Mount; len(options) > 0 {
		args = append(args, "-o", strings.Join(options, ","))
	}
	return append(args, m.Source, m.Target)
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

// undo unmounts the filesystem, when it is ours. It never hangs: what an
// emulator does not answer any more is ended first.
func (m mount) undo(ctx context.Context) error {
	if !inRunDir(m.Target) {
		return fmt.Errorf("cannot unmount %q: the journal does not say enough", m.Target)
	}
	mounts, err := host.Mounts()
	// The target has a random name and only root can mount there. The source tells nothing
	// more: the kernel shows other names of a device than it was given (/dev/mapper/vg-lv
	// for /dev/dm-0).
	if err != nil || !slices.ContainsFunc(mounts, func(f host.Filesystem) bool { return f.MountPoint == m.Target }) {
		return err
	}
	for _, mount := range m.Emulators {
		freeHung(mount, waits.answer)
	}
	return orAbort("unmount "+m.Target, m.Source, m.Emulators, func() error { return patiently(ctx, m.Target) })
}

// inRunDir says whether a path is in a directory that plinth makes in runDir.
func inRunDir(path string) bool {
	inside, found := strings.CutPrefix(filepath.Clean(path), runDir+"/")
	return found && strings.Contains(inside, "/")
}

// runDir holds what plinth as root makes for the time of a run: all may enter it,
// it is empty after a boot, and its name is short. Tests have one of their own,
// so that they see what they left and not what other plinths just make.
var runDir = usualRunDir

const usualRunDir = "/run/plinth"

// bind is what the journal knows of a bind mount.
type bind struct {
	Target string `json:"target"`
	Source string `json:"source"`
	ID     string `json:"id"` // of the directory that is mounted
}

// bindMount shows dir at a place whose parents the owner may enter. The rights
// of the parents are left alone: they are not ours.
func (v *Volume) bindMount(ctx context.Context, dir *os.Root, b bind, owner *launch.User, blocking string) (string, error) {
	if err := makeRunDir(); err != nil {
		return "", cannotEnter(owner, blocking, err)
	}
	b.Target = filepath.Join(runDir, "volume-"+b.ID[:8])
	return b.Target, v.take(ctx, step{
		change: func() (change, error) { return b, nil },
		do: func(context.Context) error {
			if err := os.Mkdir(b.Target, 0o700); err != nil {
				return cannotEnter(owner, blocking, err)
			}
			if err := mountBind(dir, b.Target); err != nil {
				return cannotEnter(owner, blocking, fmt.Errorf("cannot mount it elsewhere: %w", err))
			}
			if ok, still := owner.CanEnter(filepath.Join(b.Target, dataName)); !ok {
				return cannotEnter(owner, still, errors.New("mounting it elsewhere did not help"))
			}
			return nil
		},
	})
}

func cannotEnter(owner *launch.User, blocking string, err error) error {
	return hint.Errorf("choose a directory that "+owner.Name+" may enter, such as /var/tmp or a disk of its own",
		"the user %s, who runs the server, may not enter %s: %w", owner.Name, blocking, err)
}

// makeRunDir makes runDir enterable for all. It is shared by all plinths and goes
// when the last one has nothing in it.
func makeRunDir() error {
	if err := os.Mkdir(runDir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(runDir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a directory", runDir)
	}
	if info.Mode().Perm() == 0o755 {
		return nil
	}
	return os.Chmod(runDir, 0o755)
}

// undo unmounts and removes what bindMount made.
func (b bind) undo(ctx context.Context) error {
	if filepath.Dir(b.Target) != runDir || b.ID == "" {
		return fmt.Errorf("cannot unmount %q: the journal does not say enough", b.Target)
	}
	if err := b.unmount(ctx); err != nil {
		return fmt.Errorf("cannot unmount %s: %w", b.Target, err)
	}
	if err := os.Remove(b.Target); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	leaveRunDir(b.Target)
	return nil
}

// leaveRunDir removes runDir when what was removed from it was the last.
func leaveRunDir(removed string) {
	if filepath.Dir(removed) == runDir {
		_ = os.Remove(runDir) // fails while there is something in it
	}
}

func (b bind) unmount(ctx context.Context) error {
	filesystem, err := host.FilesystemOf(b.Target)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if filesystem.MountPoint != b.Target {
		return nil // not mounted: a crash, or a boot in between
	}
	marker, err := os.ReadFile(filepath.Join(b.Target, markerName))
	if err != nil || string(marker) != b.ID+"\n" {
		return notOurs(errors.New("what is mounted there is not ours"))
	}
	return patiently(ctx, b.Target)
}

// patiently gives a server that is just ending a second. What is busy then is
// detached: it disappears from view now and is unmounted when nobody uses it
// any more; a mount that stays would be worse.
func patiently(ctx context.Context, target string) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for range 50 {
		err := unmount(target)
		if !isBusy(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return detach(target)
		case <-tick.C:
		}
	}
	return detach(target)
}

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

// mount is the journal entry of a mounted filesystem.
type mount struct {
	Target    string   `json:"target"`
	Source    string   `json:"source"`              // "/dev/loop3"; the name of a ZFS pool
	Emulators []string `json:"emulators,omitempty"` // the places of the emulators under it
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

// mountAgain mounts the filesystem where it was before.
func (v *Volume) mountAgain(ctx context.Context) error {
	if _, err := mountProgram.run(ctx, v.options.Launcher, v.mountArguments(v.mounted)...); err != nil {
		return hint.Wrap(fmt.Errorf("cannot mount %s with %s: %w", v.part.Volume.FilesystemOr(), v.mounted.Source, err),
			"the kernel's log (dmesg) says which option was rejected")
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

// mounts returns the places of the volume's emulators.
func (v *Volume) mounts() []string {
	var mounts []string
	for _, d := range v.disks {
		if d.mount != "" {
			mounts = append(mounts, d.mount)
		}
	}
	return mounts
}

// undo unmounts the filesystem if it is ours. It never hangs: it first aborts emulators that do
// not answer.
func (m mount) undo(ctx context.Context) error {
	if !inRunDir(m.Target) {
		return fmt.Errorf("cannot unmount %q: the journal entry is incomplete", m.Target)
	}
	mounts, err := host.Mounts()
	// The target has a random name, and only root can mount there. The source cannot be compared:
	// the kernel may show another name of the device (/dev/mapper/vg-lv for /dev/dm-0).
	if err != nil || !slices.ContainsFunc(mounts, func(f host.Filesystem) bool { return f.MountPoint == m.Target }) {
		return err
	}
	for _, mount := range m.Emulators {
		freeHung(mount, waits.answer)
	}
	return orAbort("unmount "+m.Target, m.Source, m.Emulators, func() error { return patiently(ctx, m.Target) })
}

// inRunDir reports whether a path is inside a directory that plinth creates in runDir.
func inRunDir(path string) bool {
	inside, found := strings.CutPrefix(filepath.Clean(path), runDir+"/")
	return found && strings.Contains(inside, "/")
}

// runDir holds what plinth as root creates for the duration of a run: all users may enter it, it
// is empty after a boot, and its name is short. Tests use a separate one, so that they see only
// their own leftovers.
var runDir = host.RunDir

// bind is the journal entry of a bind mount.
type bind struct {
	Target string `json:"target"`
	Source string `json:"source"`
	ID     string `json:"id"` // of the mounted directory
}

// bindMount mounts dir in a place whose parents belong to root, and the owner may enter. It does
// not change the permissions of the original parents, which are not ours.
func (v *Volume) bindMount(ctx context.Context, dir *os.Root, b bind, owner *launch.User) (string, error) {
	if err := makeRunDir(); err != nil {
		return "", err
	}
	b.Target = filepath.Join(runDir, "volume-"+b.ID[:8])
	return b.Target, v.take(ctx, step{
		change: func() (change, error) { return b, nil },
		do: func(context.Context) error {
			if err := os.Mkdir(b.Target, 0o700); err != nil {
				return err
			}
			if err := mountBind(dir, b.Target); err != nil {
				return fmt.Errorf("cannot mount the directory elsewhere: %w", err)
			}
			if ok, still := owner.CanEnter(filepath.Join(b.Target, dataName)); !ok {
				return fmt.Errorf("%s, where it is mounted, cannot be entered either", still)
			}
			return nil
		},
	})
}

func cannotEnter(owner *launch.User, blocking string, err error) error {
	return hint.Errorf("choose a directory that "+owner.Name+" can enter, such as /var/tmp or a separate disk",
		"the user %s, which runs the server, cannot enter %s: %w", owner.Name, blocking, err)
}

// makeRunDir creates runDir with mode 0755. All plinth processes share it, and the last one
// removes it.
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

// undo unmounts and removes what bindMount created.
func (b bind) undo(ctx context.Context) error {
	if filepath.Dir(b.Target) != runDir || b.ID == "" {
		return fmt.Errorf("cannot unmount %q: the journal entry is incomplete", b.Target)
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

// leaveRunDir removes runDir if it has become empty.
func leaveRunDir(removed string) {
	if filepath.Dir(removed) == runDir {
		_ = os.Remove(runDir) // fails unless it is empty
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
		return nil // not mounted: because of a crash, or a boot since
	}
	file, err := os.OpenFile(filepath.Join(b.Target, markerName), host.OpenPlain, 0)
	marker, err := host.ReadPlain(file, err, longestMarker)
	if err != nil || string(marker) != b.ID+"\n" {
		return notOurs(errors.New("what is mounted there was not created by plinth"))
	}
	return patiently(ctx, b.Target)
}

// patiently gives a server that is just ending a second. If the mount is still busy, it is
// detached: it disappears at once and is unmounted after its last use; leaving it mounted would
// be worse.
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

package volume

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/host/launch"
)

// runDir holds what plinth as root makes for the time of a run: all may enter it,
// it is empty after a boot, and its name is short. Tests have one of their own,
// so that they see what they left and not what other plinths just make.
var runDir = "/run/plinth"

// bind is what the journal knows of a bind mount.
type bind struct {
	Target string `json:"target"`
	Source string `json:"source"`
	ID     string `json:"id"` // of the directory that is mounted
}

// bindMount shows dir at a place whose parents the owner may enter. The rights
// of the parents are left alone: they are not ours.
func (v *Volume) bindMount(dir *os.Root, b bind, owner *launch.User, blocking string) (string, error) {
	if err := makeRunDir(); err != nil {
		return "", cannotEnter(owner, blocking, err)
	}
	b.Target = filepath.Join(runDir, "volume-"+b.ID[:8])
	if err := v.note(bindMountKind, b); err != nil {
		return "", err
	}
	if err := os.Mkdir(b.Target, 0o700); err != nil {
		return "", cannotEnter(owner, blocking, err)
	}
	if err := mountBind(dir, b.Target); err != nil {
		return "", cannotEnter(owner, blocking, fmt.Errorf("cannot mount it elsewhere: %w", err))
	}
	if ok, still := owner.CanEnter(filepath.Join(b.Target, dataName)); !ok {
		return "", cannotEnter(owner, still, errors.New("mounting it elsewhere did not help"))
	}
	return b.Target, nil
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

// undoBindMount unmounts and removes what bindMount made.
func undoBindMount(ctx context.Context, args json.RawMessage) error {
	var b bind
	if err := json.Unmarshal(args, &b); err != nil {
		return err
	}
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

package volume

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/hint"
)

// loop is the journal entry of a loop device.
type loop struct {
	Device   string `json:"device"` // "/dev/loop3"
	File     string `json:"file"`   // its backing file
	Emulator string `json:"emulator,omitempty"`
	// FileID identifies the file by filesystem and inode, since its name can change: when an
	// emulator ends, the directories above its file disappear.
	FileID string `json:"file_id,omitempty"`
}

// attachTries is how often attach requests another free loop device if another process took the
// previous one.
const attachTries = 50

// attach sets up a loop device with direct I/O on file, which may be open already. The kernel only
// names a free device; another process may take it before attach does.
func (v *Volume) attach(ctx context.Context, file string, opened *os.File, emulator string) (string, error) {
	var id string
	certain := file
	if opened != nil {
		certain = pathOf(opened)
	}
	if v.sketch == nil {
		var err error
		if id, err = fileID(certain); err != nil {
			return "", fmt.Errorf("cannot make a loop device: %w", err)
		}
	}
	for range attachTries {
		device, err := v.freeLoop()
		if err != nil {
			return "", fmt.Errorf("cannot get a loop device: %w", err)
		}
		busy := false
		err = v.take(ctx, step{
			change: func() (change, error) {
				return loop{Device: device, File: file, Emulator: emulator, FileID: id}, nil
			},
			do: func(context.Context) error {
				err := configureLoop(device, certain, file)
				if busy = errors.Is(err, syscall.EBUSY); err != nil && !busy {
					return fmt.Errorf("cannot attach %s to %s: %w", device, file, err)
				}
				return nil
			},
			typed: []Command{typed("losetup", "--direct-io=on", device, file)},
		})
		if err != nil || !busy {
			return device, err
		}
		if err := v.forgetLast(); err != nil {
			return "", err
		}
	}
	return "", hint.Errorf("stop the process that keeps creating loop devices", "cannot get a loop device: other processes took %d loop devices before plinth could", attachTries)
}

// backingFile returns the file under a loop device, or "". It does not access the file's
// filesystem, which may hang.
func backingFile(device string) (string, error) {
	text, err := os.ReadFile(filepath.Join("/sys/block", filepath.Base(device), "loop/backing_file"))
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), " (deleted)"), err
}

// detachLimit is how long a loop device may stay in use after it was detached.
const detachLimit = 5 * time.Second

// undo frees the loop device if it is still on our file.
func (l loop) undo(ctx context.Context) error {
	if l.File == "" || filepath.Dir(l.Device) != "/dev" || !strings.HasPrefix(filepath.Base(l.Device), "loop") {
		return fmt.Errorf("cannot free %q: the journal entry is incomplete", l.Device)
	}
	freeHung(l.Emulator, waits.answer)
	ours, err := l.attached()
	if err != nil || !ours {
		return err
	}
	if err := detachLoop(l.Device); err != nil && !errors.Is(err, syscall.ENXIO) {
		return fmt.Errorf("cannot free %s: %w", l.Device, err)
	}
	return l.awaitGone(ctx)
}

// attached reports whether the device is still on our file. If an emulator no longer responds,
// the file is identified by its name.
func (l loop) attached() (bool, error) {
	file, err := backingFile(l.Device)
	if err != nil || file == "" {
		return false, err
	}
	id, err := loopFileID(l.Device)
	// The kernel's path has no symlinks: /run can be one.
	named := strings.HasSuffix(file, strings.TrimPrefix(l.File, runDir)) || l.Emulator != "" && file == "/"+filepath.Base(l.File)
	switch {
	case errors.Is(err, syscall.ENXIO):
		return false, nil // it has just gone
	case err == nil && l.FileID != "":
		// Emulators have one file each, with the same inode, on filesystems whose numbers are used again.
		return id == l.FileID && (named || l.Emulator == ""), nil
	case err == nil || errors.Is(err, syscall.ENOTCONN) || errors.Is(err, syscall.ECONNABORTED):
		return named, nil
	}
	return false, err
}

// awaitGone waits until no process has the device open: the kernel frees it after the last close.
func (l loop) awaitGone(ctx context.Context) error {
	limit := time.After(detachLimit)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		if ours, err := l.attached(); err != nil || !ours {
			return err
		}
		select {
		case <-tick.C:
			continue
		case <-ctx.Done():
		case <-limit:
		}
		return hint.Errorf("end the process that has the device open (fuser "+l.Device+" shows it), then run plinth clean",
			"cannot free %s: it is still in use", l.Device)
	}
}

// makeLoop creates the file of a disk and a loop device on it.
func (v *Volume) makeLoop(ctx context.Context, made *disk, d experiment.Disk) (err error) {
	size := v.sizeOf(d)
	made.made = fmt.Sprintf("loop device of %s on %s", size, d.File)
	// The kernel reports the path without symlinks.
	dir, err := v.resolve(filepath.Dir(d.File))
	if err != nil {
		return fmt.Errorf("cannot use %s: %w", d.File, err)
	}
	file := filepath.Join(dir, filepath.Base(d.File))
	opened, err := v.makeFile(ctx, file, size)
	if err != nil {
		return err
	}
	if opened != nil {
		defer opened.Close()
	}
	made.path, err = v.attach(ctx, file, opened, "")
	return err
}

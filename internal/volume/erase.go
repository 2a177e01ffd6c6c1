package volume

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/host/launch"
	"plinth/internal/unit"
)

// checkDevice returns an error if a device must not be used: it is missing, in use, smaller than
// least bytes, or has contents that may not be erased.
func (o Options) checkDevice(ctx context.Context, path string, erase bool, least int64) (content, error) {
	c, err := readContent(ctx, o.Launcher, path)
	if err != nil {
		advice := cmp.Or(hint.Of(err), "lsblk lists the block devices")
		return c, hint.Wrap(fmt.Errorf("cannot use %s: %w", path, err), advice)
	}
	if err := c.checkFree(ctx); err != nil {
		return c, err
	}
	if c.unknown != nil {
		return c, c.cannotTell()
	}
	if int64(c.size) < least {
		return c, hint.Errorf("name a larger device", "%s is too small: %s needed", c, unit.Size(least))
	}
	if c.signature != "" && !erase {
		return c, hint.Errorf("choose another device, or allow its contents to be erased (erase: true)",
			"%s is not empty", c)
	}
	return c, nil
}

// cannotTell returns an error for a device with unknown contents.
func (c content) cannotTell() error {
	err := fmt.Errorf("cannot determine the contents of %s: %w", c, c.unknown)
	if hint.Of(err) != "" {
		return err
	}
	return hint.Wrap(err, "choose another device; the kernel's log (dmesg) may show why this one cannot be read")
}

// checkFree returns an error if the device is in use, according to /sys and /proc and to an
// exclusive open, which fails if anything in the kernel uses the device.
func (c content) checkFree(ctx context.Context) error {
	used, err := use(c.name)
	if err != nil {
		return err
	}
	if used != "" {
		return hint.Errorf("choose another device", "%s is in use: it is %s", c, used)
	}
	if readWord(sysBlock+"/"+c.name+"/ro") == "1" {
		return hint.Errorf("choose another device", "%s is read-only", c)
	}
	f, err := c.openExclusively(ctx)
	if err != nil && !errors.Is(err, syscall.EBUSY) && c.unknown != nil {
		return c.cannotTell() // the device cannot be opened at all
	}
	if err != nil {
		return hint.Errorf("choose another device", "%s is in use: %w", c, err)
	}
	return f.Close()
}

// heldFor is how long a device may be busy although no use of it is visible. A container that starts has
// copies of all mounts for a moment, and holds a device that was just unmounted here.
const heldFor = 3 * time.Second

// openExclusively opens the device, unless anything in the kernel uses it.
func (c content) openExclusively(ctx context.Context) (*os.File, error) {
	for end := time.Now().Add(heldFor); ; {
		f, err := os.OpenFile(c.path, os.O_RDONLY|exclusive, 0)
		if !errors.Is(err, syscall.EBUSY) || time.Now().After(end) || host.Sleep(ctx, 50*time.Millisecond) != nil {
			return f, err
		}
	}
}

// Erases describes the contents of a part's devices that Make will erase: path, model, size and
// signature of each. It returns an error if they cannot be determined.
func Erases(ctx context.Context, l launch.Launcher, part experiment.Part) ([]string, error) {
	var erased []string
	for _, d := range disksOf(part.Volume) {
		if d.Device == "" || !d.Erase {
			continue
		}
		c, err := readContent(ctx, l, d.Device)
		if err != nil {
			return nil, fmt.Errorf("cannot examine %s: %w", d.Device, err)
		}
		if c.unknown != nil {
			return nil, c.cannotTell()
		}
		if c.signature != "" {
			erased = append(erased, c.String())
		}
	}
	return erased, nil
}

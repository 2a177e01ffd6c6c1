package emulator

import (
	"context"
	"errors"
	"io"
	"os"

	"plinth/internal/hint"
	"plinth/internal/host/launch"
	"plinth/internal/unit"
)

// BestForm returns the form for n simultaneous devices: NBD if that many are free, otherwise
// FUSE. It loads the kernel module nbd if available; the module stays loaded. Devices that are
// compared must all have the same form.
func BestForm(ctx context.Context, l launch.Launcher, n int) (Form, error) {
	asked := Form(os.Getenv(FormVariable))
	switch asked {
	case FUSE:
		return FUSE, nil
	case NBD, "":
	default:
		return "", hint.Errorf("set it to fuse or nbd", "cannot choose the form of emulated devices: %s is %q", FormVariable, asked)
	}
	loadNBD(ctx, l)
	usable := usableNBDs(n)
	switch {
	case usable >= n:
		return NBD, nil
	case asked == NBD:
		return "", hint.Errorf(moreNBDs, "cannot emulate %s with nbd: this machine has only %s", unit.Count(n, "device"), unit.Count(usable, "free nbd device"))
	}
	return FUSE, nil
}

// moreNBDs is the hint for too few nbd devices.
const moreNBDs = "load the kernel module with more nbd devices (modprobe -r nbd; modprobe nbd nbds_max=64), or use the other form: " +
	FormVariable + "=" + string(FUSE)

// LikelyForm predicts BestForm's answer for one device without changing anything: it does not
// load the module.
func LikelyForm() Form {
	asked := Form(os.Getenv(FormVariable))
	if asked == NBD || asked != FUSE && usableNBDs(1) > 0 {
		return NBD
	}
	return FUSE
}

// loadNBD loads the module nbd unless it is loaded. It ignores errors: on failure no device
// appears.
func loadNBD(ctx context.Context, l launch.Launcher) {
	if _, err := os.Lstat("/sys/module/nbd"); err == nil {
		return
	}
	if path, err := launch.FindProgram("modprobe"); err == nil {
		_, _ = launch.Run(ctx, l, launch.Command{Path: path, Args: []string{"nbd"}, Dir: "/", Stdout: io.Discard, Stderr: io.Discard})
	}
}

// usableNBDs returns the number of free devices that this process may open, up to n: in a
// container there may be none.
func usableNBDs(n int) (usable int) {
	for _, path := range freeNBDs() {
		if f, err := os.OpenFile(path, os.O_RDWR, 0); err == nil {
			usable++
			_ = f.Close()
		}
		if usable == n {
			break
		}
	}
	return usable
}

// makeAvailable is Available, after loading the module if that may help.
func makeAvailable(ctx context.Context, l launch.Launcher, f Form) error {
	if f == NBD {
		loadNBD(ctx, l)
	}
	return Available(f)
}

// Available returns an error with a hint if plinth cannot emulate devices of the form on this
// machine at all.
func Available(f Form) error {
	if os.Geteuid() != 0 {
		return hint.Errorf("run plinth as root", "only root can emulate devices")
	}
	if f == NBD {
		if len(freeNBDs()) == 0 {
			return hint.Wrap(errors.New("this machine has no free nbd device"), "load the kernel module: modprobe nbd")
		}
		return nil
	}
	fuse, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	if err != nil {
		return hint.Errorf("load it with modprobe fuse; in a container allow /dev/fuse and CAP_SYS_ADMIN (--device /dev/fuse --cap-add SYS_ADMIN)",
			"this machine has no FUSE: %w", err)
	}
	return fuse.Close()
}

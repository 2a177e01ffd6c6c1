package emulator

import (
	"context"
	"errors"
	"io"
	"os"

	"plinth/internal/hint"
	"plinth/internal/host/launch"
)

// BestForm is the form of n devices that are to be there at the same time: NBD where so
// many are free, FUSE where not. The kernel's module nbd is loaded where there is one,
// and stays. All devices that are compared must have the same form.
func BestForm(ctx context.Context, l launch.Launcher, n int) (Form, error) {
	asked := Form(os.Getenv(FormVariable))
	switch asked {
	case FUSE:
		return FUSE, nil
	case NBD, "":
	default:
		return "", hint.Errorf("it may be fuse or nbd", "cannot choose a form of emulated devices: %s is %q", FormVariable, asked)
	}
	loadNBD(ctx, l)
	usable := usableNBDs(n)
	switch {
	case usable >= n:
		return NBD, nil
	case asked == NBD:
		return "", hint.Errorf(moreNBDs, "cannot emulate %d devices by nbd: %d are free on this machine", n, usable)
	}
	return FUSE, nil
}

// moreNBDs is what helps where there are too few.
const moreNBDs = "load the kernel's module with more of them (modprobe -r nbd; modprobe nbd nbds_max=64), or take the other form: " +
	FormVariable + "=" + string(FUSE)

// LikelyForm is what BestForm would say of one device, as far as that can be told
// without changing anything: the module is not loaded.
func LikelyForm() Form {
	asked := Form(os.Getenv(FormVariable))
	if asked == NBD || asked != FUSE && usableNBDs(1) > 0 {
		return NBD
	}
	return FUSE
}

// loadNBD loads the module, where it is not there yet. What goes wrong shows in there
// being no device.
func loadNBD(ctx context.Context, l launch.Launcher) {
	if _, err := os.Lstat("/sys/module/nbd"); err == nil {
		return
	}
	if path, err := launch.FindProgram("modprobe"); err == nil {
		_, _ = launch.Run(ctx, l, launch.Command{Path: path, Args: []string{"nbd"}, Dir: "/", Stdout: io.Discard, Stderr: io.Discard})
	}
}

// usableNBDs is how many free devices this process may open: in a container there may be
// none of them. Up to n are counted.
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

// makeAvailable is Available, after the module was loaded where that may help.
func makeAvailable(ctx context.Context, l launch.Launcher, f Form) error {
	if f == NBD {
		loadNBD(ctx, l)
	}
	return Available(f)
}

// Available is an error, with a hint, where this machine does not let plinth emulate
// devices of the form at all.
func Available(f Form) error {
	if os.Geteuid() != 0 {
		return hint.Errorf("run plinth as root", "only root can emulate devices")
	}
	if f == NBD {
		if len(freeNBDs()) == 0 {
			return hint.Wrap(errors.New("this machine has no free nbd device"), "load the kernel's module: modprobe nbd")
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

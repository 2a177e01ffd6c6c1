package emulator

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"plinth/internal/device"
	"plinth/internal/hint"
)

// Config says what to emulate, and where.
type Config struct {
	// Form is how the kernel sees the device; FUSE if empty.
	Form Form
	// Mount is an empty directory for the emulator's own use; the filesystem with the image file
	// is mounted on it. The form NBD has none.
	Mount string
	// Backing is the file that holds the data. It must exist and have Size bytes.
	Backing string
	// Open is another path of the same file, by which it is opened: one that no user can replace.
	// If empty, it is Backing.
	Open string
	// Size is the size of the device in bytes, a multiple of 4096.
	Size int64
	// Device is the emulated model. The zero Device is a pass-through without added delay.
	Device device.Device
	// Seed seeds the random latencies of the device.
	Seed uint64
	// Socket is the path of the control socket, in a private directory; at most 107 bytes, the
	// kernel's limit.
	Socket string
}

// imageName is the only file in the filesystem.
const imageName = "image"

// blockSize is the granularity of sizes, in bytes.
const blockSize = 4096

// socketLimit is the size of sockaddr_un.sun_path without its terminating zero (unix(7)).
const socketLimit = 107

// Place returns the path by which Abort, End and Ping find the emulator: its mount point or, for
// NBD, its control socket.
func (c Config) Place() string {
	if c.Form == NBD {
		return c.Socket
	}
	return c.Mount
}

func (c Config) check() error {
	switch {
	case c.Form != "" && c.Form != FUSE && c.Form != NBD:
		return fmt.Errorf("%q is not a form of an emulated device", c.Form)
	case !filepath.IsAbs(c.Place()) || !filepath.IsAbs(c.Backing) || !filepath.IsAbs(c.Socket):
		return errors.New("its paths are not absolute")
	case c.Size <= 0 || c.Size%blockSize != 0 || c.Size > math.MaxInt64/2:
		return fmt.Errorf("a size of %d bytes is not a multiple of %d", c.Size, blockSize)
	case len(c.Socket) > socketLimit:
		return hint.Errorf("choose a shorter directory", "the path of its socket is longer than %d bytes: %s", socketLimit, c.Socket)
	}
	f, err := os.Stat(cmp.Or(c.Open, c.Backing))
	if err != nil {
		return err
	}
	if f.Size() != c.Size {
		return fmt.Errorf("its backing file has %d bytes instead of %d", f.Size(), c.Size)
	}
	return nil
}

// Form is how the kernel sees an emulated device. Its data and its timing do not depend on it.
type Form string

const (
	// FUSE is a file in the emulator's own filesystem, with a loop device on it. It works on
	// every Linux.
	FUSE Form = "fuse"
	// NBD is a network block device connected to the emulator: a block device in its own right,
	// with a shorter path.
	NBD Form = "nbd"
)

// FormVariable is the environment variable that overrides the choice of form.
const FormVariable = "PLINTH_EMULATOR"

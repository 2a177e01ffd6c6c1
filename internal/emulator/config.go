package emulator

import (
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
	// Form is what the kernel sees of it; FUSE unless said.
	Form Form
	// Mount is an empty directory that is ours: the filesystem with the file image
	// is mounted on it. The form NBD has none.
	Mount string
	// Backing is the file that holds the data. It is there already, of Size bytes.
	Backing string
	// Size of the device in bytes, a multiple of 4096.
	Size int64
	// Device is what it acts as. The zero Device is a pass-through: it takes what
	// the path takes.
	Device device.Device
	// Seed is where the randomness of the device's latencies begins.
	Seed uint64
	// Socket is the path of the control socket, in a private directory. The kernel
	// allows 107 bytes.
	Socket string
}

// imageName is the only file of the filesystem.
const imageName = "image"

// blockSize is what sizes are multiples of.
const blockSize = 4096

// socketLimit is sockaddr_un's sun_path without its ending zero (unix(7)).
const socketLimit = 107

// Place is the path by which Abort, End and Ping find the emulator: its mount, or its
// control socket where nothing is mounted.
func (c Config) Place() string {
	if c.Form == NBD {
		return c.Socket
	}
	return c.Mount
}

func (c Config) check() error {
	switch {
	case c.Form != "" && c.Form != FUSE && c.Form != NBD:
		return fmt.Errorf("%q is no form of an emulated device", c.Form)
	case !filepath.IsAbs(c.Place()) || !filepath.IsAbs(c.Backing) || !filepath.IsAbs(c.Socket):
		return errors.New("its paths are not absolute")
	case c.Size <= 0 || c.Size%blockSize != 0 || c.Size > math.MaxInt64/2:
		return fmt.Errorf("a size of %d bytes is not a multiple of %d", c.Size, blockSize)
	case len(c.Socket) > socketLimit:
		return hint.Errorf("choose a shorter directory", "the path of its socket is longer than %d bytes: %s", socketLimit, c.Socket)
	}
	f, err := os.Stat(c.Backing)
	if err != nil {
		return err
	}
	if f.Size() != c.Size {
		return fmt.Errorf("its backing file has %d bytes instead of %d", f.Size(), c.Size)
	}
	return nil
}

// Form is what the kernel sees of an emulated device. What the device holds, and how long
// it takes, is the same.
type Form string

const (
	// FUSE is a file in a filesystem of the emulator's own, which a loop device is put
	// on. It is there on every Linux.
	FUSE Form = "fuse"
	// NBD is a network block device whose connection leads to the emulator: a block
	// device by itself, with a shorter way.
	NBD Form = "nbd"
)

// FormVariable is an environment variable with the form that is to be used, whatever
// this machine could do.
const FormVariable = "PLINTH_EMULATOR"

package emulator

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"plinth/internal/hint"
)

// What is said of a device, and what it can do (linux/nbd.h).
const (
	nbdSetSocket    = 0xab00
	nbdSetBlockSize = 0xab01
	nbdDoIt         = 0xab03
	nbdSetBlocks    = 0xab07
	nbdSetFlags     = 0xab0a

	nbdHasFlags   = 1 << 0
	nbdSendFlush  = 1 << 2
	nbdSendForced = 1 << 3
	nbdSendTrim   = 1 << 5
)

const (
	nbdSectorSize   = 512
	nbdSocketBuffer = 4 << 20
	nbdStartLimit   = 10 * time.Second
)

// nbdSendLimit is how long the kernel may fail to get rid of a request. Only an emulator
// that hangs takes none; then the connection counts as dead, and the I/O fails instead of
// hanging with it.
var nbdSendLimit = unix.Timeval{Sec: 30}

// sysBlock has all block devices of the kernel.
const sysBlock = "/sys/block"

// connectNBD makes a block device of nbd whose requests come to the front.
//
// It is made by ioctl, not by netlink: then it lives no longer than the thread that
// waits in NBD_DO_IT, and all that waits for the device fails when the emulator ends or
// is killed, by whomever. One made by netlink stays, and what was in flight waits for
// somebody to disconnect it. So nobody but the emulator ever touches the device, and
// nobody can take another one's for it. The price: an emulator that is stopped (SIGSTOP,
// a freezer, a debugger) loses its device at once.
//
// There is one connection. Several were tried: the kernel reads each by a work of its
// own that never ends, and where it is slow to make threads it gives all of them to one,
// so that nobody ever reads the answers of the second (Linux 6.1). And with several it
// takes a request that is not answered within a time limit for lost.
func connectNBD(c Config, free *requests) (*nbdFront, error) {
	f, theirs, err := newNBDFront(c.Size, free)
	if err != nil {
		return nil, err
	}
	defer func() { _ = unix.Close(theirs) }() // the kernel has its own by then
	taken, ended := make(chan error, 1), make(chan error, 1)
	f.ended = ended
	go f.hold(theirs, c, taken, ended)
	if err := <-taken; err != nil {
		return nil, err
	}
	return f, f.awaitUp(c.Size)
}

// newNBDFront is a front and the other end of its connection.
func newNBDFront(size int64, free *requests) (f *nbdFront, theirs int, err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, 0, fmt.Errorf("cannot make a connection to the kernel: %w", err)
	}
	for _, fd := range pair { // an answer should not have to wait for the kernel to read
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUFFORCE, nbdSocketBuffer)
	}
	if err := unix.SetsockoptTimeval(pair[1], unix.SOL_SOCKET, unix.SO_SNDTIMEO, &nbdSendLimit); err != nil {
		return nil, 0, fmt.Errorf("cannot limit what the kernel waits for: %w", err)
	}
	return &nbdFront{fd: pair[0], size: size, requests: free}, pair[1], nil
}

// hold takes a free device and keeps it: until the kernel gives it up, or this process
// ends. All of it has to come from one thread, and no signal may wake that: it would be
// the end of the device.
func (f *nbdFront) hold(theirs int, c Config, taken, ended chan<- error) {
	runtime.LockOSThread() // for good: the thread ends with this
	var all unix.Sigset_t
	for i := range all.Val {
		all.Val[i] = ^all.Val[i]
	}
	err := unix.PthreadSigmask(unix.SIG_SETMASK, &all, nil)
	if err == nil {
		err = f.takeFree(theirs, c)
	}
	taken <- err
	if err == nil {
		ended <- unix.IoctlSetInt(int(f.device.Fd()), nbdDoIt, 0)
	}
}

// takeFree takes the first device that nobody has.
func (f *nbdFront) takeFree(theirs int, c Config) error {
	for _, path := range freeNBDs() {
		device, err := os.OpenFile(path, os.O_RDWR|unix.O_CLOEXEC, 0)
		if err != nil {
			continue // told by there being none
		}
		err = unix.IoctlSetInt(int(device.Fd()), nbdSetSocket, theirs)
		if errors.Is(err, unix.EBUSY) || errors.Is(err, unix.EINVAL) {
			_ = device.Close() // somebody else was faster, or has made it by netlink
			continue
		}
		if err == nil {
			err = setUpNBD(device, c)
		}
		if err != nil {
			_ = device.Close() // which takes back all of it
			return fmt.Errorf("cannot set up %s: %w", path, err)
		}
		f.path, f.device = path, device
		return nil
	}
	return hint.Errorf(moreNBDs, "all nbd devices of this machine are in use")
}

// setUpNBD says all that is to be said of a device before it is there. It has no time
// limit for answers: what a model takes is up to the model.
func setUpNBD(device *os.File, c Config) error {
	flags := nbdHasFlags | nbdSendTrim
	if c.Device.Cached() { // a device without a write cache receives no flushes
		flags |= nbdSendFlush | nbdSendForced
	}
	for _, say := range []struct {
		what  uint
		value int
	}{
		{nbdSetBlockSize, nbdSectorSize}, {nbdSetBlocks, int(c.Size / nbdSectorSize)},
		{nbdSetFlags, flags},
	} {
		if err := unix.IoctlSetInt(int(device.Fd()), say.what, say.value); err != nil {
			return err
		}
	}
	return nil
}

// awaitUp waits until the kernel has the device.
func (f *nbdFront) awaitUp(size int64) error {
	limit, tick := time.After(nbdStartLimit), time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		if sectors, _ := strconv.ParseInt(readLine(filepath.Join(sysBlock, filepath.Base(f.path), "size")), 10, 64); sectors*nbdSectorSize == size {
			return nil
		}
		select {
		case err := <-f.ended:
			return fmt.Errorf("the kernel gave %s up: %w", f.path, err)
		case <-limit:
			return fmt.Errorf("%s was not there after %v", f.path, nbdStartLimit)
		case <-tick.C:
		}
	}
}

// freeNBDs are the paths of the devices that nobody has.
func freeNBDs() []string {
	dirs, _ := filepath.Glob(filepath.Join(sysBlock, "nbd*"))
	var free []string
	for _, dir := range dirs {
		if _, err := os.Lstat(filepath.Join(dir, "pid")); err != nil && readLine(filepath.Join(dir, "size")) == "0" {
			free = append(free, filepath.Join("/dev", filepath.Base(dir)))
		}
	}
	return free
}

func readLine(path string) string {
	text, _ := os.ReadFile(path)
	return strings.TrimSpace(string(text))
}

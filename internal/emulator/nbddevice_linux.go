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

// Commands and feature flags of an nbd device (linux/nbd.h).
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

// nbdSendLimit is the kernel's timeout for sending a request. Only a hung emulator stops reading;
// the kernel then considers the connection dead, and the I/O fails instead of hanging.
var nbdSendLimit = unix.Timeval{Sec: 30}

// sysBlock is the directory of all block devices of the kernel.
const sysBlock = "/sys/block"

// connectNBD creates an nbd block device whose requests arrive at the front.
//
// It uses ioctl, not netlink: the device then lives no longer than the thread in NBD_DO_IT, and
// all I/O waiting for the device fails when the emulator exits or is killed, by whatever cause. A
// device created by netlink stays, and I/O in flight waits until some process disconnects it.
// With ioctl, only the emulator ever touches the device, and no process can mistake it for
// another emulator's. The price: an emulator that is stopped (SIGSTOP, a freezer, a debugger)
// loses its device at once.
//
// There is one connection. Several were tried: the kernel reads each in a work item that never
// ends, and where it is slow to create worker threads it assigns all of them to one thread, so
// the answers on the second connection are never read (Linux 6.1). With several connections the
// kernel also treats a request that is not answered within a timeout as lost.
func connectNBD(c Config, free *requests) (*nbdFront, error) {
	f, theirs, err := newNBDFront(c.Size, free)
	if err != nil {
		return nil, err
	}
	defer func() { _ = unix.Close(theirs) }() // the kernel holds its own reference by then
	taken, ended := make(chan error, 1), make(chan error, 1)
	f.ended = ended
	go f.hold(theirs, c, taken, ended)
	if err := <-taken; err != nil {
		return nil, err
	}
	return f, f.awaitUp(c.Size)
}

// newNBDFront returns a front and the other end of its connection.
func newNBDFront(size int64, free *requests) (f *nbdFront, theirs int, err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, 0, fmt.Errorf("cannot create a connection to the kernel: %w", err)
	}
	for _, fd := range pair { // an answer should not wait for the kernel to read
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUFFORCE, nbdSocketBuffer)
	}
	if err := unix.SetsockoptTimeval(pair[1], unix.SOL_SOCKET, unix.SO_SNDTIMEO, &nbdSendLimit); err != nil {
		return nil, 0, fmt.Errorf("cannot set the kernel's timeout: %w", err)
	}
	return &nbdFront{fd: pair[0], size: size, requests: free}, pair[1], nil
}

// hold takes a free device and keeps it until the kernel releases it or this process exits. All
// of this must run on one thread, and no signal may interrupt that thread: it would end the
// device.
func (f *nbdFront) hold(theirs int, c Config, taken, ended chan<- error) {
	runtime.LockOSThread() // never unlocked: the thread exits with this goroutine
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

// takeFree takes the first free device.
func (f *nbdFront) takeFree(theirs int, c Config) error {
	for _, path := range freeNBDs() {
		device, err := os.OpenFile(path, os.O_RDWR|unix.O_CLOEXEC, 0)
		if err != nil {
			continue // if none can be opened, the error below says so
		}
		err = unix.IoctlSetInt(int(device.Fd()), nbdSetSocket, theirs)
		if errors.Is(err, unix.EBUSY) || errors.Is(err, unix.EINVAL) {
			_ = device.Close() // another process was faster, or has set it up by netlink
			continue
		}
		if err == nil {
			err = setUpNBD(device, c)
		}
		if err != nil {
			_ = device.Close() // which undoes the setup
			return fmt.Errorf("cannot set up %s: %w", path, err)
		}
		f.path, f.device = path, device
		return nil
	}
	return hint.Errorf(moreNBDs, "all nbd devices of this machine are in use")
}

// setUpNBD configures a device before it starts. It sets no timeout for answers: the model
// decides how long they take.
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

// awaitUp waits until the kernel shows the device with its size.
func (f *nbdFront) awaitUp(size int64) error {
	limit, tick := time.After(nbdStartLimit), time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		if sectors, _ := strconv.ParseInt(readLine(filepath.Join(sysBlock, filepath.Base(f.path), "size")), 10, 64); sectors*nbdSectorSize == size {
			return nil
		}
		select {
		case err := <-f.ended:
			return fmt.Errorf("the kernel closed %s: %w", f.path, err)
		case <-limit:
			return fmt.Errorf("%s did not appear within %v", f.path, nbdStartLimit)
		case <-tick.C:
		}
	}
}

// freeNBDs returns the paths of the unused devices.
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

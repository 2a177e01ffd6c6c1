package emulator

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"plinth/internal/device"
	"plinth/internal/hint"
)

// processName is the first argument of an emulator's process, and its name.
const processName = "plinth-emulator"

// filesystemType is what mountinfo calls the emulator's filesystem.
const filesystemType = "fuse.plinth"

// Main turns this process into an emulator, and then never returns, when it was
// started as one. It must be called first in main and in TestMain of a program
// that emulates devices, after launch.GuardMain.
func Main() {
	if len(os.Args) < 3 || os.Args[1] != processName {
		return
	}
	if len(os.Args) == 3 {
		restartTimely()
	} else if strconv.Itoa(os.Getppid()) != os.Args[3] {
		os.Exit(1) // the guard that started it is gone
	}
	os.Exit(serve(os.Args[2], os.Stdout, os.Stderr))
}

// processors is how many threads may run Go code. All of ours sleep in the kernel
// most of the time, and each must find a slot when it comes back, at once.
const processors = 2 * helperCount

// serve runs an emulator's process and returns its exit code. It writes to out that it
// serves, or to errs why it cannot.
func serve(config string, out, errs io.Writer) int {
	signal.Ignore(syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE, syscall.SIGTSTP)
	end := make(chan os.Signal, 1)
	signal.Notify(end, stopSignal)
	if err := serveUntil(config, out, end); err != nil {
		fmt.Fprintln(errs, err)
		if advice := hint.Of(err); advice != "" {
			fmt.Fprintln(errs, hintPrefix+advice)
		}
		return 1
	}
	return 0
}

func serveUntil(config string, out io.Writer, end <-chan os.Signal) error {
	var c Config
	if err := json.Unmarshal([]byte(config), &c); err != nil {
		return fmt.Errorf("cannot read what to emulate: %w", err)
	}
	prepareProcess()
	d, err := openDisk(c)
	if err != nil {
		return err
	}
	control, err := listen(c.Socket)
	if err != nil {
		return err
	}
	free := &requests{}
	f, image, err := openFront(c, free)
	if err != nil {
		return err
	}
	s, err := newServer(f, d, free)
	if err != nil {
		return err
	}
	ended := s.start()
	go obey(control, s)
	fmt.Fprintln(out, readyWord+image)
	select {
	case err := <-ended:
		return err
	case <-end:
		return errors.Join(d.store.close(), f.stop())
	}
}

// openFront has the kernel send its requests here. The path is that of what it shows for
// that.
func openFront(c Config, free *requests) (f front, image string, err error) {
	if c.Form == NBD {
		f, err := connectNBD(c, free)
		if err != nil {
			return nil, "", fmt.Errorf("cannot make an nbd device: %w", err)
		}
		return f, f.path, nil
	}
	f, err = mount(c, free)
	return f, filepath.Join(c.Mount, imageName), err
}

// memoryLimit is where garbage collection begins. Requests allocate nothing, and a
// second of readings some kilobytes: that is after hours.
const memoryLimit = 128 << 20

// prepareProcess makes it answer in time: no garbage collection, no page of it
// swapped out, and not the first to go when memory ends. What is not allowed is
// done without: lateness tells.
func prepareProcess() {
	unix.Umask(0o177) // only plinth may use the control socket
	runtime.GOMAXPROCS(processors)
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(memoryLimit)
	_ = unix.Mlockall(unix.MCL_CURRENT | unix.MCL_FUTURE | unix.MCL_ONFAULT)
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("-900"), 0)
	_ = os.WriteFile("/proc/self/comm", []byte(processName), 0)
}

// checkDevice refuses an impossible model. The zero Device is a pass-through.
func checkDevice(d device.Device) error {
	if d == (device.Device{}) {
		return nil
	}
	return d.Check()
}

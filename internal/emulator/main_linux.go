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

// filesystemType is the type of the emulator's filesystem in mountinfo.
const filesystemType = "fuse.plinth"

// Main runs an emulator and does not return if this process was started as one. Otherwise it does
// nothing. A program that emulates devices must call Main first in main and in TestMain, after
// launch.GuardMain.
func Main() {
	if len(os.Args) < 3 || os.Args[1] != processName {
		return
	}
	if len(os.Args) == 3 {
		restartTimely()
	} else if strconv.Itoa(os.Getppid()) != os.Args[3] {
		os.Exit(1) // the guard that started it has exited
	}
	os.Exit(serve(os.Args[2], os.Stdout, os.Stderr))
}

// processors is how many threads may run Go code at once. The emulator's threads sleep in the
// kernel most of the time, and each must get a slot immediately when it returns.
const processors = 2 * helperCount

// serve runs an emulator process and returns its exit code. It reports readiness on out and
// errors on errs.
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
		return fmt.Errorf("cannot read the emulator's configuration: %w", err)
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

// openFront connects the kernel's requests to this process. It returns the path of the block
// device or image file that the kernel shows.
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

// memoryLimit is where garbage collection starts, in bytes. Requests allocate nothing, and
// readings a few kilobytes per second, so this takes hours.
const memoryLimit = 128 << 20

// prepareProcess prepares the process to answer in time: no garbage collection, no page swapped
// out, and not the first victim of the OOM killer. Settings that are not permitted are skipped;
// the measured lateness shows the effect.
func prepareProcess() {
	unix.Umask(0o177) // only plinth may use the control socket
	runtime.GOMAXPROCS(processors)
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(memoryLimit)
	_ = unix.Mlockall(unix.MCL_CURRENT | unix.MCL_FUTURE | unix.MCL_ONFAULT)
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("-900"), 0)
	_ = os.WriteFile("/proc/self/comm", []byte(processName), 0)
}

// checkDevice rejects an impossible model. The zero Device is a pass-through.
func checkDevice(d device.Device) error {
	if d == (device.Device{}) {
		return nil
	}
	return d.Check()
}

package volume

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/unit"
)

// needFilesystem is an error unless this machine can make and mount it.
func needFilesystem(name string) error {
	f := filesystems[name]
	if _, err := f.mkfs.find(); err != nil {
		return err
	}
	if _, err := mountProgram.find(); err != nil {
		return err
	}
	if knownFilesystem(name) || hasModule(name) {
		return nil
	}
	return hint.Wrap(errNotThere("filesystem "+name), "choose another filesystem: ext4, xfs")
}

func knownFilesystem(name string) bool {
	f, err := os.Open("/proc/filesystems")
	if err != nil {
		return false
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if fields := strings.Fields(lines.Text()); len(fields) > 0 && fields[len(fields)-1] == name {
			return true
		}
	}
	return false
}

// hasModule says whether the kernel has a module of that name to be loaded.
func hasModule(name string) bool {
	release := readWord("/proc/sys/kernel/osrelease")
	text, _ := os.ReadFile(filepath.Join("/lib/modules", release, "modules.dep"))
	for line := range strings.Lines(string(text)) {
		path, _, _ := strings.Cut(line, ":")
		module, _, _ := strings.Cut(filepath.Base(path), ".ko")
		if module == name {
			return true
		}
	}
	return false
}

func needArray(level string) error {
	if level == "" {
		return nil
	}
	if _, err := mdadmProgram.find(); err != nil {
		return err
	}
	if _, err := os.Lstat("/proc/mdstat"); err != nil && !hasModule("md-mod") {
		return hint.Wrap(errNotThere("md (software RAID)"), "use an array as a model: emulate: {raid: 10, of: gp3, members: 8}")
	}
	return nil
}

const loopControl = "/dev/loop-control"

func needLoop() error {
	f, err := os.OpenFile(loopControl, os.O_RDWR, 0)
	if err != nil {
		return hint.Errorf("load the kernel's module loop; allow a container loop devices (docker run --privileged)",
			"this machine has no loop devices: %w", err)
	}
	return f.Close()
}

// anyLoop is the directory of a loop device, which are all alike; "" where none has
// been made yet.
func anyLoop() string {
	dirs, _ := filepath.Glob("/sys/block/loop*")
	if len(dirs) == 0 {
		return ""
	}
	return dirs[0]
}

// needScheduler is an error unless the device takes the scheduler. One that is a
// module is loaded by the kernel when it is chosen. Of a device that is not there yet
// (dir is "") the making tells.
func needScheduler(dir, device, scheduler string) error {
	if scheduler == "" || dir == "" {
		return nil
	}
	known := strings.Fields(strings.NewReplacer("[", "", "]", "").Replace(readWord(filepath.Join(dir, "queue/scheduler"))))
	if slices.Contains(known, scheduler) || hasModule(scheduler) || hasModule(scheduler+"-iosched") {
		return nil
	}
	return hint.Errorf("choose one of: "+strings.Join(known, ", "), "%s has no I/O scheduler %s", device, scheduler)
}

// hasRoom is an error when a directory cannot take a file of size bytes.
func hasRoom(dir string, size int64) error {
	free, err := host.FreeSpace(dir)
	if err == nil && free < size {
		err = hint.Errorf("free some space, choose a smaller size, or another directory",
			"it is too full: %s needed, %s free", unit.Size(size), unit.Size(free))
	}
	return err
}

func writable(dir string) error { return notWritable(unix.Access(dir, unix.W_OK|unix.X_OK)) }

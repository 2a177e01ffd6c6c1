package host

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"plinth/internal/host/proc"
	"plinth/internal/host/sysfs"
)

// container is what this process is contained in, "" for nothing. It asks what
// systemd-detect-virt(1) asks, and then the namespace of process ids, which no
// container shares with its machine unless it was told to. The error is why that
// could not be told.
func container(root fs.FS) (string, error) {
	if environment(root, "self", "KUBERNETES_SERVICE_HOST") != "" {
		return "kubernetes", nil
	}
	if strings.Contains(sysfs.Word(root, "proc/sys/kernel/osrelease"), "WSL") {
		return "wsl", nil
	}
	for _, file := range []string{"run/host/container-manager", "run/systemd/container"} {
		if name := sysfs.Word(root, file); name != "" {
			return name, nil
		}
	}
	if name := environment(root, "1", "container"); name != "" {
		return name, nil
	}
	if name := containerByGroup(sysfs.Word(root, "proc/self/cgroup")); name != "" {
		return name, nil
	}
	return containerByRoot(root)
}

// containerByRoot looks for the files that managers put at the root. A small
// virtual machine may be made from a container's image, and the file comes with
// it: it does not count where the root is a whole disk's filesystem and the
// process ids are the machine's.
func containerByRoot(root fs.FS) (string, error) {
	own, err := ownProcessIDs(root)
	if err == nil && !own && rootIsDisk(root) {
		return "", nil
	}
	for file, name := range map[string]string{"run/.containerenv": "podman", ".dockerenv": "docker"} {
		if _, err := fs.Stat(root, file); err == nil {
			return name, nil
		}
	}
	if own {
		return "unknown", nil
	}
	return "", err
}

// initialProcessIDs is the first namespace of process ids, whose number is
// fixed (PROC_PID_INIT_INO, linux/proc_ns.h).
const initialProcessIDs = "pid:[4026531836]"

func ownProcessIDs(root fs.FS) (bool, error) {
	link, err := fs.ReadLink(root, "proc/self/ns/pid")
	if err != nil {
		return false, fmt.Errorf("cannot tell whether this is a container: %s", why(err))
	}
	if !strings.HasPrefix(link, "pid:[") {
		return false, errors.New("cannot tell whether this is a container: /proc/self/ns/pid is " + link)
	}
	return link != initialProcessIDs, nil
}

// rootIsDisk says whether the top of a filesystem on a block device is mounted
// as root. Containers have an overlay, or a directory or subvolume of a disk.
func rootIsDisk(root fs.FS) bool {
	for _, m := range proc.Mounts(sysfs.Word(root, "proc/self/mountinfo")) {
		if filepath.Clean(m.Point) == "/" && m.Root == "/" && !strings.HasPrefix(m.Device, "0:") {
			return true
		}
	}
	return false
}

// environment is a variable of a process's first environment; "" also where it
// may not be read: that of process 1 is for root only.
func environment(root fs.FS, pid, name string) string {
	for pair := range strings.SplitSeq(sysfs.Word(root, "proc/"+pid+"/environ"), "\x00") {
		if value, found := strings.CutPrefix(pair, name+"="); found {
			return value
		}
	}
	return ""
}

// containerByGroup looks at the names of control groups, which a container sees
// unless it has a namespace for them.
func containerByGroup(cgroup string) string {
	for _, manager := range []struct{ part, name string }{
		{"kubepods", "kubernetes"},
		{"/libpod", "podman"},
		{"/docker/", "docker"},
		{"/docker-", "docker"},
		{"/lxc/", "lxc"},
		{"/lxc.payload", "lxc"},
		{"/machine.slice/systemd-nspawn", "systemd-nspawn"},
	} {
		if strings.Contains(cgroup, manager.part) {
			return manager.name
		}
	}
	return ""
}

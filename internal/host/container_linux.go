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

// container returns the kind of container this process runs in, or "" for none. It checks
// what systemd-detect-virt(1) checks, then the PID namespace, which a container shares with
// its host only if configured to. It returns an error if the answer is unknown.
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

// containerByRoot checks for the marker files that container managers create in /. A small
// virtual machine built from a container image contains the marker, too: it is ignored if the
// root is a whole disk's filesystem and the PID namespace is the initial one.
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

// initialProcessIDs is the initial PID namespace, whose inode number is fixed
// (PROC_PID_INIT_INO, linux/proc_ns.h).
const initialProcessIDs = "pid:[4026531836]"

func ownProcessIDs(root fs.FS) (bool, error) {
	link, err := fs.ReadLink(root, "proc/self/ns/pid")
	if err != nil {
		return false, fmt.Errorf("cannot determine whether this is a container: %s", why(err))
	}
	if !strings.HasPrefix(link, "pid:[") {
		return false, errors.New("cannot determine whether this is a container: /proc/self/ns/pid is " + link)
	}
	return link != initialProcessIDs, nil
}

// rootIsDisk reports whether / is the root of a filesystem on a block device. A container
// has an overlay, or a directory or subvolume of a disk.
func rootIsDisk(root fs.FS) bool {
	for _, m := range proc.Mounts(sysfs.Word(root, "proc/self/mountinfo")) {
		if filepath.Clean(m.Point) == "/" && m.Root == "/" && !strings.HasPrefix(m.Device, "0:") {
			return true
		}
	}
	return false
}

// environment returns a variable of a process's initial environment; "" also if it is
// unreadable: only root can read that of process 1.
func environment(root fs.FS, pid, name string) string {
	for pair := range strings.SplitSeq(sysfs.Word(root, "proc/"+pid+"/environ"), "\x00") {
		if value, found := strings.CutPrefix(pair, name+"="); found {
			return value
		}
	}
	return ""
}

// containerByGroup checks the names of control groups, which a container sees unless it has
// a cgroup namespace.
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

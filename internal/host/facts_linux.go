package host

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"

	"plinth/internal/host/proc"

	"golang.org/x/sys/unix"
)

// ReadFacts reads the facts of this machine. Facts that it does not provide are empty.
func ReadFacts() (Facts, error) {
	facts, err := readFacts(os.DirFS("/"))
	if err != nil {
		return Facts{}, fmt.Errorf("cannot read the facts of this machine: %w", err)
	}
	if err := facts.addRunning(); err != nil {
		return Facts{}, fmt.Errorf("cannot read the facts of this machine: %w", err)
	}
	return facts, nil
}

// addRunning adds the facts that come from system calls.
func (f *Facts) addRunning() error {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return fmt.Errorf("uname: %w", err)
	}
	f.Kernel = unix.ByteSliceToString(name.Release[:])
	f.Arch = runtime.GOARCH
	var allowed unix.CPUSet
	if err := unix.SchedGetaffinity(0, &allowed); err != nil {
		return fmt.Errorf("sched_getaffinity: %w", err)
	}
	f.CPUs = allowed.Count()
	return nil
}

// readFacts reads the facts found in the file system below root.
func readFacts(root fs.FS) (Facts, error) {
	var facts Facts
	id, err := readFirst(root, "etc/machine-id", "var/lib/dbus/machine-id", "proc/sys/kernel/hostname")
	if err != nil {
		return facts, err
	}
	facts.MachineID = hashMachineID(strings.TrimSpace(id))
	osRelease, err := readFirst(root, "etc/os-release", "usr/lib/os-release")
	if err != nil {
		return facts, err
	}
	facts.OS = parseOSRelease(osRelease)
	cpuinfo, err := readFirst(root, "proc/cpuinfo")
	if err != nil {
		return facts, err
	}
	facts.CPUModel = parseCPUModel(cpuinfo)
	memory, err := readMemory(root)
	facts.Memory = memory.total
	return facts, err
}

// readFirst returns the content of the first of these files that exists and is not empty, or
// "". A container often has no machine-id, or an empty one; the caller then falls back to the
// host name.
func readFirst(root fs.FS, names ...string) (string, error) {
	for _, name := range names {
		text, err := fs.ReadFile(root, name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if len(strings.TrimSpace(string(text))) > 0 {
			return string(text), nil
		}
	}
	return "", nil
}

// hashMachineID returns an HMAC of a fixed application id, keyed by the machine id, so that
// the id itself stays out of records, as machine-id(5) requires.
func hashMachineID(id string) string {
	if id == "" {
		return ""
	}
	mac := hmac.New(sha256.New, []byte(id))
	mac.Write([]byte("plinth/machine/v1"))
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// parseOSRelease returns PRETTY_NAME of os-release(5) without its quotes.
func parseOSRelease(text string) string {
	for line := range strings.Lines(text) {
		if value, found := strings.CutPrefix(strings.TrimSpace(line), "PRETTY_NAME="); found {
			return strings.Trim(value, `"'`)
		}
	}
	return ""
}

// BootID returns an id of the current boot (random(4)), or "" if the kernel does not provide
// one.
func BootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}

// PIDNamespace identifies the namespace of this process's IDs among those of all machines; "" if
// unknown. Its number alone is the same on every machine outside of containers.
func PIDNamespace() string {
	boot := BootID()
	name, err := os.Readlink("/proc/self/ns/pid")
	if err != nil || boot == "" {
		return ""
	}
	return boot + " " + name
}

// parseCPUModel returns the processor's name from /proc/cpuinfo, whose keys differ by
// architecture. arm64 has no model name, so implementer and part replace it: "ARM 0x41 part
// 0xd0c" is a Neoverse N1.
func parseCPUModel(cpuinfo string) string {
	// x86; s390 and old arm; power; 32-bit arm boards; riscv.
	for _, key := range []string{"model name", "Processor", "cpu", "Hardware", "uarch"} {
		if value := proc.Field(cpuinfo, key); value != "" {
			return value
		}
	}
	if part := proc.Field(cpuinfo, "CPU part"); part != "" {
		return "ARM " + proc.Field(cpuinfo, "CPU implementer") + " part " + part
	}
	return ""
}

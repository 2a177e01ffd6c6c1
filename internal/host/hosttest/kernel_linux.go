package hosttest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
)

// kernelLock is locked by tests that change what all processes of a machine share: the tests of
// several packages run at once. While it is held, it has the values that the machine had before.
const kernelLock = "/tmp/plinth-kernel-test.lock"

// kernelFiles are those that tests change.
var kernelFiles = []string{
	"/proc/sys/vm/dirty_background_bytes",
	"/proc/sys/vm/dirty_background_ratio",
	"/proc/sys/vm/dirty_expire_centisecs",
	"/proc/sys/vm/dirty_writeback_centisecs",
	"/proc/sys/vm/nr_hugepages",
	"/proc/sys/vm/vfs_cache_pressure",
}

// heldKernel is the content of the lock.
type heldKernel struct {
	Boot   string            `json:"boot"`
	Values map[string]string `json:"values"`
}

// HoldKernel waits until no other test changes the kernel's knobs, and blocks others until it is
// closed. First it restores what a killed test left changed.
func HoldKernel() (io.Closer, error) {
	file, err := os.OpenFile(kernelLock, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, err
	}
	lock := kernelHold{file}
	if err := errors.Join(syscall.Flock(int(file.Fd()), syscall.LOCK_EX), lock.recover(), lock.save()); err != nil {
		return nil, errors.Join(fmt.Errorf("cannot hold the kernel's knobs: %w", err), file.Close())
	}
	return lock, nil
}

type kernelHold struct{ file *os.File }

// Close forgets the values, and lets other tests go on.
func (k kernelHold) Close() error { return errors.Join(k.file.Truncate(0), k.file.Close()) }

// recover restores the values of a test that did not close its lock since the machine was booted.
func (k kernelHold) recover() error {
	text, err := io.ReadAll(k.file)
	if err != nil || len(text) == 0 || os.Geteuid() != 0 {
		return err
	}
	var held heldKernel
	if json.Unmarshal(text, &held) != nil || held.Boot != boot() {
		return nil // cut short before anything was changed, or of another boot
	}
	for _, path := range kernelFiles {
		now, was := value(path), held.Values[path]
		// Writing 0 into one of the two background limits would reset the other one.
		if was == now || was == "" || was == "0" && strings.Contains(path, "dirty_background") {
			continue
		}
		if err := os.WriteFile(path, []byte(was), 0); err != nil {
			return err
		}
	}
	return nil
}

func (k kernelHold) save() error {
	held := heldKernel{boot(), map[string]string{}}
	for _, path := range kernelFiles {
		held.Values[path] = value(path)
	}
	text, err := json.Marshal(held)
	if err != nil {
		return err
	}
	err = k.file.Truncate(0)
	if err == nil {
		_, err = k.file.WriteAt(text, 0)
	}
	return err
}

func boot() string { return value("/proc/sys/kernel/random/boot_id") }

// value returns the content of a kernel file, or "" if it cannot be read.
func value(path string) string {
	text, _ := os.ReadFile(path)
	return strings.TrimSpace(string(text))
}

// LockKernel is HoldKernel until a test ends.
func LockKernel(t testing.TB) {
	t.Helper()
	lock, err := HoldKernel()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lock.Close() })
}

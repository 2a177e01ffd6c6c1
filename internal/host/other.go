//go:build !linux

package host

import (
	"context"
	"errors"
	"time"
)

// errLinux is what everything says that needs Linux: elsewhere plinth reads and
// reports records.
var errLinux = errors.New("plinth runs servers on Linux only")

// ReadFacts returns an error: plinth runs servers on Linux only.
func ReadFacts() (Facts, error) { return Facts{}, errLinux }

// ReadInventory returns an error: plinth runs servers on Linux only.
func ReadInventory(context.Context, map[string]string) (Inventory, error) {
	return Inventory{}, errLinux
}

// Cores returns an error: plinth runs servers on Linux only.
func Cores() ([]Core, error) { return nil, errLinux }

// PlaceOf returns an error: plinth runs servers on Linux only.
func PlaceOf(string, string) (Place, error) { return Place{}, errLinux }

// AvailableMemory returns an error: plinth runs servers on Linux only.
func AvailableMemory() (int64, error) { return 0, errLinux }

// FreeSpace returns an error: plinth runs servers on Linux only.
func FreeSpace(string) (int64, error) { return 0, errLinux }

// TotalSpace returns an error: plinth runs servers on Linux only.
func TotalSpace(string) (int64, error) { return 0, errLinux }

// FilesystemOf returns an error: plinth runs servers on Linux only.
func FilesystemOf(string) (Filesystem, error) { return Filesystem{}, errLinux }

// MountsBelow returns an error: plinth runs servers on Linux only.
func MountsBelow(string) ([]string, error) { return nil, errLinux }

// ClockOffset is always zero here.
func ClockOffset() time.Duration { return 0 }

// CPUTime is always zero here.
func CPUTime() time.Duration { return 0 }

// BootID is always empty here.
func BootID() string { return "" }

// IsVirtual is not known here.
func IsVirtual() bool { return false }

// ReadConditions returns an error: plinth runs servers on Linux only.
func ReadConditions() (Conditions, error) { return nil, errLinux }

// ThreadTime does something; how long that took is not known here.
func ThreadTime(do func()) time.Duration {
	do()
	return 0
}

// ProcessTime is not known here.
func ProcessTime(int) (time.Duration, bool) { return 0, false }

// Mounts returns an error: plinth runs servers on Linux only.
func Mounts() ([]Filesystem, error) { return nil, errLinux }

// SyncFilesystem needs syncfs(2), which Linux has.
func SyncFilesystem(string) error { return errors.ErrUnsupported }

// DropCaches needs Linux's drop_caches.
func DropCaches() error { return errors.ErrUnsupported }

// Sync needs Linux's sync(2), which waits.
func Sync() {}

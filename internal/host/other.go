//go:build !linux

package host

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"time"
)

// errLinux is the error of every function that needs Linux: elsewhere plinth only reads and
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

// OnlyDisk always returns false on this system.
func OnlyDisk(string) (Disk, bool) { return Disk{}, false }

// AvailableMemory returns an error: plinth runs servers on Linux only.
func AvailableMemory() (int64, error) { return 0, errLinux }

// UnlimitedMemory returns an error: plinth runs servers on Linux only.
func UnlimitedMemory() (int64, error) { return 0, errLinux }

// FreeSpace returns an error: plinth runs servers on Linux only.
func FreeSpace(string) (int64, error) { return 0, errLinux }

// TotalSpace returns an error: plinth runs servers on Linux only.
func TotalSpace(string) (int64, error) { return 0, errLinux }

// FilesystemOf returns an error: plinth runs servers on Linux only.
func FilesystemOf(string) (Filesystem, error) { return Filesystem{}, errLinux }

// MountsBelow returns an error: plinth runs servers on Linux only.
func MountsBelow(string) ([]string, error) { return nil, errLinux }

// ClockOffset always returns zero on this system.
func ClockOffset() time.Duration { return 0 }

// CPUTime always returns zero on this system.
func CPUTime() time.Duration { return 0 }

// BootID always returns "" on this system.
func BootID() string { return "" }

// PIDNamespace always returns "" on this system.
func PIDNamespace() string { return "" }

// IsVirtual always returns false on this system.
func IsVirtual() bool { return false }

// ReadConditions returns an error: plinth runs servers on Linux only.
func ReadConditions() (Conditions, error) { return nil, errLinux }

// ThreadTime calls do and returns zero: the CPU time is unknown on this system.
func ThreadTime(do func()) time.Duration {
	do()
	return 0
}

// ProcessTime always returns false on this system.
func ProcessTime(int) (time.Duration, bool) { return 0, false }

// ProcessTimeBeside returns ProcessTime.
func ProcessTimeBeside(int) func(int) (time.Duration, bool) { return ProcessTime }

// Process returns an error: plinth runs servers on Linux only.
func (End) Process() (int, error) { return 0, errLinux }

// InnerPID returns an error: plinth runs servers on Linux only.
func InnerPID(int) (int, error) { return 0, errLinux }

// PIDHere always returns 0 on this system.
func PIDHere(string, int) int { return 0 }

// Listener returns an error: plinth runs servers on Linux only.
func Listener(net.Conn) (int, error) { return 0, errLinux }

// GroupLimits always returns none on this system.
func GroupLimits(int) CgroupLimits { return CgroupLimits{} }

// PathOf returns an error: plinth runs servers on Linux only.
func PathOf(int, string) (string, error) { return "", errLinux }

// PathInside returns the path.
func PathInside(path string) string { return path }

// Mounts returns an error: plinth runs servers on Linux only.
func Mounts() ([]Filesystem, error) { return nil, errLinux }

// SyncFilesystem returns an error: syncfs(2) exists on Linux only.
func SyncFilesystem(string) error { return errors.ErrUnsupported }

// DropCaches returns an error: drop_caches exists on Linux only.
func DropCaches() error { return errors.ErrUnsupported }

// Sync does nothing: only on Linux does sync(2) wait for completion.
func Sync() {}

// Segments counts TCP segments of this machine.
type Segments struct{ Sent, Retransmitted int64 }

// ReadSegments returns an error: plinth runs servers on Linux only.
func ReadSegments() (Segments, error) { return Segments{}, errLinux }

// RoundTripTo returns an error: plinth runs servers on Linux only.
func RoundTripTo(netip.AddrPort) (time.Duration, error) { return 0, errLinux }

// Addresses returns an error: plinth runs servers on Linux only.
func Addresses() ([]netip.Addr, error) { return nil, errLinux }

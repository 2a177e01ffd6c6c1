package launch

import (
	"syscall"
	"unsafe"
)

// takeThread gives this thread the rights of u for good.
func (u *User) takeThread() error {
	groups := make([]uint32, len(u.Groups)+1) // never empty, so that its address can be taken
	for i, g := range u.Groups {
		groups[i] = uint32(g)
	}
	if _, _, errno := syscall.RawSyscall(syscall.SYS_SETGROUPS, uintptr(len(u.Groups)),
		uintptr(unsafe.Pointer(&groups[0])), 0); errno != 0 {
		return errno
	}
	gid, uid := uintptr(u.GID), uintptr(u.UID)
	if _, _, errno := syscall.RawSyscall(syscall.SYS_SETRESGID, gid, gid, gid); errno != 0 {
		return errno
	}
	if _, _, errno := syscall.RawSyscall(syscall.SYS_SETRESUID, uid, uid, uid); errno != 0 {
		return errno
	}
	return nil
}

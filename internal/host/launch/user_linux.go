package launch

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"plinth/internal/hint"
)

// ServerUser returns the account that servers run as, because PostgreSQL refuses to run as
// root: nil (plinth's own) if plinth is not root; else the user who called sudo, else
// postgres, else nobody.
func ServerUser() (*User, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	return serverUser(os.Getenv("SUDO_UID"), os.Getenv("SUDO_GID"))
}

func serverUser(sudoUID, sudoGID string) (*User, error) {
	if uid, err := strconv.Atoi(sudoUID); err == nil && uid > 0 {
		if account, err := user.LookupId(sudoUID); err == nil {
			return fromAccount(account)
		}
		gid, err := strconv.Atoi(sudoGID)
		if err == nil && gid > 0 {
			return &User{Name: "uid " + sudoUID, UID: uid, GID: gid, Groups: []int{gid}, Home: "/"}, nil
		}
	}
	for _, name := range []string{"postgres", "nobody"} {
		if account, err := user.Lookup(name); err == nil {
			return fromAccount(account)
		}
	}
	return nil, hint.Errorf("start plinth as an ordinary user, or with sudo",
		"cannot find a user to run servers as: there is no user postgres or nobody")
}

func fromAccount(account *user.User) (*User, error) {
	uid, err := strconv.Atoi(account.Uid)
	if err != nil {
		return nil, fmt.Errorf("cannot read the account %s: %w", account.Username, err)
	}
	gid, err := strconv.Atoi(account.Gid)
	if err != nil {
		return nil, fmt.Errorf("cannot read the account %s: %w", account.Username, err)
	}
	u := &User{Name: account.Username, UID: uid, GID: gid, Home: account.HomeDir}
	ids, err := account.GroupIds()
	if err != nil {
		return nil, fmt.Errorf("cannot read the groups of %s: %w", account.Username, err)
	}
	for _, id := range ids {
		if n, err := strconv.Atoi(id); err == nil {
			u.Groups = append(u.Groups, n)
		}
	}
	return u, nil
}

// CanEnter reports whether u can enter dir by its absolute path, and if not, which directory
// in the path prevents it. It tries the access, because mode bits do not show access lists
// and security modules. A nil u is plinth's own user.
func (u *User) CanEnter(dir string) (ok bool, blocking string) {
	if err := u.Do(func() { blocking = firstClosed(dir) }); err != nil {
		return false, dir
	}
	return blocking == "", blocking
}

// firstClosed returns the first directory in the path of dir, including dir, that this thread
// cannot enter; "" if there is none.
func firstClosed(dir string) string {
	at := "/"
	for _, name := range append([]string{""}, strings.Split(filepath.Clean(dir), "/")...) {
		at = filepath.Join(at, name)
		if unix.Access(at+"/.", unix.F_OK) != nil {
			return at
		}
	}
	return ""
}

// Do calls f on a thread that has only the rights of u, and ends the thread. The raw system
// calls change one thread; syscall.Setuid changes all. f must not do anything that needs
// plinth's rights or another goroutine.
func (u *User) Do(f func()) error {
	if u == nil {
		f()
		return nil
	}
	result := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		err := u.takeThread()
		if err == nil {
			f()
		}
		result <- err
	}()
	return <-result
}

// takeThread permanently changes the rights of this thread to those of u.
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

package launch

import (
	"encoding/gob"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// Between the guard and the program there is a launch stage: the process that becomes the
// program by execve. It creates the FIFOs, whose names contain the program's process id, with
// plinth's rights, and drops those rights itself: the program's user may not be able to read
// plinth's binary, so plinth cannot be executed as that user.

// The stage's ends of the pipes to its guard. The failure pipe closes at exec: EOF without data
// means that the program runs.
const (
	orderFD   = 3
	failureFD = 4
)

// launch starts the program of o under this process. Afterwards the guard's own standard output
// and error are /dev/null, so that their readers reach EOF when the program has ended.
func launch(o order) (*os.Process, *failure) {
	orderRead, orderWrite, err := os.Pipe()
	if err != nil {
		return nil, asFailure("pipe", o.Path, err)
	}
	failureRead, failureWrite, err := os.Pipe()
	if err != nil {
		return nil, asFailure("pipe", o.Path, err)
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, asFailure("open", os.DevNull, err)
	}
	stdin := null
	if o.Stdin {
		stdin = os.NewFile(stdinFD, "stdin")
	}
	stage, err := os.StartProcess(selfPath, []string{stageName}, &os.ProcAttr{
		Files: []*os.File{stdin, os.Stdout, os.Stderr, orderRead, failureWrite},
		Sys:   &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		return nil, asFailure("fork", o.Path, err)
	}
	_ = orderRead.Close()
	_ = failureWrite.Close()
	for _, fd := range []int{1, 2} {
		_ = unix.Dup3(int(null.Fd()), fd, 0)
	}
	if o.Stdin {
		_ = stdin.Close()
	}

	o.Guard = os.Getpid()
	_ = gob.NewEncoder(orderWrite).Encode(o) // a stage that does not read it fails, which is reported below
	_ = orderWrite.Close()
	var failed failure
	if gob.NewDecoder(failureRead).Decode(&failed) != nil {
		_ = failureRead.Close()
		return stage, nil
	}
	_, _ = stage.Wait()
	return nil, &failed
}

func stageMain() {
	runtime.LockOSThread() // Pdeathsig is set per thread
	unix.CloseOnExec(orderFD)
	unix.CloseOnExec(failureFD)
	orders := os.NewFile(orderFD, "order")
	var o order
	if gob.NewDecoder(orders).Decode(&o) != nil {
		syscall.Exit(1) // the guard is gone
	}
	failed := o.become()
	removePipes(o.pipes(os.Getpid()))
	_ = gob.NewEncoder(os.NewFile(failureFD, "failure")).Encode(failed)
	syscall.Exit(1)
}

// become turns this process into the program; it returns only on failure.
func (o order) become() *failure {
	if failed := o.makePipes(); failed != nil {
		return failed
	}
	if failed := o.join(); failed != nil {
		return failed
	}
	if err := o.Placement.place(); err != nil {
		return asFailure("place", o.Path, err)
	}
	if err := o.User.become(); err != nil {
		return asFailure("become user", o.User.Name, err)
	}
	if o.Dir != "" {
		if err := os.Chdir(o.Dir); err != nil {
			return asFailure("enter", o.Dir, err)
		}
	}
	// The kernel clears it with each change of user, so it is set last; the guard may have died
	// before.
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(o.Stop), 0, 0, 0); err != nil {
		return asFailure("set the parent-death signal", o.Path, err)
	}
	if os.Getppid() != o.Guard {
		syscall.Exit(1)
	}
	argv := append([]string{o.Path}, o.Args...)
	return asFailure("exec", o.Path, syscall.Exec(o.Path, argv, o.Env))
}

// become permanently changes the rights to those of u; nil keeps plinth's.
func (u *User) become() error {
	if u == nil {
		return nil
	}
	if err := syscall.Setgroups(u.Groups); err != nil {
		return err
	}
	if err := syscall.Setresgid(u.GID, u.GID, u.GID); err != nil {
		return err
	}
	return syscall.Setresuid(u.UID, u.UID, u.UID)
}

func asFailure(op, path string, err error) *failure {
	errno := syscall.EIO
	errors.As(err, &errno)
	return &failure{op, path, errno}
}

// joinGroup names a failure to join a control group.
const joinGroup = "join the control group"

// join moves this process, with all its threads, into the control groups of o (cgroups(7)):
// before it becomes the program, so that the program is never outside, and before it drops
// plinth's rights, because a program that could write cgroup.procs could also leave. The few
// MiB that this Go program was charged for before stay with plinth's own group.
func (o order) join() *failure {
	pid := []byte(strconv.Itoa(os.Getpid()))
	for _, dir := range o.Groups {
		f, err := os.OpenFile(filepath.Join(dir, "cgroup.procs"), os.O_WRONLY, 0)
		if err != nil {
			return asFailure(joinGroup, dir, err)
		}
		_, err = f.Write(pid)
		_ = f.Close()
		if err != nil {
			return asFailure(joinGroup, dir, err)
		}
	}
	return nil
}

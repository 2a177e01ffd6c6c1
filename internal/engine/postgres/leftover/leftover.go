// Package leftover is what a server of PostgreSQL leaves behind that could not end by
// itself: processes, shared memory, sockets and its lock file, and how they are recognised
// and removed.
package leftover

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"plinth/internal/engine/life"
)

// Clear removes what a server of plinth's own left behind when it could
// not end by itself: its processes, shared memory, sockets and lock files. dir
// is its data directory, and everything is recognised by it; files elsewhere are
// removed in socketDir only, whatever the directory says: it belongs to the user
// who ran the server. A server that ended properly has left nothing, and a
// directory that is not there neither.
//
// PostgreSQL clears up itself when it is started again in the same directory.
// That is of no use to a directory that is about to be removed, and does not
// happen at all when the number of the lost postmaster belongs to another
// process by now.
func Clear(ctx context.Context, dir, socketDir string) error {
	if err := endProcesses(ctx, dir); err != nil {
		return err
	}
	lock, err := ReadLock(dir)
	if errors.Is(err, fs.ErrNotExist) || diskGone(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot clear up after the server in %s: %w", dir, err)
	}
	if err := clearSharedMemory(ctx, dir, lock); err != nil {
		return fmt.Errorf("cannot clear up after the server in %s: %w", dir, err)
	}
	for _, path := range append(lock.Sockets(socketDir), filepath.Join(dir, LockName)) {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) && !diskGone(err) {
			return fmt.Errorf("cannot clear up after the server in %s: %w", dir, err)
		}
	}
	return nil
}

// diskGone says whether an error is that of a filesystem whose disk has ended: XFS
// fails, ext4 is read-only from then on. What lies there goes with the filesystem, and
// is no reason to keep it.
func diskGone(err error) bool { return errors.Is(err, syscall.EIO) || errors.Is(err, syscall.EROFS) }

// endProcesses ends the server processes that work in dir: each of PostgreSQL's
// processes has the data directory as its working directory. Most notice the
// loss of their postmaster at once and end by themselves.
func endProcesses(ctx context.Context, dir string) error {
	working := func() []int { return ProcessesIn(dir) }
	for _, signal := range []syscall.Signal{0, syscall.SIGQUIT} {
		for _, pid := range working() {
			_ = syscall.Kill(pid, signal) // it may have ended meanwhile
		}
		if life.Poll(ctx, 1500*time.Millisecond, func() bool { return len(working()) == 0 }) == nil {
			return nil
		}
	}
	if left, _ := life.KillAll(ctx, 0, working); len(left) > 0 {
		return fmt.Errorf("cannot end the processes %v of the server in %s", left, dir)
	}
	return nil
}

// ProcessesIn are the numbers of PostgreSQL's processes that work in dir.
func ProcessesIn(dir string) []int {
	place, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil
	}
	return ProcessesAt(place)
}

// ProcessesAt is ProcessesIn of a directory whose name holds no symbolic links.
func ProcessesAt(place string) []int {
	return life.ProcessesAt(place, func(pid int) bool {
		program, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
		return strings.TrimSuffix(filepath.Base(program), " (deleted)") == "postgres"
	})
}

// Lock is what postmaster.pid says.
// https://www.postgresql.org/docs/current/storage-file-layout.html
type Lock struct {
	PID       int
	Started   int64 // in seconds since 1970; 0 when not written yet
	Port      string
	SocketDir string // "" when not written yet
	Segment   int    // of System V shared memory; -1 when not written yet
}

// LockName is the name of the lock file in the data directory.
const LockName = "postmaster.pid"

// lockMost is more bytes than any lock file of PostgreSQL has.
const lockMost = 8 << 10

// ReadLock reads the lock file of the server in dir. The error is fs.ErrNotExist where
// there is none.
func ReadLock(dir string) (Lock, error) {
	text, err := readPlain(filepath.Join(dir, LockName), lockMost)
	if err != nil {
		return Lock{}, err
	}
	return parseLock(string(text)), nil
}

// parseLock reads what there is: a server that was killed while it started
// has not written all lines.
func parseLock(text string) Lock {
	lines := strings.Split(text, "\n")
	line := func(i int) string {
		if i < len(lines) {
			return strings.TrimSpace(lines[i])
		}
		return ""
	}
	lock := Lock{Port: line(3), SocketDir: line(4), Segment: -1}
	lock.PID, _ = strconv.Atoi(strings.TrimPrefix(line(0), "-")) // initdb's server has a minus
	lock.Started, _ = strconv.ParseInt(line(2), 10, 64)
	if ids := strings.Fields(line(6)); len(ids) == 2 {
		if id, err := strconv.Atoi(ids[1]); err == nil && id >= 0 {
			lock.Segment = id
		}
	}
	return lock
}

// Sockets are the files of the server in dir that are its own: it says that dir
// is its socket directory, and the socket's lock file names the same process.
func (l Lock) Sockets(dir string) []string {
	if dir == "" || filepath.Clean(l.SocketDir) != filepath.Clean(dir) {
		return nil
	}
	socket := filepath.Join(dir, ".s.PGSQL."+filepath.Base(l.Port))
	text, err := readPlain(socket+".lock", lockMost)
	if err != nil {
		return nil
	}
	if owner, _, _ := bytes.Cut(text, []byte("\n")); strings.TrimLeft(string(owner), "-") != strconv.Itoa(l.PID) {
		return nil
	}
	return []string{socket, socket + ".lock"}
}

// readPlain reads a regular file where another user may have put something else:
// a symbolic link is not followed, a FIFO not waited for, and no more than limit
// bytes are read.
func readPlain(path string, limit int64) ([]byte, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	return io.ReadAll(io.LimitReader(file, limit))
}

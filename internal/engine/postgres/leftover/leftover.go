// Package leftover finds and removes what a PostgreSQL server leaves behind if it does not shut
// down cleanly: processes, shared memory, sockets and its lock file.
package leftover

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"plinth/internal/engine/life"
	"plinth/internal/host"
)

// Clear removes what plinth's own server left behind if it could not exit on its own: its
// processes, shared memory, sockets and lock files. dir is its data directory, by which all of
// them are identified. Files elsewhere are removed in socketDir only, whatever the data directory
// says: it belongs to the user who ran the server. A server that exited cleanly has left nothing,
// and a directory that does not exist is not an error.
//
// PostgreSQL cleans up when it is started again in the same directory. That does not help a
// directory that is about to be removed, and does not happen at all if the PID of the lost
// postmaster now belongs to another process.
func Clear(ctx context.Context, dir, socketDir string) error {
	if err := endProcesses(ctx, dir); err != nil {
		return err
	}
	lock, err := ReadLock(dir)
	if errors.Is(err, fs.ErrNotExist) || diskGone(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot clean up after the server in %s: %w", dir, err)
	}
	if err := clearSharedMemory(ctx, dir, lock); err != nil {
		return fmt.Errorf("cannot clean up after the server in %s: %w", dir, err)
	}
	for _, path := range append(lock.Sockets(socketDir), filepath.Join(dir, LockName)) {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) && !diskGone(err) {
			return fmt.Errorf("cannot clean up after the server in %s: %w", dir, err)
		}
	}
	return nil
}

// diskGone reports whether an error is that of a filesystem whose disk has failed: XFS returns
// EIO, ext4 becomes read-only. Files there go with the filesystem, and are no reason to keep it.
func diskGone(err error) bool { return errors.Is(err, syscall.EIO) || errors.Is(err, syscall.EROFS) }

// endProcesses ends the server processes that work in dir: the data directory is the working
// directory of every PostgreSQL process. Most notice the loss of their postmaster at once and
// exit on their own.
func endProcesses(ctx context.Context, dir string) error {
	working := func() []int { return ProcessesIn(dir) }
	for _, signal := range []syscall.Signal{0, syscall.SIGQUIT} {
		for _, pid := range working() {
			_ = syscall.Kill(pid, signal) // it may have exited meanwhile
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

// ProcessesIn returns the PIDs of PostgreSQL's processes that work in dir.
func ProcessesIn(dir string) []int {
	place, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil
	}
	return ProcessesAt(place)
}

// ProcessesAt is ProcessesIn for a path without symbolic links.
func ProcessesAt(place string) []int {
	return life.ProcessesAt(place, func(pid int) bool {
		program, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
		return strings.TrimSuffix(filepath.Base(program), " (deleted)") == "postgres"
	})
}

// Lock is the contents of postmaster.pid.
// https://www.postgresql.org/docs/current/storage-file-layout.html
type Lock struct {
	PID       int
	Started   int64 // in seconds since 1970; 0 if not written yet
	Port      string
	SocketDir string // "" if not written yet
	Segment   int    // of System V shared memory; -1 if not written yet
}

// LockName is the name of the lock file in the data directory.
const LockName = "postmaster.pid"

// lockMost is more bytes than any lock file of PostgreSQL has.
const lockMost = 8 << 10

// ReadLock reads the lock file of the server in dir. The error is fs.ErrNotExist if none exists.
func ReadLock(dir string) (Lock, error) {
	text, err := readPlain(filepath.Join(dir, LockName), lockMost)
	if err != nil {
		return Lock{}, err
	}
	return parseLock(string(text)), nil
}

// parseLock parses the lines that exist: a server that was killed during its start has not
// written all of them.
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

// Sockets returns the server's socket files in dir: only if the lock names dir as its socket
// directory, and the socket's lock file names the same process.
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

// readPlain reads a regular file that another user may have replaced.
func readPlain(path string, limit int64) ([]byte, error) {
	file, err := os.OpenFile(path, host.OpenPlain, 0)
	return host.ReadPlain(file, err, limit)
}

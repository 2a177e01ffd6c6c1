package postgres

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
)

// clearLeftovers removes what a server of plinth's own left behind when it could
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
func clearLeftovers(ctx context.Context, dir, socketDir string) error {
	if err := endProcesses(ctx, dir); err != nil {
		return err
	}
	lock, err := readLockFile(dir)
	if errors.Is(err, fs.ErrNotExist) || diskGone(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot clear up after the server in %s: %w", dir, err)
	}
	if err := clearSharedMemory(ctx, dir, lock); err != nil {
		return fmt.Errorf("cannot clear up after the server in %s: %w", dir, err)
	}
	for _, path := range append(lock.sockets(socketDir), filepath.Join(dir, lockFileName)) {
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
	for _, signal := range []syscall.Signal{0, syscall.SIGQUIT, syscall.SIGKILL} {
		for _, pid := range processesIn(dir) {
			_ = syscall.Kill(pid, signal) // it may have ended meanwhile
		}
		limit := 1500 * time.Millisecond
		if signal == syscall.SIGKILL {
			limit = killLimit
		}
		begun := time.Now()
		var left []int
		_ = poll(ctx, limit, func() bool { // left says it
			left = processesIn(dir)
			return len(left) == 0 || time.Since(begun) > hangLimit && notWaiting(left) == 0
		})
		if len(left) == 0 {
			return nil
		}
	}
	return fmt.Errorf("cannot end the processes %v of the server in %s", processesIn(dir), dir)
}

// processesIn are the numbers of PostgreSQL's processes that work in dir.
func processesIn(dir string) []int {
	place, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil
	}
	return processesAt(place)
}

// processesAt is processesIn of a directory whose name holds no symbolic links.
// It asks the directory nothing, which may be on a disk that answers no more.
// Processes of other users can't be seen into, and are not plinth's.
func processesAt(place string) []int {
	entries, _ := filepath.Glob("/proc/[0-9]*")
	var pids []int
	for _, proc := range entries {
		if cwd, err := os.Readlink(proc + "/cwd"); err != nil || cwd != place {
			continue
		}
		program, _ := os.Readlink(proc + "/exe")
		if strings.TrimSuffix(filepath.Base(program), " (deleted)") != "postgres" {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(proc)); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// lockFile is what postmaster.pid says.
// https://www.postgresql.org/docs/current/storage-file-layout.html
type lockFile struct {
	pid       int
	port      string
	socketDir string // "" when not written yet
	segment   int    // of System V shared memory; -1 when not written yet
}

const lockFileName = "postmaster.pid"

// lockFileMost is more bytes than any lock file of PostgreSQL has.
const lockFileMost = 8 << 10

func readLockFile(dir string) (lockFile, error) {
	text, err := readPlain(filepath.Join(dir, lockFileName), lockFileMost)
	if err != nil {
		return lockFile{}, err
	}
	return parseLockFile(string(text)), nil
}

// parseLockFile reads what there is: a server that was killed while it started
// has not written all lines.
func parseLockFile(text string) lockFile {
	lines := strings.Split(text, "\n")
	line := func(i int) string {
		if i < len(lines) {
			return strings.TrimSpace(lines[i])
		}
		return ""
	}
	lock := lockFile{port: line(3), socketDir: line(4), segment: -1}
	lock.pid, _ = strconv.Atoi(strings.TrimPrefix(line(0), "-")) // initdb's server has a minus
	if ids := strings.Fields(line(6)); len(ids) == 2 {
		if id, err := strconv.Atoi(ids[1]); err == nil && id >= 0 {
			lock.segment = id
		}
	}
	return lock
}

// sockets are the files of the server in dir that are its own: it says that dir
// is its socket directory, and the socket's lock file names the same process.
func (l lockFile) sockets(dir string) []string {
	if dir == "" || filepath.Clean(l.socketDir) != filepath.Clean(dir) {
		return nil
	}
	socket := filepath.Join(dir, ".s.PGSQL."+filepath.Base(l.port))
	text, err := readPlain(socket+".lock", lockFileMost)
	if err != nil {
		return nil
	}
	if owner, _, _ := bytes.Cut(text, []byte("\n")); strings.TrimLeft(string(owner), "-") != strconv.Itoa(l.pid) {
		return nil
	}
	return []string{socket, socket + ".lock"}
}

// poll calls done, at growing intervals, until it is true, the time is over or
// ctx is done.
func poll(ctx context.Context, limit time.Duration, done func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for wait := 2 * time.Millisecond; ; wait = min(wait*2, 100*time.Millisecond) {
		if done() {
			return nil
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

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

	"plinth/internal/engine/life"
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
	working := func() []int { return processesIn(dir) }
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

// processesIn are the numbers of PostgreSQL's processes that work in dir.
func processesIn(dir string) []int {
	place, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil
	}
	return processesAt(place)
}

// processesAt is processesIn of a directory whose name holds no symbolic links.
func processesAt(place string) []int {
	return life.ProcessesAt(place, func(pid int) bool {
		program, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
		return strings.TrimSuffix(filepath.Base(program), " (deleted)") == "postgres"
	})
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

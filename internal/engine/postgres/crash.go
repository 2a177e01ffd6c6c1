package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// killLimit is how long processes are waited for that were sent SIGKILL.
const (
	killLimit = time.Minute     // a busy machine takes its time to end them
	hangLimit = 3 * time.Second // of those that wait for a disk
)

// Kill ends the server as a power cut would. A process that waits for a disk that
// answers no more cannot end: it is left to whoever makes the disk fail, and
// holds nothing that the next start needs.
func (o *Own) Kill(ctx context.Context) error {
	o.close()
	if o.process == nil {
		return nil
	}
	files, segment := o.sharedMemory()
	stuck, err := killAll(ctx, o.process.PID(), o.place)
	if err != nil {
		return err
	}
	if err := errors.Join(removeMemory(segment, files), o.removeSockets()); err != nil {
		return fmt.Errorf("cannot clear up after the killed server: %w", err)
	}
	if len(stuck) > 0 {
		o.process = nil
		return nil
	}
	select { // its guard reads what it said last
	case <-o.process.Done():
	case <-ctx.Done():
		return ctx.Err()
	}
	o.process = nil
	return o.forgetNote() // nothing is left outside of its directories
}

// sharedMemory is what the server holds beside its files. Another process may
// have the number of a postmaster that has ended: it must work in the server's
// own directory.
func (o *Own) sharedMemory() (files []string, segment int) {
	if !slices.Contains(processesAt(o.place), o.process.PID()) {
		return nil, -1
	}
	return sharedMemoryOf(o.process.PID())
}

// killAll kills a postmaster and all other processes that work in a directory.
// The postmaster goes first, so that it starts none of the others anew. What is
// left of them waits for a disk.
func killAll(ctx context.Context, postmaster int, place string) (stuck []int, err error) {
	begun := time.Now()
	err = poll(ctx, killLimit, func() bool {
		stuck = processesAt(place)
		if i := slices.Index(stuck, postmaster); i > 0 {
			stuck[0], stuck[i] = stuck[i], stuck[0]
		}
		for _, pid := range stuck {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may just have ended
		}
		return len(stuck) == 0 || time.Since(begun) > hangLimit && notWaiting(stuck) == 0
	})
	if pid := notWaiting(stuck); err != nil && pid != 0 {
		return stuck, fmt.Errorf("cannot kill process %d of the server in %s: %w", pid, place, err)
	}
	return stuck, nil
}

// notWaiting is one of some processes that is there and does not wait for a disk; 0 where
// all others do.
func notWaiting(pids []int) int {
	for _, pid := range pids {
		if state := processState(pid); state != "D" && state != "" {
			return pid
		}
	}
	return 0
}

// processState is the letter of proc_pid_stat(5): D waits for a disk and cannot
// be interrupted. "" for a process that has gone.
func processState(pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) == 0 {
		return ""
	}
	return fields[0]
}

// removeSockets removes the sockets of a server that is gone. The directory is
// private to the server, and on no volume of its.
func (o *Own) removeSockets() error {
	socket := filepath.Join(o.SocketDir, ".s.PGSQL."+ownPort)
	for _, path := range []string{socket, socket + ".lock"} {
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	return nil
}

// Recover starts a killed server and waits until it answers. Its lock file, if
// the volume kept it, is cleared away by Start.
func (o *Own) Recover(ctx context.Context) (took time.Duration, err error) {
	if o.running() {
		return 0, errors.New("cannot recover PostgreSQL: it was not killed")
	}
	made, err := o.made()
	switch {
	case err != nil:
		return 0, fmt.Errorf("cannot recover PostgreSQL: %w", err)
	case !made: // Start would make another server there
		return 0, fmt.Errorf("cannot recover PostgreSQL: %s is empty", o.DataDir)
	}
	begun := time.Now()
	err = o.Start(ctx)
	return time.Since(begun), err
}

package record

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"plinth/internal/hint"
)

// lock takes the writer's lock on a record: flock(2) on the directory itself. The kernel releases
// it when the process ends, however that happens, and no file is left behind; a lock file with a
// process ID would survive a kill -9.
func lock(dir string) (*os.File, error) {
	file, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	err = flock(file, syscall.LOCK_EX)
	for range 20 { // Live holds the lock briefly while it checks
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			break
		}
		<-time.After(5 * time.Millisecond) // flock(2) has no timeout
		err = flock(file, syscall.LOCK_EX)
	}
	if err == nil {
		return file, nil
	}
	defer file.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, hint.Errorf("wait until it ends, or stop it with Ctrl-C",
			"%s is writing it", holder(file))
	}
	return nil, hint.Errorf("choose a directory on a local filesystem with --store",
		"its filesystem does not support locking: %w", err)
}

// Live reports whether a writer is active on the record at path.
func Live(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	return errors.Is(flock(file, syscall.LOCK_SH), syscall.EWOULDBLOCK)
}

func flock(file *os.File, how int) error {
	for {
		err := syscall.Flock(int(file.Fd()), how|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// holder names the process that holds the lock on file, if /proc/locks (proc(5)) shows it.
func holder(file *os.File) string {
	var stat syscall.Stat_t
	locks, err := os.Open("/proc/locks")
	if err != nil || syscall.Fstat(int(file.Fd()), &stat) != nil {
		return "another plinth"
	}
	defer locks.Close()
	inode := fmt.Sprintf(":%d", stat.Ino)
	for lines := bufio.NewScanner(locks); lines.Scan(); {
		fields := strings.Fields(lines.Text()) // 1: FLOCK ADVISORY WRITE 1234 08:01:5678 0 EOF
		if len(fields) >= 6 && fields[1] == "FLOCK" && fields[3] == "WRITE" && strings.HasSuffix(fields[5], inode) {
			return "process " + fields[4]
		}
	}
	return "another plinth"
}

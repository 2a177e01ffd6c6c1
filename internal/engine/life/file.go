package life

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"plinth/internal/host/launch"
)

// WriteFile writes text to a file in a directory of user, who may be less trusted than plinth.
// With O_CREATE and O_EXCL in flags it creates the file; otherwise the file must be one that the
// server's programs created as that user. It follows no symbolic link. The file belongs to user
// afterwards, and sync makes it durable.
func WriteFile(path string, flags int, text string, user *launch.User, sync bool) error {
	// Another file must not be truncated before it is known to be the right one.
	file, err := os.OpenFile(path, flags&^os.O_TRUNC|os.O_WRONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return err
	}
	if flags&os.O_CREATE == 0 { // a new file may get another owner on some filesystems
		owner := os.Geteuid()
		if user != nil {
			owner = user.UID
		}
		err = onlyFileOf(file, owner)
	}
	if err == nil && flags&os.O_TRUNC != 0 {
		err = file.Truncate(0)
	}
	if err == nil && user != nil {
		err = file.Chown(user.UID, user.GID)
	}
	if err == nil {
		_, err = file.WriteString(text)
	}
	if err == nil && sync {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// onlyFileOf rejects anything but a regular file of the given owner with a single link. In a
// directory where another user may create files, O_NOFOLLOW is not enough: a hard link leads
// elsewhere, too, without being followed.
func onlyFileOf(file *os.File, uid int) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	stat, known := info.Sys().(*syscall.Stat_t)
	if !known || !info.Mode().IsRegular() || stat.Nlink != 1 || int(stat.Uid) != uid {
		return fmt.Errorf("%s is not the file that was created there", file.Name())
	}
	return nil
}

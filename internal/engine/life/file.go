package life

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"plinth/internal/host/launch"
)

// WriteFile writes text to a file in a directory of user, who may be less trusted than
// plinth: it is made where flags have O_CREATE and O_EXCL, or else one that the server's
// programs made as that user. No symbolic link is followed. The file belongs to user
// afterwards, and with sync it lasts.
func WriteFile(path string, flags int, text string, user *launch.User, sync bool) error {
	file, err := os.OpenFile(path, flags|os.O_WRONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return err
	}
	if flags&os.O_CREATE == 0 { // else it is new, and some filesystems give it another owner
		owner := os.Geteuid()
		if user != nil {
			owner = user.UID
		}
		err = onlyFileOf(file, owner)
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

// onlyFileOf refuses what is no regular file of an owner with one name. Where
// another user may make files, O_NOFOLLOW is not enough: a hard link leads
// elsewhere, too, and there is nothing to follow.
func onlyFileOf(file *os.File, uid int) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	stat, known := info.Sys().(*syscall.Stat_t)
	if !known || !info.Mode().IsRegular() || stat.Nlink != 1 || int(stat.Uid) != uid {
		return fmt.Errorf("%s is not the file that was made there", file.Name())
	}
	return nil
}

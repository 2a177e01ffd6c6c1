package record

import (
	"io/fs"
	"os"
	"time"
)

// stamp tells whether a file or a directory is still what it was when the stamp
// was taken, without reading it.
type stamp struct {
	info  fs.FileInfo
	taken time.Time
}

// coarse is how far apart two changes may be and still have the same time: 10 ms
// on Linux, up to 2 s on some filesystems.
const coarse = 2 * time.Second

// same is false in doubt: what had just been changed when the stamp was taken may
// have been changed again since, within the same tick of the filesystem's clock.
func (s stamp) same(now fs.FileInfo) bool {
	return s.info != nil && os.SameFile(s.info, now) && s.info.Size() == now.Size() &&
		s.info.ModTime().Equal(now.ModTime()) && s.taken.Sub(now.ModTime()) > coarse
}

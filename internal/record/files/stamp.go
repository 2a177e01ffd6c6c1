package record

import (
	"io/fs"
	"os"
	"time"
)

// stamp shows, without reading it, whether a file or a directory has changed since the stamp was
// taken.
type stamp struct {
	info  fs.FileInfo
	taken time.Time
}

// coarse is how far apart two changes can be and still get the same timestamp: 10 ms on Linux, up
// to 2 s on some filesystems.
const coarse = 2 * time.Second

// same reports whether the file is unchanged, and returns false in doubt: a file modified just
// before the stamp was taken may have been modified again within the same tick of the
// filesystem's clock.
func (s stamp) same(now fs.FileInfo) bool {
	return s.info != nil && os.SameFile(s.info, now) && s.info.Size() == now.Size() &&
		s.info.ModTime().Equal(now.ModTime()) && s.taken.Sub(now.ModTime()) > coarse
}

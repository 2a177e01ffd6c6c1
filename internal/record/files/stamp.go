package files

import (
	"io/fs"
	"os"
	"time"
)

// Stamp shows, without reading it, whether a file or a directory has changed since the stamp was
// taken.
type Stamp struct {
	Info  fs.FileInfo
	Taken time.Time
}

// coarse is how far apart two changes can be and still get the same timestamp: 10 ms on Linux, up
// to 2 s on some filesystems.
const coarse = 2 * time.Second

// Same reports whether the file is unchanged, and returns false in doubt: a file modified just
// before the stamp was taken may have been modified again within the same tick of the
// filesystem's clock.
func (s Stamp) Same(now fs.FileInfo) bool {
	return s.Info != nil && os.SameFile(s.Info, now) && s.Info.Size() == now.Size() &&
		s.Info.ModTime().Equal(now.ModTime()) && s.Taken.Sub(now.ModTime()) > coarse
}

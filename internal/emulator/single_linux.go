package emulator

import (
	"context"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// target is a file, or a block device, that is measured with direct I/O.
type target struct {
	file  *os.File
	pages int64
	write bool
	sync  bool // after each write
}

func openTarget(path string, size int64, write bool) (*target, error) {
	how := os.O_RDONLY
	if write {
		how = os.O_RDWR
	}
	f, err := os.OpenFile(path, how|unix.O_DIRECT, 0)
	if err != nil {
		return nil, err
	}
	if size < pageSize {
		_ = f.Close()
		return nil, fmt.Errorf("%s is smaller than %d bytes", path, pageSize)
	}
	return &target{file: f, pages: size / pageSize, write: write}, nil
}

// reading is t, read from.
func (t *target) reading() *target {
	r := *t
	r.write = false
	return &r
}

// do is operation i: one page, anywhere. Neighbours are far apart, so that nothing
// is merged or read ahead.
func (t *target) do(page []byte, i int64) error {
	const stride = 1000003 // a prime: it comes round to every page
	offset := i * stride % t.pages * pageSize
	if !t.write {
		_, err := t.file.ReadAt(page, offset)
		return err
	}
	if _, err := t.file.WriteAt(page, offset); err != nil || !t.sync {
		return err
	}
	return unix.Fdatasync(int(t.file.Fd()))
}

// oneByOne is how long operations take, one after the other: most of them at the
// most, and none is begun after limit.
func (t *target) oneByOne(ctx context.Context, most int, limit time.Duration) ([]time.Duration, error) {
	page, free, err := alignedPage()
	if err != nil {
		return nil, err
	}
	defer free()
	var took []time.Duration
	for begin := time.Now(); len(took) < most && time.Since(begin) < limit && ctx.Err() == nil; {
		start := time.Now()
		if err := t.do(page, int64(len(took))); err != nil {
			return nil, err
		}
		took = append(took, time.Since(start))
	}
	return took, ctx.Err()
}

// alignedPage is memory as direct I/O wants it.
func alignedPage() (page []byte, free func(), err error) {
	page, err = unix.Mmap(-1, 0, pageSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, nil, err
	}
	return page, func() { _ = unix.Munmap(page) }, nil
}

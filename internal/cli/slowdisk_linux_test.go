package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"

	"plinth/internal/host/hosttest"
)

// slowDisk returns a directory on a block device that, after a call of begin, delays each write
// and flush: ext4 on a loop device whose file is in a FUSE filesystem of the test. It returns the
// device's name, too.
func slowDisk(t *testing.T, delay time.Duration) (dir, device string, begin func()) {
	t.Helper()
	base, err := os.MkdirTemp("/var/tmp", "plinth-slow-")
	if err != nil {
		t.Fatal(err)
	}
	undo := func(what func() error) {
		t.Cleanup(func() {
			if err := what(); err != nil {
				t.Error(err)
			}
		})
	}
	undo(func() error { return os.RemoveAll(base) })
	slow, mounted := base+"/slow", base+"/disk"
	file, err := os.Create(base + "/backing")
	if err == nil {
		err = errors.Join(file.Truncate(slowSize), os.Mkdir(slow, 0o755), os.Mkdir(mounted, 0o755))
	}
	if err != nil {
		t.Fatal(err)
	}
	undo(file.Close)
	disk := &slowImage{file: file}
	server, err := fs.Mount(slow, &slowRoot{image: disk}, &fs.Options{MountOptions: fuse.MountOptions{DirectMountStrict: true, FsName: "slow"}})
	if err != nil {
		t.Fatal(err)
	}
	hosttest.KeepFUSE(t)
	undo(server.Unmount)
	loop := strings.TrimSpace(command(t, "losetup", "--find", "--show", slow+"/image"))
	undo(func() error { return exec.Command("losetup", "--detach", loop).Run() })
	command(t, "mkfs.ext4", "-q", "-E", "nodiscard,lazy_itable_init=0", loop)
	command(t, "mount", loop, mounted)
	undo(func() error { return exec.Command("umount", mounted).Run() })
	undo(func() error { disk.wait.Store(0); return nil })
	return mounted, filepath.Base(loop), func() { disk.wait.Store(int64(delay)) }
}

func command(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v: %s", name, args, err, out)
	}
	return string(out)
}

// slowRoot is a filesystem with one file, the image of a disk.
type slowRoot struct {
	fs.Inode
	image *slowImage
}

func (r *slowRoot) OnAdd(ctx context.Context) {
	r.AddChild("image", r.NewPersistentInode(ctx, r.image, fs.StableAttr{Mode: syscall.S_IFREG}), false)
}

// slowImage is a file with delayed writes and syncs.
type slowImage struct {
	fs.Inode
	file *os.File
	wait atomic.Int64 // nanoseconds
}

const slowSize = 512 << 20

func (i *slowImage) pause() { time.Sleep(time.Duration(i.wait.Load())) }

func (i *slowImage) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	out.Mode, out.Size, out.Blksize = syscall.S_IFREG|0o600, slowSize, 4096
	return 0
}

func (i *slowImage) Open(context.Context, uint32) (fs.FileHandle, uint32, syscall.Errno) {
	return nil, 0, 0
}

func (i *slowImage) Read(_ context.Context, _ fs.FileHandle, dest []byte, off int64) (fuse.ReadResult, syscall.Errno) {
	n, err := i.file.ReadAt(dest, off)
	if err != nil && err != io.EOF {
		return nil, syscall.EIO
	}
	return fuse.ReadResultData(dest[:n]), 0
}

func (i *slowImage) Write(_ context.Context, _ fs.FileHandle, data []byte, off int64) (uint32, syscall.Errno) {
	i.pause()
	n, err := i.file.WriteAt(data, off)
	return uint32(n), fs.ToErrno(err)
}

func (i *slowImage) Fsync(context.Context, fs.FileHandle, uint32) syscall.Errno {
	i.pause()
	return 0 // data need not survive the test
}

//go:build linux

package redis

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// slowDisk is a directory whose files take a while to sync, each sync as long as that.
func slowDisk(t *testing.T, sync time.Duration) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Fatal("this test needs root: it mounts a file system")
	}
	dir, err := os.MkdirTemp("/tmp", "plinth-ts")
	if err != nil {
		t.Fatal(err)
	}
	behind, front := filepath.Join(dir, "behind"), filepath.Join(dir, "front")
	for _, d := range []string{behind, front} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	root := &fs.LoopbackRoot{Path: behind}
	node := &slowNode{fs.LoopbackNode{RootData: root}, sync}
	root.RootNode = node
	server, err := fs.Mount(front, node, &fs.Options{MountOptions: fuse.MountOptions{DirectMountStrict: true}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Unmount(); err != nil {
			t.Error(err)
		}
		_ = os.RemoveAll(dir)
	})
	return front
}

type slowNode struct {
	fs.LoopbackNode
	sync time.Duration
}

// WrapChild makes all files slow.
func (n *slowNode) WrapChild(_ context.Context, child fs.InodeEmbedder) fs.InodeEmbedder {
	return &slowNode{fs.LoopbackNode{RootData: child.(*fs.LoopbackNode).RootData}, n.sync}
}

// Fsync is what a disk does that takes its time.
func (n *slowNode) Fsync(context.Context, fs.FileHandle, uint32) syscall.Errno {
	<-time.After(n.sync)
	return 0
}

var (
	_ fs.NodeFsyncer     = (*slowNode)(nil)
	_ fs.NodeWrapChilder = (*slowNode)(nil)
)

// A disk that takes seconds to sync shows: with appendfsync everysec, in the share of
// the time with a sync under way and in appends that wait for none any longer.
func TestSlowDisk(t *testing.T) {
	t.Parallel()
	for name, logged := range map[string]bool{"with its log": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, installed(t), "--appendonly yes", "--dir "+slowDisk(t, 2600*time.Millisecond), "--appendfsync everysec", "--auto-aof-rewrite-percentage 0")
			o := Options{Client: s.options()}
			if logged {
				o.Log = s.log
			}
			w := watch(t, o)
			stop := s.set(t, 1000)
			w.await(6)
			stop()
			w.stop()
			if busy := w.most("persistence.aof_pending_bio_fsync"); busy < 0.5 { // a sync is under way all the time, but a loaded machine reads late
				t.Errorf("a sync was under way for %v of a second", w.columns["persistence.aof_pending_bio_fsync"])
			}
			late := w.marks(delayed)
			if len(late) == 0 || logged != strings.Contains(late[0], "disk is busy") {
				t.Errorf("%q", late)
			}
			if waiting := w.most("persistence.aof_buffer_length"); waiting < 10000 {
				t.Errorf("%v bytes waited to be written", w.columns["persistence.aof_buffer_length"])
			}
		})
	}
}

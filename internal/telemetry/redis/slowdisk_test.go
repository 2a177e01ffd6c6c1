//go:build linux

package redis

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"

	"plinth/internal/host/hosttest"
	"plinth/internal/telemetry/telemetrytest"
)

// syncTakes exceeds the two seconds for which a server waits before it appends in spite of
// a pending sync.
const syncTakes = 2600 * time.Millisecond

// slowDisk returns a directory whose files take syncTakes to sync while slow is set.
func slowDisk(t *testing.T, slow *atomic.Bool) string {
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
	node := &slowNode{fs.LoopbackNode{RootData: root}, slow}
	root.RootNode = node
	server, err := fs.Mount(front, node, &fs.Options{MountOptions: fuse.MountOptions{DirectMountStrict: true}})
	if err != nil {
		t.Fatal(err)
	}
	hosttest.KeepFUSE(t)
	t.Cleanup(func() {
		// A pending sync outlives the server that requested it.
		telemetrytest.WaitFor(t, "the file system to be free", func() bool { return server.Unmount() == nil })
		_ = os.RemoveAll(dir)
	})
	return front
}

type slowNode struct {
	fs.LoopbackNode
	slow *atomic.Bool
}

// WrapChild makes all files slow.
func (n *slowNode) WrapChild(_ context.Context, child fs.InodeEmbedder) fs.InodeEmbedder {
	return &slowNode{fs.LoopbackNode{RootData: child.(*fs.LoopbackNode).RootData}, n.slow}
}

// Fsync delays like a slow disk.
func (n *slowNode) Fsync(context.Context, fs.FileHandle, uint32) syscall.Errno {
	if n.slow.Load() {
		<-time.After(syncTakes)
	}
	return 0
}

var (
	_ fs.NodeFsyncer     = (*slowNode)(nil)
	_ fs.NodeWrapChilder = (*slowNode)(nil)
)

// TestSlowDisk checks that a disk which takes seconds to sync shows with appendfsync
// everysec: in the share of time with a pending sync, and in appends that no longer wait
// for it.
func TestSlowDisk(t *testing.T) {
	t.Parallel()
	for name, logged := range map[string]bool{"with its log": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var slow atomic.Bool
			dir := slowDisk(t, &slow)
			s := start(t, installed(t), "--appendonly yes", "--dir "+dir, "--appendfsync everysec", "--auto-aof-rewrite-percentage 0")
			slow.Store(true)
			synctest.Test(t, func(t *testing.T) { slowDiskShows(t, s, logged) })
		})
	}
}

func slowDiskShows(t *testing.T, s *instance, logged bool) {
	by := s.client(t)
	o := Options{Client: s.options()}
	if logged {
		o.Log = s.log
	}
	w := watch(t, o)
	waiting := func() float64 { return number(told(t, by, "persistence", "aof_buffer_length")) }
	const enough = 10000 // pending bytes
	seen := false
	telemetrytest.WaitFor(t, "appends that wait, and then wait no longer", func() bool {
		for range 20 {
			must(t, by, "set", "key", strings.Repeat("x", 1000))
		}
		before := waiting()
		w.await(1)
		seen = seen || before >= enough && waiting() >= before // pending all that time
		return seen && number(told(t, by, "persistence", "aof_delayed_fsync")) > 0
	})
	telemetrytest.WaitFor(t, "the server to log it", func() bool { return strings.Contains(s.lines.String(), "fsync is taking too long") })
	w.await(2)
	w.stop()
	if busy := w.most("persistence.aof_pending_bio_fsync"); busy != 1 {
		t.Errorf("a sync was under way for %v of a second", w.columns["persistence.aof_pending_bio_fsync"])
	}
	late := w.marks(delayed)
	if len(late) == 0 || logged != strings.Contains(late[0], "disk is busy") {
		t.Errorf("%q", late)
	}
	if waiting := w.most("persistence.aof_buffer_length"); waiting < enough {
		t.Errorf("%v bytes waited to be written", w.columns["persistence.aof_buffer_length"])
	}
}

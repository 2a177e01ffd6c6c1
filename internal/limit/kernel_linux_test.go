package limit

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"

	"plinth/internal/host/hosttest"
)

// kernel is version 2 of control groups as a filesystem that acts like the kernel's
// (Documentation/admin-guide/cgroup-v2.rst), for machines that have version 1:
// groups get the files of the controllers that the group above gives, a group with
// processes gives none, a group with anything in it is not removed.
type kernel struct {
	mu   sync.Mutex // guards all groups: they are few, and so are their users
	root string     // of a machine's files: proc/self and sys/fs/cgroup
	top  *group
}

// files are those of each controller, and what is in them at first.
var files = map[string]map[string]string{
	"cpuset": {"cpuset.cpus": "", "cpuset.cpus.effective": "?"},
	"cpu":    {"cpu.max": "max 100000", "cpu.weight": "100", "cpu.idle": "0"},
	"memory": {"memory.max": "max", "memory.swap.max": "max"},
	"io":     {"io.max": ""},
}

// group is a directory.
type group struct {
	fs.Inode
	kernel *kernel
	above  *group // nil for the topmost
	below  map[string]*group
	text   map[string]string
}

// startKernel mounts a topmost group with these controllers, in which plinth's own
// group is own.
func startKernel(t *testing.T, own string, controllers ...string) *kernel {
	t.Helper()
	hosttest.NeedRoot(t)
	k := &kernel{root: t.TempDir()}
	mountPoint := filepath.Join(k.root, "sys/fs/cgroup")
	for _, dir := range []string{mountPoint, filepath.Join(k.root, "proc/self")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"cgroup":    "0::" + own + "\n",
		"mountinfo": "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n",
	} {
		if err := os.WriteFile(filepath.Join(k.root, "proc/self", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	k.top = &group{kernel: k, below: map[string]*group{}, text: map[string]string{
		"cgroup.controllers": strings.Join(controllers, " "), "cgroup.subtree_control": "", "cgroup.procs": ""}}
	never := time.Duration(0)
	server, err := fs.Mount(mountPoint, k.top, &fs.Options{EntryTimeout: &never, AttrTimeout: &never, NegativeTimeout: &never,
		MountOptions: fuse.MountOptions{DirectMount: true, FsName: "cgroups", Name: "plinth-test"}})
	if err != nil {
		t.Fatal(err)
	}
	hosttest.KeepFUSE(t)
	t.Cleanup(func() {
		if err := server.Unmount(); err != nil {
			t.Error(err)
		}
	})
	return k
}

// dir is the path of a group.
func (k *kernel) dir(name string) string { return filepath.Join(k.root, "sys/fs/cgroup", name) }

// group makes a group with processes in it, without asking whether it may have any.
func (k *kernel) group(t *testing.T, name, procs string) {
	t.Helper()
	if err := os.MkdirAll(k.dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	k.write(t, name, "cgroup.procs", procs)
}

func (k *kernel) write(t *testing.T, name, file, value string) {
	t.Helper()
	if err := writeWord(k.dir(name), file, value); err != nil {
		t.Fatal(name, file, err)
	}
}

func (k *kernel) read(t *testing.T, name, file string) string {
	t.Helper()
	text, err := readWord(k.dir(name), file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// contain makes the topmost group that of a container.
func (k *kernel) contain() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.top.text["cgroup.type"] = "domain"
}

// begin gives a group the files that it should have.
func (g *group) begin() {
	for controller, all := range files {
		for name, text := range all {
			_, there := g.text[name]
			switch given := slices.Contains(strings.Fields(g.above.text["cgroup.subtree_control"]), controller); {
			case given && !there:
				g.text[name] = text
			case !given:
				delete(g.text, name) // and its limit with it
			}
		}
	}
	g.text["cgroup.controllers"] = g.above.text["cgroup.subtree_control"]
}

func (g *group) Mkdir(ctx context.Context, name string, _ uint32, _ *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	g.kernel.mu.Lock()
	defer g.kernel.mu.Unlock()
	if g.below[name] != nil {
		return nil, syscall.EEXIST
	}
	made := &group{kernel: g.kernel, above: g, below: map[string]*group{},
		text: map[string]string{"cgroup.type": "domain", "cgroup.subtree_control": "", "cgroup.procs": ""}}
	made.begin()
	g.below[name] = made
	return g.NewInode(ctx, made, fs.StableAttr{Mode: fuse.S_IFDIR}), 0
}

func (g *group) Rmdir(_ context.Context, name string) syscall.Errno {
	g.kernel.mu.Lock()
	defer g.kernel.mu.Unlock()
	switch gone := g.below[name]; {
	case gone == nil:
		return syscall.ENOTDIR
	case len(gone.below) > 0 || gone.text["cgroup.procs"] != "":
		return syscall.EBUSY
	}
	delete(g.below, name)
	return 0
}

func (g *group) Lookup(ctx context.Context, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	g.kernel.mu.Lock()
	defer g.kernel.mu.Unlock()
	if below := g.below[name]; below != nil {
		out.Mode = 0o755
		return g.NewInode(ctx, below, fs.StableAttr{Mode: fuse.S_IFDIR}), 0
	}
	if _, there := g.text[name]; !there {
		return nil, syscall.ENOENT
	}
	out.Mode = 0o644
	return g.NewInode(ctx, &word{group: g, name: name}, fs.StableAttr{Mode: fuse.S_IFREG}), 0
}

func (g *group) Readdir(context.Context) (fs.DirStream, syscall.Errno) {
	g.kernel.mu.Lock()
	defer g.kernel.mu.Unlock()
	var all []fuse.DirEntry
	for name := range g.below {
		all = append(all, fuse.DirEntry{Name: name, Mode: fuse.S_IFDIR})
	}
	for name := range g.text {
		all = append(all, fuse.DirEntry{Name: name, Mode: fuse.S_IFREG})
	}
	return fs.NewListDirStream(all), 0
}

// word is a file.
type word struct {
	fs.Inode
	group *group
	name  string
}

func (w *word) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	out.Mode = 0o644
	return 0
}

func (w *word) Open(context.Context, uint32) (fs.FileHandle, uint32, syscall.Errno) {
	return nil, fuse.FOPEN_DIRECT_IO, 0
}

func (w *word) Read(_ context.Context, _ fs.FileHandle, _ []byte, off int64) (fuse.ReadResult, syscall.Errno) {
	w.group.kernel.mu.Lock()
	defer w.group.kernel.mu.Unlock()
	text := w.group.text[w.name]
	if text == "?" { // cpuset.cpus.effective
		if text = w.group.text["cpuset.cpus"]; text == "" {
			text = "0-1"
		}
	}
	text += "\n"
	return fuse.ReadResultData([]byte(text[min(int(off), len(text)):])), 0
}

func (w *word) Write(_ context.Context, _ fs.FileHandle, data []byte, _ int64) (uint32, syscall.Errno) {
	w.group.kernel.mu.Lock()
	defer w.group.kernel.mu.Unlock()
	errno := syscall.Errno(0)
	if w.name == "cgroup.subtree_control" {
		errno = w.group.give(strings.Fields(string(data)))
	} else {
		w.group.text[w.name] = string(data)
	}
	return uint32(len(data)), errno
}

// give changes which controllers the groups below get: "+cpu", "-cpu".
func (g *group) give(changes []string) syscall.Errno {
	given := strings.Fields(g.text["cgroup.subtree_control"])
	for _, change := range changes {
		name := change[1:]
		if !slices.Contains(strings.Fields(g.text["cgroup.controllers"]), name) {
			return syscall.ENOENT
		}
		if change[0] == '+' {
			if g.above != nil && g.text["cgroup.procs"] != "" {
				return syscall.EBUSY
			}
			given = append(given, name)
			continue
		}
		for _, below := range g.below {
			if slices.Contains(strings.Fields(below.text["cgroup.subtree_control"]), name) {
				return syscall.EBUSY
			}
		}
		given = slices.DeleteFunc(given, func(other string) bool { return other == name })
	}
	slices.Sort(given)
	g.text["cgroup.subtree_control"] = strings.Join(slices.Compact(given), " ")
	for _, below := range g.below {
		below.begin()
	}
	return 0
}

func (k *kernel) String() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return strings.Join(k.top.lines("/"), "\n")
}

// lines are all groups with what they give, for messages and for comparison.
func (g *group) lines(at string) []string {
	all := []string{fmt.Sprintf("%s gives %q", at, g.text["cgroup.subtree_control"])}
	for name, below := range g.below {
		all = append(all, below.lines(filepath.Join(at, name))...)
	}
	slices.Sort(all)
	return all
}

package volume

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"plinth/internal/device"
	"plinth/internal/hint"
	"plinth/internal/host"
)

// layOut sets up a volume: a directory below an existing one, or its own filesystem, from the
// disks up.
func (v *Volume) layOut(ctx context.Context) error {
	if parent := v.part.Volume.Directory; parent != "" {
		return v.makeBelow(ctx, parent)
	}
	if err := v.openRoom(ctx); err != nil {
		return err
	}
	for n, d := range disksOf(v.part.Volume) {
		made := &disk{}
		v.disks = append(v.disks, made)
		if err := v.makeDisk(ctx, made, n, d); err != nil {
			return err
		}
	}
	defer freeAtEnd(ctx, v.mounts())()
	source, block, err := v.makeSource(ctx)
	if err != nil {
		return err
	}
	if err := v.mountOn(ctx, source); err != nil {
		return err
	}
	v.Path = filepath.Join(v.mountAt, dataName)
	err = v.take(ctx, step{do: v.furnishMount, typed: []Command{typed("mkdir", "--mode=0700", v.Path)}})
	if err != nil || v.sketch != nil {
		return err
	}
	if err := v.readMade(block); err != nil {
		return err
	}
	return v.Loading(ctx, false)
}

// makeSource sets up the array, the queue settings and the filesystem on the disks. It returns
// the source to mount and the block device under it.
func (v *Volume) makeSource(ctx context.Context) (source, block string, err error) {
	block = v.disks[0].path
	if v.part.Volume.RAID != "" {
		if block, err = v.makeArray(ctx); err != nil {
			return "", "", err
		}
	}
	if err := v.tune(ctx, block); err != nil {
		return "", "", err
	}
	if v.part.Volume.FilesystemOr() == "zfs" {
		source, err = v.makePool(ctx, block)
		return source, block, err
	}
	return block, block, v.makeOn(ctx, block)
}

// openRoom creates the directory for mount points and control sockets. All users may pass through
// it, because the owner has to.
func (v *Volume) openRoom(ctx context.Context) error {
	if v.sketch != nil { // one directory for both
		v.roomAt = filepath.Join(host.RunDir, strings.TrimPrefix(v.name, sketchPrefix))
		v.mountAt = v.roomAt
		return nil
	}
	if err := needRoot(); err != nil {
		return err
	}
	if err := makeRunDir(); err != nil {
		return err
	}
	id := rand.Text()
	v.roomAt = filepath.Join(runDir, "volume-"+strings.ToLower(id[:12]))
	v.mountAt = filepath.Join(v.roomAt, "mount")
	room, err := v.makeDirectory(ctx, v.roomAt, id)
	v.room = room
	return err
}

func needRoot() error {
	if os.Geteuid() == 0 {
		return nil
	}
	return hint.Errorf("start plinth as root (sudo), or give an existing directory",
		"creating filesystems needs root")
}

// furnishMount creates the owner's directory in the mounted filesystem. It needs no journal
// entry: it is removed with the filesystem.
func (v *Volume) furnishMount(context.Context) error {
	root, err := os.OpenRoot(v.mounted.Target)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.Chmod(".", 0o755); err != nil {
		return err
	}
	if err := makePrivate(root, v.options.Owner); err != nil {
		return err
	}
	if v.Emulators() != nil {
		if err := prepareCalibration(root); err != nil {
			return err
		}
	}
	if ok, blocking := v.options.Owner.CanEnter(v.Path); !ok {
		return fmt.Errorf("the user %s, which runs the server, cannot enter %s", v.options.Owner.Name, blocking)
	}
	return nil
}

// makeBelow creates plinth's own directory in parent, which must exist. Path is a bind mount
// elsewhere if the owner may not enter parent, for example below /root, or if plinth runs as root
// and another user could replace the directory: plinth and the server use the path from now on.
func (v *Volume) makeBelow(ctx context.Context, parent string) error {
	parent, err := v.resolve(parent)
	if err != nil {
		return err
	}
	owner, id := v.options.Owner, rand.Text()
	path := filepath.Join(parent, v.name)
	if v.sketch == nil {
		if v.facts, err = readFacts(parent); err != nil {
			return err
		}
	}
	dir, err := v.makeDirectory(ctx, path, id, typed("mkdir", "--mode=0700", path))
	if err != nil || v.sketch != nil {
		v.Path = path
		return err
	}
	defer dir.Close()
	data := filepath.Join(path, dataName)
	if err := makePrivate(dir, owner); err != nil {
		return err
	}
	v.Path = data
	v.facts.Role, v.facts.Path = v.Role, data
	enters, blocking := owner.CanEnter(data)
	if enters && (os.Geteuid() != 0 || !replaceable(parent)) {
		return nil
	}
	mounted, err := v.bindMount(ctx, dir, bind{Source: path, ID: id}, owner)
	switch {
	case err == nil:
		v.Path = filepath.Join(mounted, dataName)
		return nil
	case !enters:
		return cannotEnter(owner, blocking, err)
	case errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS):
		return nil // a container without the right to mount
	}
	return err
}

// replaceable reports whether a user other than root can replace dir, or a directory above it:
// one that belongs to another user, or in which others may rename what is not theirs. The mode's
// bits of the group include access lists (acl(5)).
func replaceable(dir string) bool {
	for at := dir; ; at = filepath.Dir(at) {
		info, err := os.Lstat(at)
		if err != nil {
			return true
		}
		stat, known := info.Sys().(*syscall.Stat_t)
		if !known || stat.Uid != 0 || info.Mode().Perm()&0o022 != 0 && info.Mode()&fs.ModeSticky == 0 {
			return true
		}
		if at == filepath.Dir(at) {
			return false
		}
	}
}

// resolve returns the absolute path of a directory, without symlinks. A sketch keeps the path as
// given, because the directory need not exist.
func (v *Volume) resolve(parent string) (string, error) {
	if v.sketch != nil {
		return parent, nil
	}
	return resolve(parent)
}

// resolve returns the absolute path of an existing directory, without symlinks.
func resolve(parent string) (string, error) {
	abs, err := filepath.Abs(parent)
	if err != nil {
		return "", err
	}
	dir, err := filepath.EvalSymlinks(abs)
	if errors.Is(err, fs.ErrNotExist) {
		return "", hint.Wrap(errors.New("no such directory"), missingHint(abs))
	}
	if err != nil {
		return "", err
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = hint.Wrap(errors.New("it is not a directory"), "give a directory in which plinth can create the data")
	}
	return dir, err
}

// missingHint returns the hint for a missing directory. A bare name of a device in the catalog
// probably means that device.
func missingHint(path string) string {
	name := filepath.Base(path)
	here, _ := filepath.Abs(name)
	if _, err := device.Find(name); err == nil && path == here {
		return fmt.Sprintf("%s is an emulated device: write {emulate: %s}", name, name)
	}
	return "create the directory, or mount the disk that it belongs on"
}

package volume

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"plinth/internal/device"
	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/record"
)

// makeBelow makes a directory of plinth's own in parent, which is there. Where
// the owner may not enter parent, such as below /root, Path is a bind mount at a
// place that it may enter.
func (v *Volume) makeBelow(parent string) error {
	parent, err := resolve(parent)
	if err != nil {
		return err
	}
	owner := v.options.Owner
	path := filepath.Join(parent, v.options.nameOf(v.part))
	if v.facts, err = readFacts(parent); err != nil {
		return err
	}
	id := rand.Text()
	dir, err := v.makeDirectory(path, id)
	if err != nil {
		return err
	}
	defer dir.Close()
	data := filepath.Join(path, dataName)
	if err := makePrivate(dir, owner); err != nil {
		return err
	}
	v.Path = data
	v.facts.Role, v.facts.Path = v.Role, data
	if ok, blocking := owner.CanEnter(data); !ok {
		mounted, err := v.bindMount(dir, bind{Source: path, ID: id}, owner, blocking)
		if err != nil {
			return err
		}
		v.Path = filepath.Join(mounted, dataName)
	}
	return nil
}

// resolve is the absolute path of a directory that is there, without links.
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
		err = hint.Wrap(errors.New("it is not a directory"), "name the directory that the data are to be made in")
	}
	return dir, err
}

// missingHint is what to do about a directory that is not there. Who writes the name
// of a device alone, which would be here, means that device.
func missingHint(path string) string {
	name := filepath.Base(path)
	here, _ := filepath.Abs(name)
	if _, err := device.Find(name); err == nil && path == here {
		return fmt.Sprintf("%s is an emulated device: write {emulate: %s}", name, name)
	}
	return "make the directory, or mount the disk that it is to be on"
}

func readFacts(dir string) (record.Volume, error) {
	filesystem, err := host.FilesystemOf(dir)
	if err != nil {
		return record.Volume{}, err
	}
	size, err := host.TotalSpace(dir)
	if err != nil {
		return record.Volume{}, err
	}
	free, err := host.FreeSpace(dir)
	if err != nil {
		return record.Volume{}, err
	}
	v := record.Volume{Filesystem: filesystem.Type, Options: filesystem.Options,
		Source: filesystem.Source, Size: size, Free: free}
	// What it stands on explains numbers; where that cannot be told, nothing is lost
	// but telemetry of the disk.
	if place, err := host.PlaceOf("", dir); err == nil {
		v.Device, v.Disks = place.Device(), place.Disks
	}
	return v, nil
}

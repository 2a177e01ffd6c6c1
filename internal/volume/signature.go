package volume

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"plinth/internal/hint"
)

// searched are the block devices on which to look for what plinth wrote, those that
// the journal names first: the kernel gives names such as /dev/sdb anew at each boot.
// Loop devices are among the others only where the journal names one: on no other
// does anything outlive a boot, and one may be on an emulator that hangs. An nbd device
// may be one, or wait for a network.
func searched(noted ...string) []string {
	var devices []string
	loops := false
	for _, path := range noted {
		if path != "" {
			devices = append(devices, path)
			loops = loops || isLoop(path)
		}
	}
	files, _ := filepath.Glob(filepath.Join(sysBlock, "*"))
	for _, file := range files {
		path := "/dev/" + strings.ReplaceAll(filepath.Base(file), "!", "/")
		if slices.Contains(devices, path) || isLoop(path) && (!loops || ofEmulator(path)) || strings.HasPrefix(path, "/dev/nbd") || isEmpty(file) {
			continue
		}
		devices = append(devices, path)
	}
	return devices
}

func isLoop(path string) bool { return strings.HasPrefix(path, "/dev/loop") }

// ofEmulator says whether a loop device is on an emulator's file, of any plinth.
func ofEmulator(loop string) bool {
	file, err := backingFile(loop)
	return err != nil || strings.HasSuffix(file, "/image")
}

// isEmpty says whether a device has nothing in it: a drive without its medium.
func isEmpty(dir string) bool { return readWord(filepath.Join(dir, "size")) == "0" }

// find is the device that carries the UUID; "" for none. What the first of devices,
// the noted one, cannot tell is an error then: it may be there.
func (s signature) find(uuid string, devices []string) (string, error) {
	var unknown error
	for n, device := range devices {
		ours, err := s.isOn(device, uuid)
		if ours {
			return device, nil
		}
		if n == 0 {
			unknown = err
		}
	}
	return "", unknown
}

// signature is where a filesystem says what it is: its magic bytes, and its UUID.
type signature struct {
	magic     string
	at, uuid  int64
	elsewhere []int64 // copies of the magic that tools look at
}

// isOn says whether the filesystem with the UUID is on the device. A device that
// is gone has nothing of ours that could be reached.
func (s signature) isOn(device, uuid string) (bool, error) {
	f, err := os.Open(device)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENXIO) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	magic, id := make([]byte, len(s.magic)), make([]byte, 16)
	_, magicErr := f.ReadAt(magic, s.at)
	_, idErr := f.ReadAt(id, s.uuid)
	if err := errors.Join(magicErr, idErr); err != nil {
		return false, ignoreEOF(err)
	}
	return string(magic) == s.magic && fmt.Sprintf("%x", id) == strings.ReplaceAll(uuid, "-", ""), nil
}

// wipe writes zeros over the magic and its copies, which is what wipefs does. The
// device is claimed for that: nobody can have it mounted.
func (s signature) wipe(device string) error {
	f, err := os.OpenFile(device, os.O_RDWR|exclusive, 0)
	if errors.Is(err, syscall.EBUSY) {
		return hint.Wrap(errors.New("it is still in use"), "unmount it, and run plinth clean again")
	}
	if err != nil {
		return err
	}
	defer f.Close()
	zeros := make([]byte, len(s.magic))
	for _, at := range append(s.elsewhere, s.at) { // the first one last: with it the rest is found
		if err := s.wipeAt(f, at, zeros); err != nil {
			return err
		}
	}
	return f.Sync()
}

func (s signature) wipeAt(f *os.File, at int64, zeros []byte) error {
	magic := make([]byte, len(s.magic))
	if _, err := f.ReadAt(magic, at); err != nil {
		return ignoreEOF(err)
	}
	if string(magic) != s.magic {
		return nil
	}
	_, err := f.WriteAt(zeros, at)
	return err
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

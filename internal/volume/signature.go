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

// searched returns the block devices to search for what plinth wrote, those in the journal first:
// the kernel reassigns names such as /dev/sdb at each boot. It includes other loop devices only
// if the journal names one: otherwise nothing on them outlives a boot, and one may be on a hung
// emulator. It excludes nbd devices, which may be emulators or wait for a network.
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

// ofEmulator reports whether a loop device is on an emulator's file, of any plinth.
func ofEmulator(loop string) bool {
	file, err := backingFile(loop)
	return err != nil || strings.HasSuffix(file, "/image")
}

// isEmpty reports whether a device has no medium.
func isEmpty(dir string) bool { return readWord(filepath.Join(dir, "size")) == "0" }

// find returns the device that carries the UUID, or "". If the first of devices, the recorded
// one, cannot be read and no other matches, it returns an error: the UUID may be there.
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

// signature is the location of a filesystem's magic bytes and UUID.
type signature struct {
	magic     string
	at, uuid  int64
	elsewhere []int64 // copies of the magic that tools check
}

// isOn reports whether the filesystem with the UUID is on the device. On a missing device it is
// not.
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

// wipe overwrites the magic and its copies with zeros, like wipefs. It opens the device
// exclusively, so the device cannot be mounted meanwhile.
func (s signature) wipe(device string) error {
	f, err := os.OpenFile(device, os.O_RDWR|exclusive, 0)
	if errors.Is(err, syscall.EBUSY) {
		return hint.Wrap(errors.New("it is still in use"), "unmount it, then run plinth clean")
	}
	if err != nil {
		return err
	}
	defer f.Close()
	zeros := make([]byte, len(s.magic))
	for _, at := range append(s.elsewhere, s.at) { // the primary one last: the filesystem is found by it
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

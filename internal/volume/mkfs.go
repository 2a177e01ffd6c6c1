package volume

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"plinth/internal/hint"
)

// made is what the journal knows of a filesystem on a device that was there
// before, and stays.
type made struct {
	Device     string `json:"device"`
	Given      string `json:"given,omitempty"` // as the experiment names it: "/dev/disk/by-id/…"
	Filesystem string `json:"filesystem"`
	UUID       string `json:"uuid"` // chosen by plinth
}

// makeOn makes the filesystem of the volume on a block device.
func (v *Volume) makeOn(ctx context.Context, device string) error {
	f := filesystems[v.part.Volume.FilesystemOr()]
	m := made{Device: device, Given: v.part.Volume.Device, Filesystem: f.name, UUID: newUUID()}
	if !v.temporary() {
		if err := v.note(filesystemKind, m); err != nil {
			return err
		}
	}
	args := append(f.arguments(m.UUID, v.part.Volume.Mkfs), device)
	if _, err := f.mkfs.run(ctx, v.options.Launcher, args...); err != nil {
		if options := v.part.Volume.Mkfs; len(options) > 0 && errors.As(err, new(*exitError)) {
			err = hint.Wrap(err, "see whether it takes "+strings.Join(options, " ")+": man "+f.mkfs.name)
		}
		return fmt.Errorf("cannot make %s on %s: %w", f.name, device, err)
	}
	return nil
}

// temporary says whether all disks of the volume go when it is removed.
func (v *Volume) temporary() bool {
	for _, d := range disksOf(v.part.Volume) {
		if d.Device != "" {
			return false
		}
	}
	return true
}

// newUUID is a random one (RFC 9562, version 4).
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// undoFilesystem wipes the signature of the filesystem that plinth made, wherever
// its device is by now: nothing that looks like data is left. What the device held before
// is gone for good, as erase: true allowed.
func undoFilesystem(_ context.Context, args json.RawMessage) error {
	var m made
	if err := json.Unmarshal(args, &m); err != nil {
		return err
	}
	s := filesystems[m.Filesystem].signature
	if s.magic == "" || m.UUID == "" {
		return fmt.Errorf("cannot wipe %q: the journal does not say enough", m.Device)
	}
	device, err := s.find(m.UUID, searched(m.Device, m.Given))
	if err != nil || device == "" {
		return err
	}
	if err := s.wipe(device); err != nil {
		return fmt.Errorf("cannot wipe the %s that plinth made on %s: %w", m.Filesystem, device, err)
	}
	return nil
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

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
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

package probe

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/unit"
	"plinth/internal/volume"
)

// Target is what is probed.
type Target struct {
	Path       string    `json:"path"` // absolute
	Raw        bool      `json:"raw"`  // a block device, without a filesystem
	ReadOnly   bool      `json:"read_only"`
	Filesystem string    `json:"filesystem,omitempty"`
	Device     string    `json:"device,omitempty"` // kernel's name of the block device that requests go to; "" where none is to be seen
	Disks      []string  `json:"disks,omitempty"`  // that hold it in the end
	Model      string    `json:"model,omitempty"`
	Array      *Array    `json:"array,omitempty"` // where Device is one
	Size       unit.Size `json:"size"`            // of what is used of it
	// Direct says that requests go round the page cache.
	Direct bool `json:"direct"`
	// WriteCache is what the kernel holds of it: "write back", "write through"; "" unknown.
	WriteCache string `json:"write_cache,omitempty"`

	place host.Place // of a directory
	whole unit.Size  // of a block device
}

// Array is an md array, as the kernel tells of it.
type Array struct {
	Level   string `json:"level"` // "raid10"
	Members int    `json:"members"`
}

const targetHint = "name a directory on the disk, or a block device such as /dev/nvme1n1"

// look sees what is to be probed, without changing anything.
func look(o Options) (Target, error) {
	path, err := filepath.Abs(o.Path)
	if err != nil {
		return Target{}, err
	}
	info, err := os.Stat(path)
	var t Target
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Target{}, hint.Errorf(targetHint, "cannot probe %s: it is not there", o.Path)
	case err != nil:
		return Target{}, fmt.Errorf("cannot probe %s: %w", o.Path, errors.Unwrap(err))
	case info.IsDir():
		t, err = lookAtDirectory(path, o)
	case info.Mode().Type() == fs.ModeDevice:
		t, err = lookAtDevice(path, info, o)
	default:
		return Target{}, hint.Errorf(targetHint, "cannot probe %s: it is neither a directory nor a block device", o.Path)
	}
	if err != nil {
		return Target{}, fmt.Errorf("cannot probe %s: %w", o.Path, err)
	}
	t.describe()
	return t, nil
}

func lookAtDirectory(path string, o Options) (Target, error) {
	if o.Erase {
		return Target{}, hint.Errorf("leave out --erase: a directory keeps what is in it", "it is a directory")
	}
	place, err := host.PlaceOf("probe", path)
	if err != nil {
		return Target{}, err
	}
	t := Target{Path: path, Filesystem: place.Filesystem, Device: place.Device(), Disks: place.Disks, place: place}
	t.Size, err = o.sizeWithin(unit.Size(place.Free))
	return t, err
}

// sizeWithin is the size of a test file where so much is free. A filesystem that
// has little left is slower, and others need room as well: half of it is taken at
// most.
func (o Options) sizeWithin(free unit.Size) (unit.Size, error) {
	size := o.wanted()
	if size <= free/2 {
		return size, nil
	}
	if free/2 < LeastSize {
		return 0, hint.Errorf("make room on it", "only %s is free there, and a probe needs %s", free, 2*LeastSize)
	}
	return 0, hint.Errorf(fmt.Sprintf("make room on it, or say --size %dMiB", int64(free/2/unit.MiB)),
		"a test file of %s takes more than half of the %s that are free there", size, free)
}

func (o Options) wanted() unit.Size {
	switch {
	case o.Size > 0:
		return o.Size
	case o.Sustained > 0:
		return sustainedSize
	}
	return DefaultSize
}

// describe adds what the kernel tells of the block device.
func (t *Target) describe() {
	if t.Device == "" {
		return
	}
	dir := "/sys/class/block/" + t.Device
	t.WriteCache = word(dir + "/queue/write_cache")
	t.Model = strings.TrimSpace(word(dir + "/device/model"))
	if level := word(dir + "/md/level"); level != "" {
		members, _ := strconv.Atoi(word(dir + "/md/raid_disks"))
		t.Array = &Array{Level: level, Members: members}
	}
}

// word is the content of a file of the kernel; "" where there is none.
func word(path string) string {
	text, _ := os.ReadFile(path)
	return strings.TrimSpace(string(text))
}

// testFile makes the file that a probe of a directory works on, in a directory of
// plinth's own that the journal knows. told is told the share that is written.
func testFile(ctx context.Context, o Options, t Target, told func(share float64)) (string, error) {
	options := volume.Options{Journal: o.Journal, Launcher: o.Launcher, Name: "plinth-" + strings.ToLower(rand.Text()[:8])}
	made, err := volume.Make(ctx, options, experiment.Part{Role: "probe", Name: "probe", Volume: experiment.Volume{Directory: t.Path}})
	if err != nil {
		return "", err
	}
	path := filepath.Join(made.Path, "probe.dat")
	if err := fill(ctx, path, t.Size, o.Seed, told); err != nil {
		return "", fmt.Errorf("cannot write the test file: %w", err)
	}
	return path, nil
}

// fill writes a file full of noise. It is really written: blocks that are only set
// aside are read as zeros without asking the disk. And it is noise, because some
// disks and filesystems store little of what repeats.
func fill(ctx context.Context, path string, size unit.Size, seed uint64, told func(share float64)) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	var key [32]byte
	for i := range 8 {
		key[i] = byte(seed >> (8 * i))
	}
	source := mathrand.NewChaCha8(key)
	block := make([]byte, unit.MiB)
	for done := unit.Size(0); done < size; done += unit.MiB {
		if err := ctx.Err(); err != nil {
			return err
		}
		_, _ = source.Read(block) // never fails
		if _, err := f.Write(block[:min(unit.MiB, size-done)]); err != nil {
			return err
		}
		if done%(64*unit.MiB) == 0 { // what is written, and not what waits to be
			if err := f.Sync(); err != nil {
				return err
			}
			told(float64(done) / float64(size))
		}
	}
	return f.Sync()
}

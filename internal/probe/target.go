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

// Target describes the probed disk.
type Target struct {
	Path       string    `json:"path"` // absolute
	Raw        bool      `json:"raw"`  // a block device, without a filesystem
	ReadOnly   bool      `json:"read_only"`
	Filesystem string    `json:"filesystem,omitempty"`
	Device     string    `json:"device,omitempty"` // kernel's name of the block device that gets the requests; "" if unknown
	Disks      []string  `json:"disks,omitempty"`  // the disks that finally hold it
	Model      string    `json:"model,omitempty"`
	Array      *Array    `json:"array,omitempty"` // if Device is an array
	Size       unit.Size `json:"size"`            // of the used part
	// Direct reports whether requests bypass the page cache.
	Direct bool `json:"direct"`
	// WriteCache is the kernel's setting: "write back", "write through"; "" if unknown.
	WriteCache string `json:"write_cache,omitempty"`

	place host.Place // of a directory
	whole unit.Size  // of a block device
}

// Array is an md array, as the kernel describes it.
type Array struct {
	Level   string `json:"level"` // "raid10"
	Members int    `json:"members"`
}

const targetHint = "give a directory on the disk, or a block device such as /dev/nvme1n1"

// look examines the target, without changing anything.
func look(o Options) (Target, error) {
	path, err := filepath.Abs(o.Path)
	if err != nil {
		return Target{}, err
	}
	info, err := os.Stat(path)
	var t Target
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Target{}, hint.Errorf(targetHint, "cannot probe %s: no such file or directory", o.Path)
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
		return Target{}, hint.Errorf("omit --erase: probing a directory never erases it", "it is a directory")
	}
	place, err := host.PlaceOf("probe", path)
	if err != nil {
		return Target{}, err
	}
	t := Target{Path: path, Filesystem: place.Filesystem, Device: place.Device(), Disks: place.Disks, place: place}
	t.Size, err = o.sizeWithin(unit.Size(place.Free))
	return t, err
}

// sizeWithin returns the size of a test file, given the free space. It uses at most half of that:
// a nearly full filesystem is slower, and other processes need space, too.
func (o Options) sizeWithin(free unit.Size) (unit.Size, error) {
	size := o.FileSize()
	if size <= free/2 {
		return size, nil
	}
	if free/2 < LeastSize {
		return 0, hint.Errorf("free space on it", "only %s is free, and a probe needs %s", free, 2*LeastSize)
	}
	return 0, hint.Errorf(fmt.Sprintf("free space on it, or use --size %dMiB", int64(free/2/unit.MiB)),
		"a test file of %s would take more than half of the free space, %s", size, free)
}

// FileSize returns the size of the test file.
func (o Options) FileSize() unit.Size {
	switch {
	case o.Size > 0:
		return o.Size
	case o.Sustained > 0:
		return sustainedSize
	}
	return DefaultSize
}

// describe adds what the kernel reports about the block device.
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

// word returns the content of a kernel file; "" if it cannot be read.
func word(path string) string {
	text, _ := os.ReadFile(path)
	return strings.TrimSpace(string(text))
}

// testFile creates the test file for a directory, in a new directory that is in the journal. It
// calls report with the share that is written.
func testFile(ctx context.Context, o Options, t Target, report func(share float64)) (string, error) {
	options := volume.Options{Journal: o.Journal, Launcher: o.Launcher, Name: "plinth-" + strings.ToLower(rand.Text()[:8])}
	made, err := volume.Make(ctx, options, experiment.Part{Role: "probe", Name: "probe", Volume: experiment.Volume{Directory: t.Path}})
	if err != nil {
		return "", err
	}
	path := filepath.Join(made.Path, "probe.dat")
	if err := fill(ctx, path, t.Size, o.Seed, report); err != nil {
		return "", fmt.Errorf("cannot write the test file: %w", err)
	}
	return path, nil
}

// fill writes a file of random data. It really writes them: blocks that are only allocated read
// as zeros without disk access, and some disks and filesystems compress or deduplicate repeated
// data.
func fill(ctx context.Context, path string, size unit.Size, seed uint64, report func(share float64)) error {
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
		if done%(64*unit.MiB) == 0 { // report only what is on disk
			if err := f.Sync(); err != nil {
				return err
			}
			report(float64(done) / float64(size))
		}
	}
	return f.Sync()
}

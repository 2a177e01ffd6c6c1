package probe

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/unit"
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

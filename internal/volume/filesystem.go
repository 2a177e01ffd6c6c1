package volume

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/unit"
)

// filesystem describes how to create one type of filesystem.
type filesystem struct {
	name string
	mkfs program
	// smallest is the minimum size that mkfs accepts with its usual log or journal.
	smallest unit.Size
	// arguments returns mkfs's arguments before the device.
	arguments func(uuid string, options []string) []string
	signature signature
}

// filesystems are the supported types. ZFS is created by its pool, the others by mkfs.
//
// mkfs does not discard the device first, which takes minutes on large ones and punches holes
// into the space reserved for a file. ext4 writes its inode tables at once: by default the kernel
// does that in the background, during the first minutes of the first runs.
var filesystems = map[string]filesystem{
	"ext4": {
		name: "ext4", mkfs: program{"mkfs.ext4"}, smallest: 32 * unit.MiB,
		arguments: ext4Arguments,
		signature: signature{magic: "\x53\xef", at: 1024 + 0x38, uuid: 1024 + 0x68},
	},
	"xfs": {
		name: "xfs", mkfs: program{"mkfs.xfs"}, smallest: 320 * unit.MiB,
		arguments: func(uuid string, options []string) []string {
			return slices.Concat([]string{"-q", "-f", "-K"}, flag("-m", "uuid=", uuid), options)
		},
		signature: signature{magic: "XFSB", at: 0, uuid: 32},
	},
	"btrfs": {
		name: "btrfs", mkfs: program{"mkfs.btrfs"}, smallest: 256 * unit.MiB,
		arguments: func(uuid string, options []string) []string {
			return slices.Concat([]string{"-q", "-f", "-K"}, options, flag("-U", "", uuid))
		},
		signature: signature{magic: "_BHRfS_M", at: 64<<10 + 64, uuid: 64<<10 + 32, elsewhere: []int64{64<<20 + 64, 256<<30 + 64}},
	},
	"zfs": {name: "zfs", mkfs: zpoolProgram, smallest: 128 * unit.MiB},
}

// quiet holds plinth's extended options of ext4. The user's are appended, because mkfs.ext4 uses
// only the last -E.
const quiet = "nodiscard,lazy_itable_init=0,lazy_journal_init=0"

func ext4Arguments(uuid string, options []string) []string {
	extended, rest := quiet, []string{}
	for i := 0; i < len(options); i++ {
		switch value, found := strings.CutPrefix(options[i], "-E"); {
		case !found:
			rest = append(rest, options[i])
		case value != "":
			extended += "," + value
		case i+1 < len(options):
			i++
			extended += "," + options[i]
		}
	}
	return slices.Concat([]string{"-q", "-F", "-E", extended}, rest, flag("-U", "", uuid))
}

// flag returns an option with its value, or nothing without a value.
func flag(name, prefix, value string) []string {
	if value == "" {
		return nil
	}
	return []string{name, prefix + value}
}

// made is the journal entry of a filesystem on an existing device, which plinth does not remove.
type made struct {
	Device     string `json:"device"`
	Given      string `json:"given,omitempty"` // as named in the experiment: "/dev/disk/by-id/…"
	Filesystem string `json:"filesystem"`
	UUID       string `json:"uuid"` // chosen by plinth
}

// unreadableFor is how long mkfs.btrfs is tried again. It looks at the files of all loop devices that are
// mounted, and fails while one cannot be read: that of an emulator that was killed, until it is cleaned up.
const unreadableFor = 10 * time.Second

// runMkfs runs mkfs with arguments.
func (v *Volume) runMkfs(ctx context.Context, f filesystem, args []string) error {
	for end := time.Now().Add(unreadableFor); ; {
		_, err := f.mkfs.run(ctx, v.options.Launcher, args...)
		if err == nil || !strings.Contains(err.Error(), "cannot check mount status") || time.Now().After(end) {
			return err
		}
		if host.Sleep(ctx, 200*time.Millisecond) != nil {
			return err
		}
	}
}

// makeOn creates the volume's filesystem on a block device.
func (v *Volume) makeOn(ctx context.Context, device string) error {
	f := filesystems[v.part.Volume.FilesystemOr()]
	m := made{Device: device, Given: v.part.Volume.Device, Filesystem: f.name, UUID: v.newUUID()}
	args := append(f.arguments(m.UUID, v.part.Volume.Mkfs), device)
	s := step{typed: []Command{f.mkfs.typed(args...)}, do: func(ctx context.Context) error {
		err := v.runMkfs(ctx, f, args)
		if err == nil {
			return nil
		}
		if options := v.part.Volume.Mkfs; len(options) > 0 && errors.As(err, new(*exitError)) {
			err = hint.Wrap(err, "check whether it accepts "+strings.Join(options, " ")+": man "+f.mkfs.name)
		}
		return fmt.Errorf("cannot make %s on %s: %w", f.name, device, err)
	}}
	if !v.temporary() {
		s.change = func() (change, error) { return m, nil }
	}
	return v.take(ctx, s)
}

// temporary reports whether all disks of the volume are removed with it.
func (v *Volume) temporary() bool {
	for _, d := range disksOf(v.part.Volume) {
		if d.Device != "" {
			return false
		}
	}
	return true
}

// newUUID returns a random UUID (RFC 9562, version 4).
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// undo wipes the signature of the filesystem that plinth created, whatever name its device has
// now, so that nothing on it looks like data. The previous contents are lost, as erase: true
// allowed.
func (m made) undo(_ context.Context) error {
	s := filesystems[m.Filesystem].signature
	if s.magic == "" || m.UUID == "" {
		return fmt.Errorf("cannot wipe %q: the journal entry is incomplete", m.Device)
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

// needFilesystem returns an error unless this machine can create and mount the filesystem.
func needFilesystem(name string) error {
	f := filesystems[name]
	if _, err := f.mkfs.find(); err != nil {
		return err
	}
	if _, err := mountProgram.find(); err != nil {
		return err
	}
	if knownFilesystem(name) || hasModule(name) {
		return nil
	}
	return hint.Wrap(errNotThere("filesystem "+name), "choose another filesystem, such as ext4 or xfs")
}

func knownFilesystem(name string) bool {
	f, err := os.Open("/proc/filesystems")
	if err != nil {
		return false
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if fields := strings.Fields(lines.Text()); len(fields) > 0 && fields[len(fields)-1] == name {
			return true
		}
	}
	return false
}

// hasModule reports whether a kernel module of that name is available.
func hasModule(name string) bool {
	release := readWord("/proc/sys/kernel/osrelease")
	text, _ := os.ReadFile(filepath.Join("/lib/modules", release, "modules.dep"))
	for line := range strings.Lines(string(text)) {
		path, _, _ := strings.Cut(line, ":")
		module, _, _ := strings.Cut(filepath.Base(path), ".ko")
		if module == name {
			return true
		}
	}
	return false
}

package volume

import (
	"slices"
	"strings"

	"plinth/internal/unit"
)

// filesystem is how one kind of filesystem is made.
type filesystem struct {
	name string
	mkfs program
	// smallest is what its mkfs accepts at least, with its usual log or journal.
	smallest unit.Size
	// arguments are those of mkfs before the device.
	arguments func(uuid string, options []string) []string
	signature signature
}

// signature is where a filesystem says what it is: its magic bytes, and its UUID.
type signature struct {
	magic     string
	at, uuid  int64
	elsewhere []int64 // copies of the magic that tools look at
}

// filesystems are those that are made by a mkfs program. ZFS is made by a pool.
//
// All are made without discarding the device first, which takes minutes on large
// ones and punches holes into the space that was taken for a file. ext4 writes its
// inode tables at once: left to the kernel, it does that in the background of the
// first minutes of the first runs.
var filesystems = map[string]filesystem{
	"ext4": {
		name: "ext4", mkfs: program{"mkfs.ext4", "e2fsprogs"}, smallest: 32 * unit.MiB,
		arguments: ext4Arguments,
		signature: signature{magic: "\x53\xef", at: 1024 + 0x38, uuid: 1024 + 0x68},
	},
	"xfs": {
		name: "xfs", mkfs: program{"mkfs.xfs", "xfsprogs"}, smallest: 320 * unit.MiB,
		arguments: func(uuid string, options []string) []string {
			return slices.Concat([]string{"-q", "-f", "-K"}, flag("-m", "uuid=", uuid), options)
		},
		signature: signature{magic: "XFSB", at: 0, uuid: 32},
	},
	"btrfs": {
		name: "btrfs", mkfs: program{"mkfs.btrfs", "btrfs-progs"}, smallest: 256 * unit.MiB,
		arguments: func(uuid string, options []string) []string {
			return slices.Concat([]string{"-q", "-f", "-K"}, options, flag("-U", "", uuid))
		},
		signature: signature{magic: "_BHRfS_M", at: 64<<10 + 64, uuid: 64<<10 + 32, elsewhere: []int64{64<<20 + 64, 256<<30 + 64}},
	},
	"zfs": {name: "zfs", mkfs: zpoolProgram, smallest: 128 * unit.MiB},
}

// quiet are ext4's extended options, and the user's come behind them: the program
// takes one -E only, the last one.
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

// flag is an option with its value; nothing where there is no value.
func flag(name, prefix, value string) []string {
	if value == "" {
		return nil
	}
	return []string{name, prefix + value}
}

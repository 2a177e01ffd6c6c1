package experiment

import (
	"slices"
	"strings"
)

// NoJournal is the mkfs.ext4 feature that disables the journal.
const NoJournal = "^has_journal"

// Risk is an option with which a power cut can lose or damage data that the server had
// acknowledged.
type Risk struct {
	Option string `json:"option"` // as in the file: "nobarrier"
	Loses  string `json:"loses"`  // what a power cut can then do
}

// Effects of a power cut, as completions of "nobarrier: ".
const (
	losesCache   = "the contents of the device's write cache and the order of writes are lost, which can damage even the journal"
	losesJournal = "the filesystem can become inconsistent, with no journal to repair it"
	losesReplay  = "files can be inconsistent, because the journal is not replayed"
	showsStale   = "files that were being extended can contain old blocks of other files"
)

// unsafeMounts holds the risks of mount options by filesystem. XFS has none left for writable
// mounts: it dropped nobarrier.
var unsafeMounts = map[string]map[string]string{
	"ext4": {
		"nobarrier": losesCache, "barrier=0": losesCache, "data=writeback": showsStale,
		"noload": losesReplay, "norecovery": losesReplay,
	},
	"btrfs": {"nobarrier": losesCache, "norecovery": losesReplay, "nologreplay": losesReplay, "rescue=nologreplay": losesReplay},
	"zfs":   {"sync=disabled": "the acknowledged transactions of the last seconds are lost"},
}

// UnsafeOptions returns the options of a volume that can lose acknowledged data; they require
// unsafe: true and mark the numbers. btrfs's nodatacow is not among them: it gives up checksums,
// but overwrites in place as ext4 and XFS always do.
func (v Volume) UnsafeOptions() []Risk {
	var risks []Risk
	for _, option := range v.Mount {
		if loses, unsafe := unsafeMounts[v.FilesystemOr()][option]; unsafe {
			risks = append(risks, Risk{option, loses})
		}
	}
	if v.FilesystemOr() == "ext4" && v.journalless() {
		risks = append(risks, Risk{NoJournal, losesJournal})
	}
	if v.FilesystemOr() == "zfs" && slices.Contains(v.Mkfs, "sync=disabled") {
		risks = append(risks, Risk{"sync=disabled", unsafeMounts["zfs"]["sync=disabled"]})
	}
	return risks
}

// journalless reports whether mkfs.ext4 is run without a journal: with -O ^has_journal, alone or in
// a list of features, with or without a space, or with -O none.
func (v Volume) journalless() bool {
	for i, word := range v.Mkfs {
		features, here := strings.CutPrefix(word, "-O")
		if !here && (i == 0 || v.Mkfs[i-1] != "-O") {
			continue
		}
		list := strings.Split(features, ",")
		if slices.Contains(list, NoJournal) || slices.Contains(list, "none") {
			return true
		}
	}
	return false
}

// FilesystemOr returns the filesystem to create, ext4 by default.
func (v Volume) FilesystemOr() string {
	if v.Filesystem == "" {
		return "ext4"
	}
	return v.Filesystem
}

package experiment

import (
	"slices"
	"strings"
)

// NoJournal is the feature of mkfs.ext4 that leaves the journal out.
const NoJournal = "^has_journal"

// Risk is an option with which a power cut can lose or damage what the server had
// acknowledged.
type Risk struct {
	Option string `json:"option"` // as written: "nobarrier"
	Loses  string `json:"loses"`  // what a power cut can do then
}

// What a power cut can do, in words that fit behind "nobarrier: ".
const (
	losesCache   = "what the device's write cache held is lost, and the order of writes with it: the journal itself can be damaged"
	losesJournal = "nothing brings the filesystem back to a state that fits together"
	losesReplay  = "the journal is not replayed, so that files are as they happened to be"
	showsStale   = "files that were growing can hold old blocks of other files"
)

// unsafeMounts is the risks of mount options by filesystem. XFS has none left that
// can be mounted for writing: it dropped nobarrier.
var unsafeMounts = map[string]map[string]string{
	"ext4": {
		"nobarrier": losesCache, "barrier=0": losesCache, "data=writeback": showsStale,
		"noload": losesReplay, "norecovery": losesReplay,
	},
	"btrfs": {"nobarrier": losesCache, "norecovery": losesReplay, "nologreplay": losesReplay, "rescue=nologreplay": losesReplay},
	"zfs":   {"sync=disabled": "transactions of the last seconds, although the server had acknowledged them"},
}

// UnsafeOptions are the options of a volume that can lose acknowledged data; they
// need unsafe: true, and mark the numbers. Of btrfs nodatacow is none of them: it
// gives up checksums, but overwrites in place as ext4 and XFS always do.
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

// journalless says whether mkfs.ext4 is told to make no journal: by -O ^has_journal,
// alone or in a list of features, with or without a space, or by -O none.
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

// FilesystemOr is the filesystem that is made: ext4 unless said.
func (v Volume) FilesystemOr() string {
	if v.Filesystem == "" {
		return "ext4"
	}
	return v.Filesystem
}

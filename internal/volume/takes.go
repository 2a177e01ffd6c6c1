package volume

import (
	"fmt"
	"path/filepath"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/unit"
)

// Takes is how many bytes of a directory's filesystem a part's disk takes.
type Takes struct {
	Directory string
	Bytes     int64
	// Hint is what else can be done where there is no room for it; "" for nothing.
	Hint string
}

// Takes are what the disks of a part take of filesystems that are there: all of
// them together have to have room. Of a directory it is the size of the options.
func (o Options) Takes(part experiment.Part) []Takes {
	if part.Volume.Directory != "" {
		return []Takes{{Directory: part.Volume.Directory, Bytes: o.Size}}
	}
	var takes []Takes
	for _, d := range disksOf(part.Volume) {
		size := int64((&Volume{options: o, part: part}).sizeOf(d))
		switch {
		case d.Emulated():
			takes = append(takes, Takes{d.Backing, size, sizeHint(d)})
		case d.File != "":
			takes = append(takes, Takes{filepath.Dir(d.File), size, ""})
		}
	}
	return takes
}

// sizeHint tells those who gave an emulated device the size of what it stands for
// where that size belongs: all of a size is really allocated.
func sizeHint(d experiment.Disk) string {
	if d.Size == 0 || !d.Emulated() {
		return ""
	}
	return fmt.Sprintf("size is what is really allocated here; what the volume was ordered with is provisioned: %s", d.Size)
}

// TooSmall is an error when a size that the experiment gives a disk of the part cannot
// hold what the disk has to, even without what a filesystem keeps for itself.
func (o Options) TooSmall(part experiment.Part) error {
	needed := unit.Size(o.Size / int64(stripes(part.Volume)))
	for _, d := range disksOf(part.Volume) {
		if d.Size != 0 && d.Size < needed {
			return hint.Errorf("choose a larger size, a smaller dataset.scale or max_wal_size",
				"the %s volume is too small: %s needed, and its size is %s", part.Role, needed, d.Size)
		}
	}
	return nil
}

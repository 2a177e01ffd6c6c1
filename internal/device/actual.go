package device

import (
	"strconv"
	"strings"

	"plinth/internal/unit"
)

// Disk identifies the kind of an actual disk. It has no serial number: the figures of a disk also apply
// to other disks of the same model and size.
type Disk struct {
	Model     string    `yaml:"model" json:"model,omitempty" doc:"Vendor and model as the kernel reports them. Absent: unknown, as for virtio disks."`
	Transport string    `yaml:"transport" json:"transport,omitempty" doc:"How it is attached: nvme, sata, virtio. plinth does not compare it."`
	Size      unit.Size `yaml:"size" json:"size,omitempty" doc:"Size of the whole disk. Absent: unknown."`
}

// sameSize is the relative difference below which two sizes count as equal: vendors round them, and
// partition tables and arrays reserve some blocks.
const sameSize = 0.01

// Differs reports whether a and b are certainly different kinds of disk: whether both models are known
// and differ, or both sizes are known and differ by more than 1 % of the larger one.
func (a Disk) Differs(b Disk) bool {
	one, other := strings.Fields(a.Model), strings.Fields(b.Model) // SCSI pads models with spaces
	if len(one) > 0 && len(other) > 0 && strings.Join(one, " ") != strings.Join(other, " ") {
		return true
	}
	least, most := min(a.Size, b.Size), max(a.Size, b.Size)
	return least > 0 && float64(most-least) > sameSize*float64(most)
}

// String describes the disk: "Samsung SSD 980 (465.8GiB)", "an unnamed virtio disk (20GiB)".
func (a Disk) String() string {
	text := a.Model
	switch {
	case text != "":
	case a.Transport != "":
		text = "an unnamed " + a.Transport + " disk"
	default:
		text = "an unnamed disk"
	}
	if a.Size > 0 {
		text += " (" + gibibytes(a.Size) + ")"
	}
	return text
}

// gibibytes formats a size so that sizes that differ by 1 % look different: in GiB even above 1 TiB.
func gibibytes(s unit.Size) string {
	if s < unit.GiB {
		return s.String()
	}
	return strings.TrimSuffix(strconv.FormatFloat(float64(s)/float64(unit.GiB), 'f', 1, 64), ".0") + "GiB"
}

// mostText is the maximum length of the texts of a Disk, in bytes.
const mostText = 200

func (a Disk) check(prefix string) error {
	switch {
	case len(a.Model) > mostText:
		return mistake(prefix+"disk.model", "is longer than %d bytes", mostText)
	case len(a.Transport) > mostText:
		return mistake(prefix+"disk.transport", "is longer than %d bytes", mostText)
	case a.Size < 0:
		return mistake(prefix+"disk.size", "is negative")
	}
	return nil
}

package host

import (
	"io/fs"
	"strconv"
	"strings"

	"plinth/internal/host/sysfs"
	"plinth/internal/unit"
)

// describe returns the kind and details of a device that is stacked on others.
func describe(root fs.FS, name string) Layer {
	switch {
	case exists(root, classDir+name+"/dm"):
		return mapped(root, classDir+name+"/dm/")
	case exists(root, classDir+name+"/md"):
		return array(root, classDir+name+"/md/")
	}
	return Layer{Kind: strings.TrimRight(name, "0123456789")} // bcache, drbd
}

// mappers maps prefixes of device mapper UUIDs to the subsystem that created the device. The
// target (linear, striped, thin) is available to root only, through an ioctl.
var mappers = []struct{ beginning, kind string }{
	{"LVM-", "dm lvm"},
	{"CRYPT-VERITY-", "dm verity"},
	{"CRYPT-", "dm crypt"},
	{"mpath-", "dm multipath"},
	{"part", "dm partition"},
	{"DMRAID-", "dm raid"},
	{"VDO-", "dm vdo"},
}

// mapped describes a device mapper device (Documentation/ABI/testing/sysfs-block-dm).
func mapped(root fs.FS, dir string) Layer {
	layer := Layer{Kind: "dm", Detail: sysfs.Word(root, dir+"name")}
	uuid := sysfs.Word(root, dir+"uuid")
	for _, m := range mappers {
		if strings.HasPrefix(uuid, m.beginning) {
			layer.Kind = m.kind
			break
		}
	}
	if sysfs.Word(root, dir+"suspended") == "1" {
		layer.Detail += ", suspended"
	}
	return layer
}

// array describes an md array (Documentation/admin-guide/md.rst).
func array(root fs.FS, dir string) Layer {
	layer := Layer{Kind: strings.TrimSpace("md " + sysfs.Word(root, dir+"level"))}
	var details []string
	if disks := sysfs.Word(root, dir+"raid_disks"); disks != "" {
		details = append(details, disks+" disks")
	}
	if chunk := figure(root, dir+"chunk_size", 0); chunk > 0 {
		details = append(details, "chunk "+unit.Size(chunk).String())
	}
	if missing := figure(root, dir+"degraded", 0); missing > 0 {
		layer.Missing = int(missing)
		details = append(details, strconv.Itoa(layer.Missing)+" missing")
	}
	if action := sysfs.Word(root, dir+"sync_action"); action != "" && action != "idle" {
		layer.Sync = action
		details = append(details, action)
	}
	layer.Detail = strings.Join(details, ", ")
	return layer
}

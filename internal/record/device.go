package record

import "slices"

// Devices are the block devices under volumes, each once: those that the server's
// requests go to, and the disks that hold them in the end.
func Devices(volumes []Volume) []string {
	var all []string
	for _, v := range volumes {
		for _, device := range append([]string{v.Device}, v.Disks...) {
			if device != "" && !slices.Contains(all, device) {
				all = append(all, device)
			}
		}
	}
	return all
}

// DevicesOf are the block devices that the requests of a role's volumes go to, each
// once: the one right under the filesystem, or the disks where it cannot be seen.
func DevicesOf(volumes []Volume, role string) []string {
	var all []string
	for _, v := range volumes {
		if v.Role != role {
			continue
		}
		if v.Device != "" {
			all = append(all, v.Device)
		} else {
			all = append(all, v.Disks...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

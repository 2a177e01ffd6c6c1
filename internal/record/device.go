package record

import "slices"

// Devices returns the block devices under volumes, without duplicates: those that receive the
// server's requests, and the disks underneath.
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

// DevicesOf returns the block devices that receive the requests to a role's volumes,
// without duplicates: the device directly under the filesystem or, if none is visible, the
// disks.
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

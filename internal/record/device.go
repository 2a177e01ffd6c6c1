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

package volume

import (
	"path/filepath"
	"slices"
	"strings"
)

// searched are the block devices on which to look for what plinth wrote, those that
// the journal names first: the kernel gives names such as /dev/sdb anew at each boot.
// Loop devices are among the others only where the journal names one: on no other
// does anything outlive a boot, and one may be on an emulator that hangs. An nbd device
// may be one, or wait for a network.
func searched(noted ...string) []string {
	var devices []string
	loops := false
	for _, path := range noted {
		if path != "" {
			devices = append(devices, path)
			loops = loops || isLoop(path)
		}
	}
	files, _ := filepath.Glob(filepath.Join(sysBlock, "*"))
	for _, file := range files {
		path := "/dev/" + strings.ReplaceAll(filepath.Base(file), "!", "/")
		if slices.Contains(devices, path) || isLoop(path) && (!loops || ofEmulator(path)) || strings.HasPrefix(path, "/dev/nbd") || isEmpty(file) {
			continue
		}
		devices = append(devices, path)
	}
	return devices
}

func isLoop(path string) bool { return strings.HasPrefix(path, "/dev/loop") }

// ofEmulator says whether a loop device is on an emulator's file, of any plinth.
func ofEmulator(loop string) bool {
	file, err := backingFile(loop)
	return err != nil || strings.HasSuffix(file, "/image")
}

// isEmpty says whether a device has nothing in it: a drive without its medium.
func isEmpty(dir string) bool { return readWord(filepath.Join(dir, "size")) == "0" }

// find is the device that carries the UUID; "" for none. What the first of devices,
// the noted one, cannot tell is an error then: it may be there.
func (s signature) find(uuid string, devices []string) (string, error) {
	var unknown error
	for n, device := range devices {
		ours, err := s.isOn(device, uuid)
		if ours {
			return device, nil
		}
		if n == 0 {
			unknown = err
		}
	}
	return "", unknown
}

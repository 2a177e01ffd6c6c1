package host

import (
	"errors"
	"io/fs"
	"path"
)

// cpuDir is where the kernel tells about CPUs
// (Documentation/ABI/testing/sysfs-devices-system-cpu).
const cpuDir = "sys/devices/system/cpu"

var errNoThermal = errors.New("the kernel counts no thermal events here (a virtual machine, or not an Intel CPU)")

// thermalFiles are the counters of slowing down for heat: one for each core and
// one for each package. Every CPU shows those of its core and package, so that
// adding all of them would count an event many times.
func thermalFiles(root fs.FS) (files []string) {
	found, _ := fs.Glob(root, cpuDir+"/cpu[0-9]*/thermal_throttle/*_throttle_count")
	seen := map[string]bool{}
	for _, file := range found {
		topology := path.Join(path.Dir(file), "../topology")
		place := path.Base(file) + " of package " + readWord(root, topology+"/physical_package_id")
		if path.Base(file) == "core_throttle_count" {
			place += " core " + readWord(root, topology+"/core_id")
		}
		if !seen[place] {
			seen[place] = true
			files = append(files, file)
		}
	}
	return files
}

// readThermal is the number of thermal events since boot.
func readThermal(root fs.FS, files []string) (sum int64, err error) {
	if len(files) == 0 {
		return 0, errNoThermal
	}
	for _, file := range files {
		n, err := readCount(root, file)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

package host

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// readWord is the content of a file of one line; "" when it can't be read.
func readWord(root fs.FS, name string) string {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// readCount is the content of a file that holds one number that is not negative.
func readCount(root fs.FS, name string) (int64, error) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("/%s holds %q, not a count", name, text)
	}
	return n, nil
}

func readNumber(root fs.FS, name string) (int64, bool) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}

// Gap is what could not be read, and why.
type Gap struct {
	// What is, of a Usage: cpu (all CPU times; steal is then another gap), steal,
	// thermal, throttled, swap, memory_stall or process; of an Inventory, the JSON
	// name of its field.
	What string `json:"what"`
	Why  string `json:"why"`
}

// cpuDir is where the kernel tells about CPUs
// (Documentation/ABI/testing/sysfs-devices-system-cpu).
const cpuDir = "sys/devices/system/cpu"

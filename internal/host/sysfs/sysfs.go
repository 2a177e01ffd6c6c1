// Package sysfs reads kernel files that hold a single value, in /sys, /proc/sys and control
// groups. The caller passes the root directory, so tests can read the files of another
// machine. Package proc parses files that hold several values.
package sysfs

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// Word returns the content of a file of one line; "" if it cannot be read.
func Word(root fs.FS, name string) string {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// Count returns the non-negative number in a file.
func Count(root fs.FS, name string) (int64, error) {
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

// Number returns the number in a file; false if there is none, as in a limit of "max".
func Number(root fs.FS, name string) (int64, bool) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}

// CPUs is the directory of files about CPUs
// (Documentation/ABI/testing/sysfs-devices-system-cpu).
const CPUs = "sys/devices/system/cpu"

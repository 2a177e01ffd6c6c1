// Package sysfs reads the files of the kernel that hold one value each: in /sys, in /proc/sys
// and in control groups, below a root that may be another machine's. Package proc parses the
// files that hold more.
package sysfs

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// Word is the content of a file of one line; "" when it can't be read.
func Word(root fs.FS, name string) string {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// Count is the content of a file that holds one number that is not negative.
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

// Number is the content of a file that holds one number; false where there is none, as in a
// limit of "max".
func Number(root fs.FS, name string) (int64, bool) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}

// CPUs is where the kernel tells about CPUs
// (Documentation/ABI/testing/sysfs-devices-system-cpu).
const CPUs = "sys/devices/system/cpu"

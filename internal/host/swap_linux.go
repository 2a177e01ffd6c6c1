package host

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
)

// addSwap adds the devices and files that are on as swap (/proc/swaps,
// proc_swaps(5)). A kernel without swap has no such file: it is off.
func (c Conditions) addSwap(root fs.FS) {
	text, err := fs.ReadFile(root, "proc/swaps")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c["swap"] = "off"
	case err != nil:
		c["swap"] = "cannot be read"
	default:
		c["swap"] = parseSwaps(string(text))
	}
}

// parseSwaps is the names, sorted, or "off". Their order and how full they are
// change by themselves. procfs wants a path instead of the text, and all columns
// in numbers that do not matter here.
func parseSwaps(text string) string {
	var names []string
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) > 0 && strings.HasPrefix(fields[0], "/") {
			names = append(names, fields[0])
		}
	}
	if len(names) == 0 {
		return "off"
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

package host

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"plinth/internal/host/proc"
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
// change by themselves.
func parseSwaps(text string) string {
	var names []string
	for _, area := range proc.Swaps(text) {
		names = append(names, area.Path)
	}
	if len(names) == 0 {
		return "off"
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

package host

import (
	"errors"
	"io/fs"
	"strconv"
	"strings"
)

// addSwap adds /proc/swaps (proc_swaps(5)). A kernel without swap has no such
// file, and none is what there is.
func (i *Inventory) addSwap(root fs.FS) {
	text, err := fs.ReadFile(root, "proc/swaps")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		i.gap("swap", err)
	}
	i.Swap = parseSwapAreas(string(text))
}

// parseSwapAreas leaves out the head of the table. Sizes are in KiB there.
func parseSwapAreas(text string) (areas []SwapArea) {
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) < 5 || !strings.HasPrefix(fields[0], "/") {
			continue
		}
		size, err := strconv.ParseInt(fields[2], 10, 53)
		used, err2 := strconv.ParseInt(fields[3], 10, 53)
		if err != nil || err2 != nil {
			continue
		}
		areas = append(areas, SwapArea{unescape(fields[0]), fields[1], size << 10, used << 10})
	}
	return areas
}

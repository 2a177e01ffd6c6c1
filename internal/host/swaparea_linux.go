package host

import (
	"errors"
	"io/fs"

	"plinth/internal/host/proc"
)

// addSwap adds /proc/swaps (proc_swaps(5)). A kernel without swap has no such
// file, and none is what there is.
func (i *Inventory) addSwap(root fs.FS) {
	text, err := fs.ReadFile(root, "proc/swaps")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		i.gap("swap", err)
	}
	for _, area := range proc.Swaps(string(text)) {
		i.Swap = append(i.Swap, SwapArea{proc.Unescape(area.Path), area.Type, area.Size, area.Used})
	}
}

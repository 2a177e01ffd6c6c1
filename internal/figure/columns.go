package figure

import (
	"slices"
	"strings"
)

// columnsLike are the columns whose names begin and end so, with one label between.
func (w *window) columnsLike(begins, ends string) (names []string) {
	for name := range w.columns {
		label, is := strings.CutPrefix(name, begins)
		label, isToo := strings.CutSuffix(label, ends)
		if is && isToo && label != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

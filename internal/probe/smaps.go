package probe

import (
	"strconv"
	"strings"
)

// hugeShare is how much of the mapping at an address is in transparent huge pages,
// from /proc/PID/smaps (Documentation/filesystems/proc.rst); 0 where it is not told.
func hugeShare(smaps string, address uint64) float64 {
	within := false
	var size, huge float64
	for line := range strings.Lines(smaps) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if begin, end, ok := addresses(fields[0]); ok {
			within = begin <= address && address < end
			continue
		}
		if !within || len(fields) < 2 {
			continue
		}
		n, _ := strconv.ParseFloat(fields[1], 64)
		switch fields[0] {
		case "Size:":
			size = n
		case "AnonHugePages:":
			huge = n
		}
	}
	if !(size > 0) || !(huge >= 0) || huge > size {
		return 0
	}
	return huge / size
}

// addresses reads "7f5c00000000-7f5c10000000", which begins a mapping.
func addresses(text string) (begin, end uint64, ok bool) {
	first, last, found := strings.Cut(text, "-")
	begin, err := strconv.ParseUint(first, 16, 64)
	end, err2 := strconv.ParseUint(last, 16, 64)
	return begin, end, found && err == nil && err2 == nil
}

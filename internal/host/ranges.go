package host

import (
	"fmt"
	"strconv"
	"strings"
)

// mostNumbers is more CPUs or nodes than Linux can have (NR_CPUS is 8192 at most).
const mostNumbers = 1 << 16

// ParseCPUs reads a list of CPUs, or of memory nodes, as the kernel writes it: "0-3,8".
func ParseCPUs(text string) ([]int, error) { return parseRanges(text) }

// parseRanges reads a list of numbers as the kernel writes it, "0-3,8"; an empty
// one is none.
func parseRanges(text string) (list []int, err error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		first, last, isRange := strings.Cut(part, "-")
		from, err := strconv.Atoi(first)
		to := from
		if err == nil && isRange {
			to, err = strconv.Atoi(last)
		}
		if err != nil || from < 0 || to < from || to >= mostNumbers || len(list) > mostNumbers {
			return nil, fmt.Errorf("%q is not a list of numbers", text)
		}
		for n := from; n <= to; n++ {
			list = append(list, n)
		}
	}
	return list, nil
}

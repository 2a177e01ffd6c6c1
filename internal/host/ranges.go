package host

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// mostNumbers exceeds the number of CPUs or nodes that Linux supports (NR_CPUS is 8192 at most).
const mostNumbers = 1 << 16

// ParseRanges parses a list of numbers, CPUs or memory nodes, in the kernel's format: "0-3,8".
// Empty text is an empty list.
func ParseRanges(text string) (list []int, err error) {
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

// Ranges formats a list of numbers as the kernel does: "0-3,8".
func Ranges(numbers []int) string {
	list := slices.Sorted(slices.Values(numbers))
	var parts []string
	for i := 0; i < len(list); {
		end := i
		for end+1 < len(list) && list[end+1] == list[end]+1 {
			end++
		}
		part := strconv.Itoa(list[i])
		if end > i {
			part += "-" + strconv.Itoa(list[end])
		}
		parts = append(parts, part)
		i = end + 1
	}
	return strings.Join(parts, ",")
}

package knob

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// highest is the largest number of a CPU or a memory node in a list: more than any kernel
// supports.
const highest = 65535

// stretch is a range of numbers, first to last.
type stretch struct{ first, last int }

// listed returns the canonical form of a CPU list, sorted, without duplicates and with
// ranges merged ("0,1,2,3" is "0-3"), or the reason why it is invalid.
func listed(text string) (canonical, reason string) {
	var all []stretch
	for item := range strings.SplitSeq(text, ",") {
		s, ok := parseStretch(strings.TrimSpace(item))
		if !ok {
			return "", "it is not a list such as 0-3,8"
		}
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b stretch) int { return a.first - b.first })
	joined := all[:1]
	for _, s := range all[1:] {
		if last := &joined[len(joined)-1]; s.first <= last.last+1 {
			last.last = max(last.last, s.last)
		} else {
			joined = append(joined, s)
		}
	}
	var items []string
	for _, s := range joined {
		item := strconv.Itoa(s.first)
		if s.last > s.first {
			item += "-" + strconv.Itoa(s.last)
		}
		items = append(items, item)
	}
	return strings.Join(items, ","), ""
}

func parseStretch(item string) (stretch, bool) {
	from, to, isRange := strings.Cut(item, "-")
	first, ok := parseIndex(from)
	if !ok || !isRange {
		return stretch{first, first}, ok
	}
	last, ok := parseIndex(to)
	return stretch{first, last}, ok && first <= last
}

// parseIndex reads the number of a CPU, a memory node, a thread.
func parseIndex(text string) (int, bool) {
	n, err := strconv.ParseUint(text, 10, 32)
	return int(n), err == nil && n <= highest
}

// pinned returns the canonical form of Pins ("0=8,1=9-10"), sorted by number, or the reason
// why it is invalid. An item without a number belongs to the previous number:
// "0=8,10,1=9".
func pinned(text string) (canonical, reason string) {
	const form = "it is not a CPU list for each number, such as 0=8,1=9-10"
	lists := map[int]string{}
	current := -1
	for item := range strings.SplitSeq(text, ",") {
		number, cpus, begins := strings.Cut(item, "=")
		if !begins {
			cpus = item
		} else {
			n, ok := parseIndex(strings.TrimSpace(number))
			if !ok {
				return "", form
			}
			if _, twice := lists[n]; twice {
				return "", strconv.Itoa(n) + " occurs twice"
			}
			current = n
		}
		if current < 0 {
			return "", form
		}
		lists[current] = strings.TrimPrefix(lists[current]+","+cpus, ",")
	}
	var items []string
	for _, n := range slices.Sorted(maps.Keys(lists)) {
		cpus, reason := listed(lists[n])
		if reason != "" {
			return "", form
		}
		items = append(items, strconv.Itoa(n)+"="+cpus)
	}
	return strings.Join(items, ","), ""
}

package libvirt

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/hint"
)

// pins are the CPUs that numbered things may run on, vCPUs or I/O threads, by their
// numbers. As text: "0=8,1=9-10,12", where 12 belongs to 1.
type pins map[uint]cpus

func parsePins(text string) (pins, error) {
	all := pins{}
	var at uint
	lists := map[uint][]string{}
	for i, item := range strings.Split(text, ",") {
		number, list, named := strings.Cut(item, "=")
		if !named && i == 0 {
			return nil, notPins(text)
		}
		if named {
			n, err := strconv.ParseUint(strings.TrimSpace(number), 10, 16)
			if err != nil {
				return nil, notPins(text)
			}
			at, item = uint(n), list
			if _, twice := lists[at]; twice {
				return nil, fmt.Errorf("%q names %d twice", text, at)
			}
		}
		lists[at] = append(lists[at], item)
	}
	for number, items := range lists {
		list, err := parseCPUs(strings.Join(items, ","))
		if err != nil {
			return nil, err
		}
		all[number] = list
	}
	return all, nil
}

func notPins(text string) error {
	return hint.Errorf("write it as 0=8,1=9: a number, and the CPUs that it may run on", "%q are no pins", text)
}

// String is how parsePins reads them, in order.
func (p pins) String() string {
	var parts []string
	for _, number := range p.numbers() {
		parts = append(parts, fmt.Sprintf("%d=%s", number, p[number]))
	}
	return strings.Join(parts, ",")
}

func (p pins) numbers() []uint { return slices.Sorted(maps.Keys(p)) }

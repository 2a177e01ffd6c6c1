package kernel

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/host/proc"
	"plinth/internal/metric"
	"plinth/internal/telemetry"
)

var numastatMetrics = from("/sys/devices/system/node/node*/numastat", "Documentation/admin-guide/numastat.rst",
	numaRate("numa_hit", "pages allocated on this node, as intended"),
	numaRate("numa_miss", "pages allocated on this node because the preferred node had none free"),
	numaRate("numa_foreign", "pages intended for this node but allocated on another"),
	numaRate("interleave_hit", "pages allocated on this node by the interleave policy, as intended"),
	numaRate("local_node", "pages allocated on this node for a process that runs on it"),
	numaRate("other_node", "pages allocated on this node for a process that runs on another"),
)

func numaRate(name, help string) metric.Metric {
	return metric.Metric{Name: "numastat.node{node}." + name, Kind: metric.Rate, Unit: "1/s", Help: help}
}

// numastat is the source of the allocation counters of each NUMA node.
type numastat []*numaNode

type numaNode struct {
	id     int
	file   file
	keys   proc.Keyed
	values []proc.Value
	slots  []telemetry.Slot // of numastatMetrics
}

var errNoNode = errors.New("this kernel has no NUMA nodes")

func openNumastat(m *machine) (reader, error) {
	const dir = "sys/devices/system/node"
	ids := numbered(filepath.Join(m.Root, dir), "node")
	if len(ids) == 0 {
		return nil, errNoNode
	}
	var names []string
	for _, m := range numastatMetrics {
		names = append(names, strings.TrimPrefix(m.Name, "numastat.node{node}."))
	}
	var n numastat
	for _, id := range ids {
		n = append(n, &numaNode{
			id: id, file: newFile(m.Root, path.Join(dir, "node"+strconv.Itoa(id), "numastat")),
			keys: proc.NewKeyed(names...), values: make([]proc.Value, len(names)),
		})
	}
	return n, nil
}

// numbered returns, in order, the numbers of the directory entries named prefix plus a
// number.
func numbered(dir, prefix string) (numbers []int) {
	entries, _ := os.ReadDir(dir) // no directory: no entries
	for _, entry := range entries {
		text, found := strings.CutPrefix(entry.Name(), prefix)
		if n, err := strconv.ParseUint(text, 10, 31); found && err == nil {
			numbers = append(numbers, int(n))
		}
	}
	slices.Sort(numbers)
	return numbers
}

func (n numastat) close() {
	for _, node := range n {
		node.file.close()
	}
}

// readTo fails with the first node that fails: nodes do not come and go.
func (n numastat) readTo(b *telemetry.Board) error {
	for _, node := range n {
		if err := node.read(b); err != nil {
			return err
		}
	}
	return nil
}

func (n *numaNode) read(b *telemetry.Board) error {
	text, err := n.file.readShort()
	if err != nil {
		return err
	}
	if err := n.keys.Parse(text, n.values); err != nil {
		return fmt.Errorf("%s %w", n.file.path, err)
	}
	if n.slots == nil {
		for _, m := range numastatMetrics {
			n.slots = append(n.slots, b.Column(m, strconv.Itoa(n.id)))
		}
	}
	for i, v := range n.values {
		if v.There {
			b.Put(n.slots[i], float64(v.N))
		}
	}
	return nil
}

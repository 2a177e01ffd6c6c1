package host

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/host/proc"
	"plinth/internal/host/sysfs"
)

// nodeDir is the kernel's directory of NUMA nodes (Documentation/ABI/stable/sysfs-devices-node).
const nodeDir = "sys/devices/system/node"

func (i *Inventory) addNodes(root fs.FS) {
	dirs, _ := fs.Glob(root, nodeDir+"/node[0-9]*")
	if len(dirs) == 0 {
		i.gap("numa_nodes", errors.New("/"+nodeDir+" has no nodes"))
	}
	for _, dir := range dirs {
		node, err := readNode(root, dir)
		if err != nil {
			i.gap("numa_nodes", err)
			continue
		}
		i.Nodes = append(i.Nodes, node)
	}
	slices.SortFunc(i.Nodes, func(a, b NUMANode) int { return a.Node - b.Node })
}

func readNode(root fs.FS, dir string) (NUMANode, error) {
	number, err := strconv.Atoi(strings.TrimPrefix(path.Base(dir), "node"))
	if err != nil {
		return NUMANode{}, fmt.Errorf("/%s is not a node", dir)
	}
	text, err := fs.ReadFile(root, dir+"/meminfo")
	if err != nil {
		return NUMANode{}, err
	}
	m := proc.Meminfo(string(text))
	return NUMANode{
		Node:          number,
		CPUs:          sysfs.Word(root, dir+"/cpulist"),
		Memory:        m["MemTotal"],
		Free:          m["MemFree"],
		HugePages:     m["HugePages_Total"],
		HugePagesFree: m["HugePages_Free"],
		Distances:     parseDistances(sysfs.Word(root, dir+"/distance")),
	}, nil
}

// parseDistances returns nil if text is not a row of numbers.
func parseDistances(text string) (row []int) {
	for field := range strings.FieldsSeq(text) {
		n, err := strconv.Atoi(field)
		if err != nil {
			return nil
		}
		row = append(row, n)
	}
	return row
}

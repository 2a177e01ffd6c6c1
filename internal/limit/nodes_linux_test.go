package limit

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/host/hosttest"
	"plinth/internal/journal/journaltest"
)

// printNodes uses 64 MiB of memory, and says where that is.
func printNodes() {
	memory := make([]byte, 64<<20)
	for i := 0; i < len(memory); i += 4096 {
		memory[i] = 1
	}
	text, err := os.ReadFile("/proc/self/numa_maps")
	fmt.Println(string(text), err, memory[4096])
}

// A server that is bound to a memory node has its memory there, and nowhere else.
func TestMemoryOfANode(t *testing.T) {
	hosttest.NeedNodes(t)
	needController(t, cpusetController)
	j := journaltest.Open(t, Undoers())
	for _, node := range []string{"0", "1"} {
		g, err := Make(j, "bound", experiment.Limits{}, Where{Nodes: node})
		if err != nil {
			t.Fatal(err)
		}
		said, status := run(t, g, "nodes")
		if err := g.Remove(t.Context()); err != nil {
			t.Error(err)
		}
		if status.Code != 0 {
			t.Fatal(status, said)
		}
		pages, all := ownPages(said), 0
		for _, n := range pages {
			all += n
		}
		if pages[node]*os.Getpagesize() < 32<<20 || all-pages[node] > all/20 {
			t.Errorf("bound to node %s its pages are %v:\n%s", node, pages, said)
		}
	}
}

// ownPages are the pages of a program's own, not of files, by node: "N1=12" in a line of
// numa_maps.
func ownPages(maps string) map[string]int {
	pages := map[string]int{}
	for line := range strings.Lines(maps) {
		for field := range strings.FieldsSeq(line) {
			name, count, _ := strings.Cut(field, "=")
			node, isNode := strings.CutPrefix(name, "N")
			if n, err := strconv.Atoi(count); isNode && err == nil && !strings.Contains(line, " file=") {
				pages[node] += n
			}
		}
	}
	return pages
}

package hosttest

import (
	"os"
	"path/filepath"
	"testing"
)

// NeedNodes skips a test on a machine without memory nodes 0 and 1; with PLINTH_TEST_NODES the
// test fails.
func NeedNodes(t testing.TB) {
	t.Helper()
	nodes, err := filepath.Glob("/sys/devices/system/node/node[01]")
	switch {
	case err != nil:
		t.Fatal(err)
	case len(nodes) == 2:
	case os.Getenv("PLINTH_TEST_NODES") != "":
		t.Fatal("this machine has fewer than two memory nodes")
	default:
		t.Skip("needs two memory nodes: scripts/vm has them")
	}
}

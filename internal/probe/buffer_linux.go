package probe

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"plinth/internal/hint"
	"plinth/internal/unit"
)

// buffer is memory of one node, in pages of one size, linked into a ring.
type buffer struct {
	node   int
	page   unit.Size
	memory []byte
	huge   float64 // the share that is in pages of 2 MiB
	at     uint64  // where the walk stands
}

// newBuffer has the memory made on a node by the policy of this thread, which
// counts when a page is touched for the first time (set_mempolicy(2)).
func newBuffer(node int, page, size unit.Size, bind bool, random *rand.Rand) (buffer, error) {
	b := buffer{node: node, page: page}
	if bind {
		var nodes unix.CPUSet // a set of numbers: of nodes here
		nodes.Set(node)
		if err := unix.SetMemPolicy(unix.MPOL_BIND, &nodes); err != nil {
			return b, hint.Errorf("allow set_mempolicy, as docker does with --cap-add SYS_NICE", "memory cannot be bound to a node: %w", err)
		}
	}
	memory, err := unix.Mmap(-1, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return b, err
	}
	b.memory = memory
	advice := unix.MADV_NOHUGEPAGE
	if page == hugePage {
		advice = unix.MADV_HUGEPAGE
	}
	// A kernel without huge pages refuses both: what came out is looked at below.
	_ = unix.Madvise(memory, advice)
	thread(memory, random)
	text, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		_ = unix.Munmap(memory)
		return b, err
	}
	address, _ := strconv.ParseUint(strings.TrimPrefix(fmt.Sprintf("%p", memory), "0x"), 16, 64)
	b.huge = hugeShare(string(text), address)
	return b, nil
}

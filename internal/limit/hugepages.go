package limit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/unit"
)

// leastBeside is the least memory that huge pages must leave to the rest of a server.
const leastBeside = 32 * unit.MiB

// CountHugePages makes the limit on memory include the huge pages that processes of the group have mapped: the control
// group gets what they leave. The kernel counts them in another controller (hugetlb), so that a server with huge pages
// would have more memory than one without. It is called after each start of the server; without a limit on memory, it
// does nothing.
//
// It returns an error if they leave too little. The kernel frees what it can of the rest, the page cache; in a group of
// version 2, it ends processes if that is not enough.
func (g *Group) CountHugePages() error {
	if g == nil || g.memory.dir == "" {
		return nil
	}
	huge, err := g.hugePages()
	if err != nil {
		return fmt.Errorf("cannot count the server's huge pages: %w", err)
	}
	limit := unit.Size(g.facts.Memory)
	rest := limit - unit.Size(huge)
	if rest < leastBeside {
		return hint.Errorf("raise limits.memory, or lower shared_buffers",
			"the server's huge pages (%s) leave less than %s of its memory (%s)", unit.Size(huge), leastBeside, limit)
	}
	if g.memory.version == 2 && countedAnyway() {
		rest = limit
	}
	settings := settingsOf(target{version: g.memory.version}, memoryController, experiment.Limits{Memory: rest})
	if huge < g.facts.HugePages { // the limit on memory and swap together is never below that on memory
		slices.Reverse(settings)
	}
	for _, s := range settings {
		if err := s.set(g.memory.dir); err != nil {
			return fmt.Errorf("cannot leave %s beside %s of huge pages: %w", rest, unit.Size(huge), err)
		}
	}
	g.facts.HugePages = huge
	return nil
}

// countedAnyway reports whether the kernel counts huge pages as memory of a group of version 2: a mount option of Linux
// 6.6 and later (https://docs.kernel.org/admin-guide/cgroup-v2.html).
func countedAnyway() bool {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	return err == nil && strings.Contains(string(mounts), "memory_hugetlb_accounting")
}

// hugePages returns the memory that processes of the group have mapped in huge pages. Those of a server share it.
func (g *Group) hugePages() (most int64, err error) {
	pids, err := readWord(g.memory.dir, "cgroup.procs")
	if err != nil {
		return 0, err
	}
	for _, pid := range strings.Fields(pids) {
		bytes, err := host.HugeMappings(filepath.Join("/proc", pid))
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, unix.ESRCH) { // it has ended
			return 0, err
		}
		most = max(most, bytes)
	}
	return most, nil
}

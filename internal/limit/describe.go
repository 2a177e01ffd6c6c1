package limit

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/host"
	"plinth/internal/record"
	"plinth/internal/unit"
)

// describe records the limits and notes on how they affect results.
func (g *Group) describe(m machine, l experiment.Limits, cpus []int, parents []parent) {
	g.cpus, g.rest = cpus, m.rest(cpus)
	if len(parents) == 0 {
		return
	}
	var versions []string
	for _, p := range parents {
		if v := fmt.Sprintf("v%d", p.version); !slices.Contains(versions, v) {
			versions = append(versions, v)
		}
	}
	g.facts = &record.Limits{CPUs: host.Ranges(cpus), CPUQuota: l.CPUQuota,
		Memory: int64(l.Memory), Cgroup: strings.Join(versions, " and ")}
	if c := l.CPUCredits; c.There() {
		account, _ := c.Account() // checked when the group was made
		g.facts.CPUCredits = &record.CPUCredits{Instance: c.Instance, Mode: string(account.Mode), Balance: account.Balance(), Sustained: account.Credits.Sustained()}
	}
	if len(cpus) > 0 && len(g.rest) == 0 {
		g.facts.Shared = true
		g.notes = append(g.notes, record.Note{Rule: "limits-shared-cpus",
			Text: fmt.Sprintf("the server has all CPUs of the machine (%s): the load generator shares them", host.Ranges(cpus)),
			Hint: "give the server fewer CPUs, or use a larger machine"})
	}
	if m.places[memoryController].version == 1 {
		g.notes = append(g.notes, dirtyNotes(l, m.memory)...)
	}
}

// dirty returns the vm.dirty_bytes and vm.dirty_background_bytes, in bytes, that a server
// with this memory would have on a dedicated machine with the kernel's defaults of
// vm.dirty_ratio (20) and vm.dirty_background_ratio (10): 20 % and 10 % of the limit. It
// returns 0, 0 if there is no limit below the machine's memory.
//
// A memory limit of version 1 includes dirty pages, but the threshold at which writers
// are throttled depends on the memory of the whole machine. A server with 1 GiB of 64
// fills its cache with dirty pages long before that threshold and then waits in reclaim,
// unlike on a machine with 1 GiB. Version 2 has a threshold per group if the filesystem
// supports it (ext4, XFS, btrfs).
func dirty(l experiment.Limits, machine int64) (dirtyBytes, dirtyBackgroundBytes int64) {
	if l.Memory <= 0 || int64(l.Memory) >= machine {
		return 0, 0
	}
	return int64(l.Memory) / 5, int64(l.Memory) / 10
}

// dirtyRule is the rule of the note that vm.dirty_* do not depend on the limit.
const dirtyRule = "limits-dirty-pages"

func dirtyNotes(l experiment.Limits, memory int64) []record.Note {
	most, background := dirty(l, memory)
	if most == 0 {
		return nil
	}
	return []record.Note{{Rule: dirtyRule,
		Text: fmt.Sprintf("the server has %v of memory, but its limit on dirty pages depends on the machine's %v (control groups, version 1)",
			l.Memory, unit.Size(memory)),
		Hint: fmt.Sprintf("allow_host: true sets vm.dirty_bytes=%d and vm.dirty_background_bytes=%d, in proportion to the limit, while the experiment runs", most, background)}}
}

// DirtyFollowsMachine reports whether, with these limits on this machine, a server's limit
// of dirty pages depends on the machine's memory, as with control groups of version 1.
func DirtyFollowsMachine(l experiment.Limits) (bool, error) {
	m, err := look("/")
	if err != nil {
		return false, err
	}
	most, _ := dirty(l, m.memory)
	return most > 0 && m.places[memoryController].version == 1, nil
}

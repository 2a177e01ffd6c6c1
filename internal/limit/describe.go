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

// describe notes what was made, and what that means for numbers.
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
	if len(cpus) > 0 && len(g.rest) == 0 {
		g.facts.Shared = true
		g.notes = append(g.notes, record.Note{Rule: "limits-shared-cpus",
			Text: fmt.Sprintf("the server has all CPUs of the machine (%s): the load generator shares them", host.Ranges(cpus)),
			Hint: "give it fewer CPUs, or run on a machine with more"})
	}
	if m.places[memoryController].version == 1 {
		g.notes = append(g.notes, dirtyNotes(l, m.memory)...)
	}
}

// dirty are the vm.dirty_bytes and vm.dirty_background_bytes that a server with
// this memory would have on a machine of its own, where vm.dirty_ratio and
// vm.dirty_background_ratio are the kernel's 20 and 10: 20 % and 10 % of the limit.
// In bytes; 0, 0 where there is no limit below the machine's memory.
//
// A memory limit of version 1 counts dirty pages of files, but when writers are made
// to wait for the disk follows from the memory of the whole machine. A server with
// 1 GiB of 64 would have its cache full of dirty pages long before that, and wait in
// reclaim, in another way than on a machine of 1 GiB. Version 2 has a share of its
// own for each group, where the filesystem takes part (ext4, XFS, btrfs).
func dirty(l experiment.Limits, machine int64) (dirtyBytes, dirtyBackgroundBytes int64) {
	if l.Memory <= 0 || int64(l.Memory) >= machine {
		return 0, 0
	}
	return int64(l.Memory) / 5, int64(l.Memory) / 10
}

// dirtyRule is the rule of the note that vm.dirty_* do not follow from a limit.
const dirtyRule = "limits-dirty-pages"

func dirtyNotes(l experiment.Limits, memory int64) []record.Note {
	most, background := dirty(l, memory)
	if most == 0 {
		return nil
	}
	return []record.Note{{Rule: dirtyRule,
		Text: fmt.Sprintf("the server has %v of memory, but its limit of dirty pages depends on the machine's %v (control groups, version 1)",
			l.Memory, unit.Size(memory)),
		Hint: fmt.Sprintf("allow_host: true sets vm.dirty_bytes=%d and vm.dirty_background_bytes=%d, in proportion to the limit, while the experiment runs", most, background)}}
}

// DirtyFollowsMachine says whether, under such a limit here, how much of a server's
// page cache may be dirty follows from the memory of the machine: control groups of
// version 1.
func DirtyFollowsMachine(l experiment.Limits) (bool, error) {
	m, err := look("/")
	if err != nil {
		return false, err
	}
	most, _ := dirty(l, m.memory)
	return most > 0 && m.places[memoryController].version == 1, nil
}

package inspect

import (
	"slices"
	"strconv"

	"plinth/internal/unit"
)

var settingRules = []rule{
	{
		name: "shared-buffers", weight: 53, about: ofServer, check: sharedBuffers,
		benchmark:  "the server sees its data through so small a window: what is measured is the kernel's cache",
		production: "a quarter of the memory is where most begin",
	},
	{
		name: "pending-restart", weight: 47, about: ofServer, check: pendingRestart,
		benchmark:  "the configuration file does not say what is in force",
		production: "the next restart, maybe a crash, changes the server",
		do:         "restart the server, or take the change back",
	},
}

func sharedBuffers(in *Input) evidence {
	s, known := in.setting("shared_buffers")
	bytes, ok := s.Bytes()
	memory := in.Machine.Memory.Total
	if !in.Local || !known || !ok || bytes > int64(128*unit.MiB) || memory < int64(4*unit.GiB) {
		return nothing
	}
	quarter := max(1, memory/4/int64(unit.GiB))
	return found("shared_buffers is %s on a machine of %s", s.Value, size(memory)).set(in, "shared_buffers", strconv.FormatInt(quarter, 10)+"GB")
}

func pendingRestart(in *Input) evidence {
	var names []string
	for _, s := range in.Server.Settings {
		if s.PendingRestart {
			names = append(names, s.Name)
		}
	}
	slices.Sort(names)
	if names == nil {
		return nothing
	}
	return found("changed, but not in force before a restart: %s", list(names))
}

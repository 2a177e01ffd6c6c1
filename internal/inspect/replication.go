package inspect

import (
	"slices"

	"plinth/internal/engine/postgres"
	"plinth/internal/unit"
)

var replicationRules = []rule{
	{
		name: "slot-retains-wal", weight: 69, about: ofServer, check: slotRetains,
		benchmark:  "pg_wal grows from run to run, on new files each time",
		production: "it grows until the disk is full, and then the server stops",
		do:         "bring its reader back, or: SELECT pg_drop_replication_slot('{}'); max_slot_wal_keep_size sets a limit",
	},
	{
		name: "standby", weight: 37, about: ofServer, check: standby,
		benchmark:  "nothing can be written here, and WAL from the primary is replayed all the time",
		production: "as it should be, if it is meant to be one",
		do:         "name the primary for loads that write",
	},
	{
		name: "synchronous-standby", weight: 24, about: ofServer, check: synchronousStandby,
		benchmark:  "each commit waits for the network and for another machine's disk",
		production: "as it should be, if that is agreed",
		do:         "for a benchmark of this disk alone: SET synchronous_commit = local in the load's sessions",
	},
}

func slotRetains(in *Input) evidence {
	i := slices.IndexFunc(in.Server.Slots, func(s postgres.Slot) bool { return !s.Active && s.Retained >= int64(unit.GiB) })
	if i < 0 {
		return nothing
	}
	s := in.Server.Slots[i]
	return found("nobody reads replication slot %s, which keeps %s of WAL", s.Name, size(s.Retained)).on(s.Name)
}

func standby(in *Input) evidence {
	if !in.Server.Standby {
		return nothing
	}
	return found("the server is a standby (in recovery)")
}

func synchronousStandby(in *Input) evidence {
	names, known := in.setting("synchronous_standby_names")
	commit, _ := in.setting("synchronous_commit")
	if !known || names.Value == "" || commit.Value == "off" || commit.Value == "local" {
		return nothing
	}
	return found("commits wait for standbys (synchronous_standby_names = %s)", names.Value)
}
